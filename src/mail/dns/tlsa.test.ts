import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { selfSigned } from '../../../test/world/certificate.ts'
import { isUsable, type TlsaRecord, tlsaVerdict } from './tlsa.ts'

// An authority, and its certificate for mx.dane.test, valid until June 2125.
const AUTHORITY = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIBijCCAS+gAwIBAgIUOu3OOTfB1KRxmPgDI2G1eP29Un8wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIxMTExNzIzWhgPMjEy
NjEwMjgxMTE3MjNaMBkxFzAVBgNVBAMMDlRlc3QgQXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEQPAISZle/Ot7uucUUFapf5+3xhbE1ZtUOBU+9F8Z
AIyVwqBWWhC+Dg5fewTIWmZIbeoZcupz2SEMsBmFx60vhqNTMFEwHQYDVR0OBBYE
FNo0gKGCgKwDkFb6aGuZ539jrwNXMB8GA1UdIwQYMBaAFNo0gKGCgKwDkFb6aGuZ
539jrwNXMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIZ6ksoR
7Te5HVKfE4I5XoJ003bHiIJ2GzSZtU4GL7ptAiEAs1AyVNdN/1s2+Rz9SShO0phb
B4+5wPRgKDclFAArPO8=
-----END CERTIFICATE-----
`)
const LEAF = new X509Certificate(`-----BEGIN CERTIFICATE-----
MIIBmzCCAUCgAwIBAgIUO9HftxiaL7bkoYMy0/Y8iXdN0k4wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBBdXRob3JpdHkwIBcNMjYxMTIxMTExNzIzWhgPMjEy
NTA2MTUxMTE3MjNaMBcxFTATBgNVBAMMDG14LmRhbmUudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABGejfskIdS0ebz98/tteYmHzt3Hef6L/iCbCoqlmDd6g
KW5urfGm6kfL3Ukq/y1V4BB2TgzymYx5FzDVD3pKfhGjZjBkMBcGA1UdEQQQMA6C
DG14LmRhbmUudGVzdDAJBgNVHRMEAjAAMB0GA1UdDgQWBBRSLwgapSoK98aN2SU9
n5yWHFJ5+TAfBgNVHSMEGDAWgBTaNIChgoCsA5BW+mhrmed/Y68DVzAKBggqhkjO
PQQDAgNJADBGAiEAqUNovWf0QArMWGEoX2Mmto7SXAHKHcHb46x7FJI0HqsCIQCC
pKdCsN6y5aLVSiZM6q1yMO+A5/VnjFQ3Dg7Rh7zeRQ==
-----END CERTIFICATE-----
`)
const NOW = new Date('2030-01-01T00:00:00Z')
const NAMES = ['mx.dane.test']

function record(usage: number, selector: number, matching: number, of: X509Certificate): TlsaRecord {
  const bytes = selector === 0 ? of.raw : of.publicKey.export({ type: 'spki', format: 'der' })
  const digest = ['', 'sha256', 'sha512'][matching] ?? ''
  return { usage, selector, matching, data: digest === '' ? bytes : createHash(digest).update(bytes).digest() }
}

const EACH_FORM = [0, 1].flatMap((selector) => [0, 1, 2].map((matching) => ({ selector, matching })))

function isNamed(...asked: Parameters<typeof tlsaVerdict>): boolean {
  return tlsaVerdict(...asked) === 'named'
}

test('a record of usage 3 names the certificate or its key, regardless of names and dates', () => {
  for (const { selector, matching } of EACH_FORM) {
    const named = record(3, selector, matching, LEAF)
    assert.ok(isNamed([named], [LEAF], [], new Date('2200-01-01')), `${selector} ${matching}`)
    const other = record(3, selector, matching, AUTHORITY)
    assert.ok(!isNamed([other], [LEAF, AUTHORITY], NAMES, NOW), `${selector} ${matching}`)
    assert.ok(isNamed([other, named], [LEAF], NAMES, NOW))
  }
})

test('a record of usage 2 names an authority in the chain, and dates and names are checked', () => {
  for (const { selector, matching } of EACH_FORM) {
    const named = [record(2, selector, matching, AUTHORITY)]
    const label = `${selector} ${matching}`
    assert.ok(isNamed(named, [LEAF, AUTHORITY], NAMES, NOW), label)
    assert.equal(tlsaVerdict(named, [LEAF, AUTHORITY], ['mx.other.test'], NOW), 'other_host', label)
    // Nobody vouches for it, so its name does not matter.
    assert.equal(tlsaVerdict(named, [LEAF, AUTHORITY], ['mx.other.test'], new Date('2125-08-01')), 'not_named', label)
    assert.ok(!isNamed(named, [LEAF, AUTHORITY], NAMES, new Date('2125-08-01')), label)
    // An authority that is given in full need not be sent.
    assert.equal(isNamed(named, [LEAF], NAMES, NOW), matching === 0, label)
  }
})

test('a certificate that only claims to come from the authority does not pass', () => {
  const { cert } = selfSigned({ names: NAMES, notBefore: new Date('2029-01-01'), notAfter: new Date('2031-01-01') })
  const stranger = new X509Certificate(cert)
  assert.ok(!isNamed([record(2, 1, 1, AUTHORITY)], [stranger, AUTHORITY], NAMES, NOW))
  assert.ok(!isNamed([record(2, 0, 0, AUTHORITY)], [stranger], NAMES, NOW))
  assert.ok(!isNamed([record(3, 1, 1, LEAF)], [stranger, LEAF], NAMES, NOW))
  assert.ok(!isNamed([record(3, 1, 1, LEAF)], [], NAMES, NOW))
})

test('records that do not apply to mail, or are malformed, are unusable and decide nothing', () => {
  const good = record(3, 1, 1, LEAF)
  assert.ok(isUsable(good))
  for (const wrong of [
    { ...good, usage: 0 },
    { ...good, usage: 1 },
    { ...good, usage: 255 },
    { ...good, selector: 2 },
    { ...good, matching: 3 },
    { ...good, data: good.data.subarray(1) },
    { ...good, matching: 2 },
    { ...good, matching: 0, data: Buffer.alloc(0) },
  ]) {
    assert.ok(!isUsable(wrong))
    assert.ok(!isNamed([wrong], [LEAF], NAMES, NOW))
  }
  assert.ok(!isNamed([{ usage: 2, selector: 0, matching: 0, data: Buffer.from('nonsense') }], [LEAF], NAMES, NOW))
})

test('a thousand records cost little more than a few, and the right one is found among them', () => {
  const strangers = (usage: number): TlsaRecord[] =>
    Array.from({ length: 1_250 }, () => ({ usage, selector: 1, matching: 1, data: randomBytes(32) }))
  const chain = [LEAF, AUTHORITY, AUTHORITY, AUTHORITY]
  // The least of several: a busy machine makes some of them late.
  const took = (records: readonly TlsaRecord[]): number => {
    const times = Array.from({ length: 7 }, () => {
      const began = performance.now()
      assert.ok(!isNamed(records, chain, NAMES, NOW))
      return performance.now() - began
    })
    return Math.min(...times)
  }
  took(strangers(2))
  const [few, many] = [took(strangers(2).slice(0, 5)), took(strangers(2))]
  assert.ok(many < few * 25, `${many} and ${few} ms`)
  assert.ok(isNamed([...strangers(2), record(2, 1, 1, AUTHORITY)], [LEAF, AUTHORITY], NAMES, NOW))
  assert.ok(isNamed([...strangers(3), record(3, 0, 2, LEAF)], [LEAF], NAMES, NOW))
})

test('of the authorities given in full, the first ten count', () => {
  const others = Array.from({ length: 10 }, () => {
    const { cert } = selfSigned({ names: NAMES })
    return record(2, 1, 0, new X509Certificate(cert))
  })
  assert.ok(isNamed([...others.slice(1), record(2, 0, 0, AUTHORITY)], [LEAF], NAMES, NOW))
  assert.ok(!isNamed([...others, record(2, 0, 0, AUTHORITY)], [LEAF], NAMES, NOW))
})
