import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as x509 from '@peculiar/x509'
import { selfSigned } from '../../platform/network/certificates.ts'
import { certificateId, type RenewalAnswer, renewalInfoUrl, suggestionOf } from './renewal-information.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ISSUED = new Date('2026-06-01T00:00:00Z')
const at = (days: number): Date => new Date(ISSUED.getTime() + days * DAY_MS)

/** A certificate of 90 days. */
async function issued(serialNumber = '01'): Promise<string> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name: 'CN=go.shop.example',
    notBefore: ISSUED,
    notAfter: at(90),
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey)],
  })
  return made.toString('pem')
}

function answer(start: Date, end: Date, more: Partial<RenewalAnswer> = {}): RenewalAnswer {
  const suggestedWindow = { start: start.toISOString(), end: end.toISOString() }
  return { status: 200, data: { suggestedWindow }, retryAfter: '21600', date: at(30).toUTCString(), ...more }
}

// RFC 9773 section 4.1 and appendix A.
const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`

test('a certificate is identified by the key of its authority and its serial number', async () => {
  assert.equal(await certificateId(EXAMPLE), 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
  assert.equal((await certificateId(await issued('7f01')))?.split('.')[1], 'fwE')
  assert.equal((await certificateId(await issued('0123')))?.split('.')[1], 'ASM')
  assert.equal(await certificateId(selfSigned({ names: ['go.shop.example'] }).cert), null)
})

test('the address of the information is in the directory, or nowhere', () => {
  for (const url of ['https://ca.example/renewal', 'https://ca.example/renewal/'])
    assert.equal(renewalInfoUrl({ renewalInfo: url }, 'a.b'), 'https://ca.example/renewal/a.b')
  for (const directory of [{}, null, 'text', { renewalInfo: 7 }]) assert.equal(renewalInfoUrl(directory, 'a.b'), null)
})

test('a certificate is renewed at a moment within the suggested window, the same one each time, spread over certificates', async () => {
  const seen = new Set<number>()
  for (let one = 1; one <= 20; one++) {
    const chain = await issued(`0${one.toString(16)}`)
    const [first, second] = [at(30), at(31)].map((now) =>
      suggestionOf(answer(at(40), at(50), { date: now.toUTCString() }), chain, now),
    )
    assert.deepEqual(second?.renewAt, first?.renewAt)
    const time = first?.renewAt?.getTime() ?? 0
    assert.ok(time >= at(40).getTime() && time <= at(50).getTime(), first?.renewAt?.toISOString())
    seen.add(time)
  }
  assert.ok(Math.max(...seen) - Math.min(...seen) > 4 * DAY_MS)
})

test('a certificate is renewed no sooner than six hours after its issue, and no later than nine tenths of its life', async () => {
  const chain = await issued()
  const renewAt = (start: Date, end: Date) => suggestionOf(answer(start, end), chain, at(30)).renewAt
  assert.deepEqual(renewAt(at(-9), at(-8)), new Date(ISSUED.getTime() + 6 * HOUR_MS))
  assert.deepEqual(renewAt(at(88), at(89)), at(81))
  assert.deepEqual(renewAt(at(300), at(400)), at(81))
})

test("the authority's times are read by its clock", async () => {
  const now = at(30 + 200)
  const { renewAt } = suggestionOf(answer(at(60), new Date(at(60).getTime() + 1)), await issued(), now)
  assert.equal(renewAt?.getTime(), at(260).getTime())
})

test('it is asked again when the authority says so, within a minute and a day', async () => {
  const chain = await issued()
  const now = at(30)
  const waitS = (retryAfter: string) =>
    (suggestionOf(answer(at(40), at(50), { retryAfter }), chain, now).askAt.getTime() - now.getTime()) / 1_000
  assert.deepEqual(
    ['7200', '1', '999999', '', 'soon', new Date(now.getTime() + HOUR_MS).toUTCString()].map(waitS),
    [7_200, 60, 86_400, 21_600, 21_600, 3_600],
  )
})

const window = (start: unknown, end: unknown): Partial<RenewalAnswer> => ({ data: { suggestedWindow: { start, end } } })
const [START, END] = [at(40).toISOString(), at(50).toISOString()]
const USELESS: readonly (readonly [what: string, more: Partial<RenewalAnswer>])[] = [
  ['a certificate that it does not know', { status: 404 }],
  ['an error', { status: 500 }],
  ['no window', { data: {} }],
  ['no JSON', { data: '<html>' }],
  ['nothing', { data: null }],
  ['a window that ends before it begins', window(END, START)],
  ['a window without length', window(START, START)],
  ['a time that is none', window('tomorrow', END)],
  ['a number for a time', window(1, 2)],
  ['half a window', window(START, undefined)],
  ['no date of its own', { date: '' }],
]
for (const [what, more] of USELESS) {
  test(`an answer with ${what} suggests nothing, and the authority is asked again after six hours`, async () => {
    const now = at(30)
    const found = suggestionOf(answer(at(40), at(50), more), await issued(), now)
    assert.deepEqual(found, { renewAt: null, askAt: new Date(now.getTime() + 6 * HOUR_MS), explanation: null })
  })
}

test('the page with the reason is passed on, if it has an address', async () => {
  const chain = await issued()
  const { data } = answer(at(40), at(50)) as { data: object }
  const explained = (explanationURL: unknown) =>
    suggestionOf(answer(at(40), at(50), { data: { ...data, explanationURL } }), chain, at(30)).explanation
  assert.equal(explained('https://ca.example/why'), 'https://ca.example/why')
  for (const none of ['no address', 7, null]) assert.equal(explained(none), null)
})
