// The doctor's findings for a set-up that is well, and for each fault that keeps mail from arriving.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import { examine, type Finding } from '../src/operator/doctor.ts'
import { selfSigned } from '../src/platform/certificates.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect } from '../src/platform/db.ts'
import { freshDb } from './database.ts'
import { declaredZones, type Zones } from './zones.ts'

const WELL: Zones = {
  'mail.example.org': {
    A: ['93.184.216.34'],
    MX: ['10 mail.example.org'],
    TXT: ['v=spf1 a:mail.example.org -all'],
  },
  '93.184.216.34': { PTR: ['mail.example.org'] },
  'gmail.com': { MX: ['5 mx.gmail.example'] },
  'mx.gmail.example': { A: ['142.250.1.27'] },
}
const SETTINGS = {
  POSTHORN_DELIVERY: 'direct',
  POSTHORN_HOSTNAME: 'mail.example.org',
  POSTHORN_PUBLIC_URL: 'https://mail.example.org',
  POSTHORN_OPERATOR_EMAIL: 'ops@example.org',
  POSTHORN_TLS_CERT_FILE: '/cert.pem',
  POSTHORN_TLS_KEY_FILE: '/key.pem',
}

interface Situation {
  readonly zones?: Zones
  readonly settings?: Record<string, string>
  readonly greet?: () => Promise<string>
  readonly cert?: string
  readonly freeBytes?: number
}

const stack = new AsyncDisposableStack()
const fresh = stack.use(await freshDb())
const database = connect({ url: fresh.url, onError: () => undefined })
stack.defer(() => database.close())
after(() => stack.disposeAsync())

async function findingsOf(situation: Situation): Promise<ReadonlyMap<string, Finding>> {
  const findings = await examine({
    config: readConfig({ ...SETTINGS, ...situation.settings }),
    clock: systemClock(),
    resolver: declaredZones(situation.zones ?? WELL),
    database,
    freeBytes: async () => situation.freeBytes ?? 10 * 1_073_741_824,
    certificate: async () => situation.cert ?? selfSigned({ names: ['mail.example.org'] }).cert,
    greet: situation.greet ?? (async () => '220 mx.gmail.example ESMTP'),
  })
  return new Map(findings.map((finding) => [finding.check, finding]))
}

function stateOf(findings: ReadonlyMap<string, Finding>, check: string): string {
  return findings.get(check)?.state ?? 'missing'
}

test('a machine that is set up well has nothing to mend', async () => {
  const findings = await findingsOf({})
  // The test database of this suite does not wait for the disk, and says so.
  const others = [...findings.values()].filter(({ check }) => check !== 'database' && check !== 'blocklists')
  assert.deepEqual(
    others.filter(({ state }) => state !== 'ok'),
    [],
  )
})

test('each fault of the set-up is found, and said what to do about', async () => {
  const listed = { ...WELL, '34.216.184.93.zen.spamhaus.org': { A: ['127.0.0.2'] } }
  const cases: readonly (readonly [string, string, Situation])[] = [
    ['host name', 'fail', { settings: { POSTHORN_HOSTNAME: 'localhost' } }],
    ['host name', 'fail', { zones: { ...WELL, 'mail.example.org': { MX: ['10 mail.example.org'] } } }],
    ['reverse DNS', 'fail', { zones: { ...WELL, '93.184.216.34': { PTR: ['host-34.provider.example'] } } }],
    [
      'return path',
      'fail',
      { zones: { ...WELL, 'mail.example.org': { A: ['93.184.216.34'], MX: ['10 mx.elsewhere.example'] } } },
    ],
    ['SPF of the host name', 'warn', { zones: { ...WELL, 'mail.example.org': { A: ['93.184.216.34'] } } }],
    ['port 25 out', 'fail', { greet: () => Promise.reject(new Error('no answer within 10 s')) }],
    ['port 25 out', 'fail', { greet: async () => '554 5.7.1 your address is listed' }],
    ['port 25 out', 'unknown', { zones: {} }],
    ['blocklists', 'fail', { zones: listed }],
    ['public address', 'fail', { settings: { POSTHORN_PUBLIC_URL: 'http://127.0.0.1:8080' } }],
    ['public address', 'warn', { settings: { POSTHORN_PUBLIC_URL: 'http://mail.example.org' } }],
    ['certificate', 'fail', { cert: selfSigned({ names: ['other.example.org'] }).cert }],
    [
      'certificate',
      'fail',
      { cert: selfSigned({ names: ['mail.example.org'], notAfter: new Date('2021-01-01') }).cert },
    ],
    ['disk', 'warn', { freeBytes: 1_000_000 }],
    ['operator address', 'warn', { settings: { POSTHORN_OPERATOR_EMAIL: '' } }],
  ]
  for (const [check, state, situation] of cases) {
    const finding = (await findingsOf(situation)).get(check)
    assert.equal(finding?.state, state, `${check}: ${finding?.found}`)
    assert.ok(finding?.advice, `${check} says what to do`)
  }
})

test('an instance that sends nothing is not asked about its standing', async () => {
  const findings = await findingsOf({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  assert.equal(stateOf(findings, 'port 25 out'), 'skipped')
  assert.equal(stateOf(findings, 'public address'), 'ok')
})
