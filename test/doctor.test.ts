// The doctor's findings for a healthy set-up, and for each fault that keeps mail from arriving.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { relayOf } from '../src/composition/relay.ts'
import { readConfig } from '../src/config.ts'
import { append, ensureEventPartitions } from '../src/modules/events/index.ts'
import { examineAround, examineDatabase } from '../src/operator/doctor.ts'
import { CHECK_WIDTH, type Finding } from '../src/operator/finding.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Database, statement } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { selfSigned } from '../src/platform/network/certificates.ts'
import { foreignAddresses } from '../src/platform/network/source-addresses.ts'
import { freshDb } from './world/database.ts'
import { type ReceiverScript, startReceiver } from './world/receiver.ts'
import { declaredZones, type Zones } from './world/zones.ts'

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

const GIGABYTE = 1_073_741_824

interface Situation {
  readonly zones?: Zones
  readonly settings?: Record<string, string>
  readonly greet?: (host: string, port: number, source: string | null) => Promise<string>
  readonly cert?: string | Error
  readonly freeBytes?: number
  readonly database?: Database | Error
}

const stack = new AsyncDisposableStack()
const fresh = stack.use(await freshDb())
const database = connect({ url: fresh.url, onError: () => undefined })
stack.defer(() => database.close())
after(() => stack.disposeAsync())

async function findingsOf(situation: Situation): Promise<ReadonlyMap<string, Finding>> {
  const config = readConfig({ ...SETTINGS, ...situation.settings })
  const { cert = selfSigned({ names: ['mail.example.org'] }).cert } = situation
  const options = {
    config,
    clock: systemClock(),
    resolver: declaredZones(situation.zones ?? WELL),
    relay: relayOf(config),
    diskRoom: async () => ({ folder: '/d', freeBytes: situation.freeBytes ?? 10 * GIGABYTE, keptBytes: GIGABYTE }),
    certificate: async () => {
      if (cert instanceof Error) throw cert
      return cert
    },
    greet: situation.greet ?? (async () => '220 mx.gmail.example ESMTP'),
    foreignAddresses,
  }
  const findings = [
    ...(await examineAround(options)),
    ...(await examineDatabase(situation.database ?? database, options)),
  ]
  return new Map(findings.map((finding) => [finding.check, finding]))
}

function stateOf(findings: ReadonlyMap<string, Finding>, check: string): string {
  return findings.get(check)?.state ?? 'missing'
}

test('a machine that is set up well has nothing to fix', async () => {
  const findings = await findingsOf({})
  // The test database does not wait for the disk, and says so.
  const others = [...findings.values()].filter(({ check }) => check !== 'database' && check !== 'blocklists')
  assert.deepEqual(
    others.flatMap(({ check, state }) => (state === 'ok' ? [] : [`${check} ${state}`])),
    [
      ...['relay skipped', 'DKIM of the instance skipped', 'certificate of the public address skipped'],
      ...['certificates of tracking domains skipped', 'roles skipped', 'settings of the processes skipped'],
      'followers of the log skipped',
    ],
  )
  for (const check of findings.keys()) assert.ok(check.length < CHECK_WIDTH, check)
})

test('each fault of the set-up is found, with advice on how to fix it', async () => {
  const listed = { ...WELL, '34.216.184.93.zen.spamhaus.org': { A: ['127.0.0.2'] } }
  const cases: readonly (readonly [string, string, Situation])[] = [
    ['host name', 'fail', { settings: { POSTHORN_HOSTNAME: 'localhost' } }],
    ['host name', 'fail', { settings: { POSTHORN_HOSTNAME: '192.0.2.9' } }],
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
    ['certificate', 'fail', { cert: new Error('POSTHORN_TLS_KEY_FILE: the file contains no PEM private key') }],
    ['plans', 'fail', { settings: { POSTHORN_PLANS_FILE: '/there/is/none.json' } }],
    ['source addresses', 'fail', { settings: { POSTHORN_SOURCE_IPS: '127.0.0.1,192.0.2.77' } }],
    ['source addresses', 'fail', { settings: { POSTHORN_VALIDATION_SOURCE_IPS: '192.0.2.77' } }],
    ['disk', 'warn', { freeBytes: 1.5 * GIGABYTE }],
    ['disk', 'fail', { freeBytes: 1_000_000 }],
    ['database', 'fail', { database: new Error('DATABASE_URL: connect ECONNREFUSED') }],
    ['operator address', 'warn', { settings: { POSTHORN_OPERATOR_EMAIL: '' } }],
  ]
  for (const [check, state, situation] of cases) {
    const finding = (await findingsOf(situation)).get(check)
    assert.equal(finding?.state, state, `${check}: ${finding?.found}`)
    assert.ok(finding?.advice, `${check} says what to do`)
  }
})

const IP = '93.184.216.34'
const HOST = { A: [IP], MX: ['10 mail.example.org'], TXT: ['v=spf1 a:mail.example.org -all'] }
const POOL = { POSTHORN_SOURCE_IPS: IP }

// Each row: what differs from a set-up that is well, and what the doctor says about it.
const IN_DNS: readonly (readonly [check: string, Situation, state: string, found: RegExp, advice: RegExp | null])[] = [
  [
    'blocklists',
    {
      zones: {
        ...WELL,
        'mail.example.org': { ...HOST, AAAA: ['2a00::25'] },
        '5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.a.2.zen.spamhaus.org': { A: ['127.0.0.4'] },
      },
    },
    'fail',
    /^2a00::25 at zen\.spamhaus\.org$/,
    /delisted/,
  ],
  [
    'blocklists',
    {
      zones: { ...WELL, 'mail.example.org': { ...HOST, A: [], AAAA: ['2a00::25'] } },
      settings: { POSTHORN_SOURCE_IPS: '2a00::25' },
    },
    'ok',
    /^not on zen\.spamhaus\.org, the only list that answered$/,
    null,
  ],
  ['reverse DNS', { zones: { ...WELL, [IP]: {} } }, 'fail', /has no PTR record$/, /^ask the provider of 93/],
  [
    'reverse DNS',
    { zones: { ...WELL, [IP]: { PTR: ['web.example.net'] }, 'web.example.net': { A: ['8.8.8.8'] } } },
    'fail',
    /is web\.example\.net, which resolves to 8\.8\.8\.8$/,
    /to set its PTR record to mail\.example\.org$/,
  ],
  [
    'reverse DNS',
    { settings: POOL, zones: { ...WELL, 'mail.example.org': { ...HOST, A: ['8.8.8.8'] } } },
    'fail',
    /is mail\.example\.org, which resolves to 8\.8\.8\.8$/,
    /^publish mail\.example\.org A 93\.184\.216\.34$/,
  ],
  [
    'reverse DNS',
    { zones: { ...WELL, [IP]: { PTR: ['mx7.example.org'] }, 'mx7.example.org': { A: [IP] } } },
    'warn',
    /is mx7\.example\.org, not mail\.example\.org$/,
    /to set its PTR record to mail\.example\.org/,
  ],
  [
    'reverse DNS',
    {
      zones: {
        ...WELL,
        [IP]: { PTR: ['34-216-184-93.dyn.example.net'] },
        '34-216-184-93.dyn.example.net': { A: [IP] },
      },
    },
    'fail',
    /looks like that of a dial-up line/,
    /to set its PTR record/,
  ],
  [
    'reverse DNS',
    { zones: { ...WELL, [IP]: { PTR: ['mx7.example.org'] }, 'mx7.example.org': 'servfail' } },
    'unknown',
    /mx7\.example\.org/,
    /DNS/,
  ],
  [
    'reverse DNS',
    {
      settings: { POSTHORN_SOURCE_IPS: '2A00:0:0:0::25' },
      zones: {
        ...WELL,
        'mail.example.org': { ...HOST, AAAA: ['2a00::25'] },
        '2a00::25': { PTR: ['mail.example.org'] },
      },
    },
    'ok',
    /resolve to each other$/,
    null,
  ],
  [
    'host name',
    { zones: { ...WELL, 'mail.example.org': { CNAME: ['web.example.org'] }, 'web.example.org': { A: [IP] } } },
    'warn',
    /as an alias \(CNAME\) of web\.example\.org$/,
    /^replace the CNAME of mail\.example\.org with an A record/,
  ],
  [
    'return path',
    { zones: { ...WELL, 'mail.example.org': { ...HOST, MX: ['0 .'] } } },
    'fail',
    /null MX/,
    /^publish mail\.example\.org MX 10 mail\.example\.org, and no other/,
  ],
  [
    'return path',
    { zones: { ...WELL, 'mail.example.org': { ...HOST, MX: ['20 mail.example.org', '10 mx.gmail.example'] } } },
    'fail',
    /^bounces go to mx\.gmail\.example$/,
    /and no other MX record/,
  ],
  [
    'return path',
    { zones: { ...WELL, 'mail.example.org': { ...HOST, MX: ['10 in.example.org'] }, 'in.example.org': { A: [IP] } } },
    'ok',
    /its MX record names in\.example\.org, which has its address/,
    null,
  ],
  [
    'SPF of the host name',
    { zones: { ...WELL, 'mail.example.org': { ...HOST, TXT: ['v=spf1 mx -all', 'v=spf1 a -all'] } } },
    'fail',
    /^permerror: mail\.example\.org has more than one SPF record$/,
    /^let "v=spf1 a:mail\.example\.org -all" be the only SPF record of mail\.example\.org: /,
  ],
  [
    'SPF of the host name',
    { settings: POOL, zones: { ...WELL, 'mail.example.org': { ...HOST, A: ['8.8.8.8'] } } },
    'fail',
    /^fail for 93\.184\.216\.34$/,
    /and publish mail\.example\.org A 93\.184\.216\.34: /,
  ],
]
for (const [check, situation, state, found, advice] of IN_DNS) {
  test(`${check} that ${state === 'ok' ? 'is in order' : 'is not in order'}: ${found.source}`, async () => {
    const finding = (await findingsOf(situation)).get(check)
    assert.equal(finding?.state, state, finding?.found)
    assert.match(finding?.found ?? '', found)
    if (advice === null) assert.equal(finding?.advice, null)
    else assert.match(finding?.advice ?? '', advice)
  })
}

const ORDERED = statement(
  'test_ordered_certificate',
  `insert into own_certificate (name, due_at, expires_at, error) values ('mail.example.org', now(), $1, $2)
   on conflict (name) do update set expires_at = $1, error = $2`,
)

test('the certificate for the host of the public URL is checked too: the names in the files, and the state of its order', async () => {
  const both = { POSTHORN_HTTPS_PORT: '443', POSTHORN_PUBLIC_URL: 'https://app.example.org' }
  const files = (await findingsOf({ settings: both })).get('certificate')
  assert.deepEqual([files?.state, /app\.example\.org/.test(files?.advice ?? '')], ['fail', true])
  const acme = { POSTHORN_HTTPS_PORT: '443', POSTHORN_TLS_CERT_FILE: '', POSTHORN_TLS_KEY_FILE: '' }
  const check = 'certificate of the public address'
  const look = async () => (await findingsOf({ settings: acme })).get(check)
  assert.deepEqual([(await look())?.state, (await look())?.found], ['warn', 'not requested yet'])
  const orders: readonly (readonly [until: string | null, error: string | null, state: string, found: RegExp])[] = [
    [
      null,
      'CAA forbids it',
      'fail',
      /^not issued yet; the last order failed: CAA forbids it; a self-signed certificate is served$/,
    ],
    ['2021-01-01', 'gone', 'fail', /^expired on 2021-01-01; the last order failed: gone/],
    ['2121-01-01', 'gone', 'warn', /until 2121-01-01; the last order failed: gone$/],
    ['2121-01-01', null, 'ok', /^for mail\.example\.org, until 2121-01-01$/],
  ]
  for (const [until, error, state, found] of orders) {
    await database.system.execute(ORDERED, [until, error])
    const finding = await look()
    assert.equal(finding?.state, state, finding?.found)
    assert.match(finding?.found ?? '', found)
  }
  assert.equal(stateOf(await findingsOf({ settings: acme }), 'certificate'), 'ok', 'SMTP shows it too')
})

test('an instance that does not send is not checked for its reputation', async () => {
  const findings = await findingsOf({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  assert.equal(stateOf(findings, 'port 25 out'), 'skipped')
  assert.equal(stateOf(findings, 'public address'), 'ok')
})

test('port 25 is tried from each configured address', async () => {
  const settings = { POSTHORN_SOURCE_IPS: '127.0.0.1,127.0.0.2' }
  const asked: (string | null)[] = []
  const well = await findingsOf({
    settings,
    greet: async (_host, _port, source) => {
      asked.push(source)
      return '220 mx.gmail.example ESMTP'
    },
  })
  assert.equal(stateOf(well, 'port 25 out'), 'ok')
  assert.deepEqual(asked, ['127.0.0.1', '127.0.0.2'])
  const half = await findingsOf({
    settings,
    greet: async (_host, _port, source) => {
      if (source === '127.0.0.2') throw new Error('no answer within 10 s')
      return '220 mx.gmail.example ESMTP'
    },
  })
  assert.match(half.get('port 25 out')?.found ?? '', /from 127\.0\.0\.2: no answer/)
  assert.equal(stateOf(half, 'port 25 out'), 'fail')
})

test('without a database the other checks still run', async () => {
  const findings = await findingsOf({ freeBytes: 0, database: new Error('the database in /data does not answer') })
  assert.equal(stateOf(findings, 'disk'), 'fail')
  assert.deepEqual([stateOf(findings, 'commit time'), stateOf(findings, 'clock')], ['skipped', 'skipped'])
  assert.equal(stateOf(findings, 'port 25 out'), 'ok')
})

const LOGIN = { POSTHORN_RELAY_USER: 'u', POSTHORN_RELAY_PASSWORD: 'p' }
const NEEDS_LOGIN = { login: { username: 'u', password: 'p' }, tls: true } as const

// Each row: a relay, our settings for it, and what the doctor finds.
const RELAYS: readonly (readonly [ReceiverScript | null, Record<string, string>, state: string, found: RegExp])[] = [
  [{}, {}, 'ok', /accepts mail \(without TLS\)/],
  [NEEDS_LOGIN, LOGIN, 'ok', /accepts mail \(TLSv1\.3, certificate not verified, logged in\)/],
  [null, {}, 'fail', /refused the connection/],
  [NEEDS_LOGIN, { ...LOGIN, POSTHORN_RELAY_PASSWORD: 'other' }, 'fail', /535 5\.7\.8/],
  [{ mail: '530 5.7.0 Authentication required' }, {}, 'fail', /530 5\.7\.0/],
  [{ rcpt: '454 4.7.1 <x@y.test>: Relay access denied' }, {}, 'fail', /Relay access denied/],
  [{}, { POSTHORN_RELAY_TLS: 'starttls' }, 'fail', /does not offer STARTTLS/],
  [{ login: NEEDS_LOGIN.login }, LOGIN, 'fail', /the password is not sent without TLS/],
  [{ login: NEEDS_LOGIN.login }, { ...LOGIN, POSTHORN_RELAY_TLS: 'off' }, 'ok', /logged in/],
  [{ banner: { reply: '554 no access', then: 'close' } }, {}, 'fail', /554 no access/],
  [{ rcpt: '550 5.1.1 no such user' }, {}, 'warn', /550 5\.1\.1/],
  [{}, { POSTHORN_SOURCE_IPS: '127.0.0.1,192.0.2.77' }, 'fail', /from 192\.0\.2\.77/],
  // The relay has no address of that family, so the system chooses the source address, as it does for mail.
  [{}, { POSTHORN_SOURCE_IPS: '::1' }, 'ok', /accepts mail/],
]

test('a relay is asked whether it accepts our mail, and is sent none', async () => {
  for (const [script, more, state, found] of RELAYS) {
    await using relay = await startReceiver(script ?? {})
    if (script === null) await relay.close()
    const settings = { POSTHORN_DELIVERY: `relay:127.0.0.1:${relay.port}`, ...more }
    const finding = (await findingsOf({ settings })).get('relay')
    assert.match(finding?.found ?? '', found)
    assert.equal(finding?.state, state, finding?.found)
    assert.equal(relay.messageCount, 0)
    // MAIL FROM has a sender, because many relays that accept our mail refuse the null sender.
    if (state === 'ok') assert.ok(relay.dialogue.includes('C: MAIL FROM:<postmaster@mail.example.org>'))
    assert.equal(JSON.stringify(finding).includes('other'), false)
  }
  const nowhere = await findingsOf({ settings: { POSTHORN_DELIVERY: 'relay:relay.nowhere.test:25' } })
  assert.equal(stateOf(nowhere, 'relay'), 'fail')
  const unheard = await findingsOf({
    settings: { POSTHORN_DELIVERY: 'relay:relay.nowhere.test:25' },
    zones: { 'relay.nowhere.test': 'timeout' },
  })
  assert.equal(stateOf(unheard, 'relay'), 'unknown')
})

test('bounces of relayed mail must come back too, and its links must lead somewhere', async () => {
  const settings = { POSTHORN_DELIVERY: 'relay:127.0.0.1:1', POSTHORN_PUBLIC_URL: 'http://127.0.0.1:8080' }
  const findings = await findingsOf({
    settings,
    zones: { 'mail.example.org': { A: ['93.184.216.34'], MX: ['10 mx.elsewhere.example'] } },
  })
  assert.deepEqual([stateOf(findings, 'return path'), stateOf(findings, 'public address')], ['fail', 'fail'])
  assert.deepEqual([stateOf(findings, 'port 25 out'), stateOf(findings, 'reverse DNS')], ['skipped', 'skipped'])
})

const RUN = statement(
  'test_run',
  `insert into machine (id, host, pid, roles, version, started_at, seen_at, loop_delay_ms, memory_bytes, secret_held, secret_used)
   values (gen_random_uuid(), 'here', 1, $1, '1', now(), now() - $2 * interval '1 second', 0, 0, 1, 1)`,
)
const QUEUE = statement(
  'test_queue_ready',
  `insert into queue (id, account_id, domain_id, site_id, at, state, sandbox, scheduled, recipient_key)
   values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, now(), 0, false, false, 'a@b.example')`,
)

test('a role that no process runs is named, and mail without a delivery process is a fault', async () => {
  await using own = await freshDb()
  const db = connect({ url: own.url, onError: () => undefined })
  try {
    const look = async () => (await findingsOf({ database: db })).get('roles')
    await db.system.execute(RUN, [['delivery'], 300])
    assert.equal((await look())?.state, 'skipped', 'one that has been silent for long does not run')
    await db.system.execute(RUN, [['api', 'tracking', 'submission', 'mx', 'worker'], 0])
    const idle = await look()
    assert.deepEqual([idle?.state, idle?.found], ['warn', 'not running: delivery (no mail is delivered)'])
    await db.system.execute(QUEUE)
    const waiting = await look()
    assert.deepEqual([waiting?.state, waiting?.found.endsWith('; emails ready for delivery: 1')], ['fail', true])
    await db.system.execute(RUN, [['delivery'], 0])
    assert.equal((await look())?.state, 'ok')
  } finally {
    await db.close()
  }
})

test('links are answered by a process with the role api too', async () => {
  await using own = await freshDb()
  const db = connect({ url: own.url, onError: () => undefined })
  try {
    const look = async () => (await findingsOf({ database: db })).get('roles')
    await db.system.execute(RUN, [['submission', 'mx', 'delivery', 'worker'], 0])
    assert.match((await look())?.found ?? '', /^not running: api \(.*\), tracking \(.*\)$/)
    await db.system.execute(RUN, [['api'], 0])
    assert.deepEqual([(await look())?.state, (await look())?.found], ['ok', 'all roles are running'])
  } finally {
    await db.close()
  }
})

const FOLLOWER = statement('test_follower', 'insert into follower (name) values ($1)')
const FACT = {
  accountId: systemIds().next(),
  domainId: null,
  emailId: null,
  type: 'email.unsubscribed',
  stream: 'transactional',
  sandbox: false,
  tag: null,
  data: {},
  facts: null,
} as const

for (const [secondsAgo, state, found] of [
  [5, 'ok', /^at most \d+ s behind$/],
  [90, 'warn', /^webhooks \(webhooks\) 9\d s behind$/],
  [7_200, 'fail', /^webhooks \(webhooks\) 72\d\d s behind$/],
] as const) {
  test(`a log follower that has not read an event of ${secondsAgo} s ago is ${state}`, async () => {
    await using own = await freshDb()
    const db = connect({ url: own.url, onError: () => undefined })
    const [clock, ids] = [systemClock(), systemIds()]
    try {
      const look = async () => (await findingsOf({ database: db })).get('followers of the log')
      const at = new Date(clock.now().getTime() - secondsAgo * 1_000)
      await ensureEventPartitions(db.system, at)
      await db.system.execute(FOLLOWER, ['webhooks'])
      await db.transaction((tx) => append(tx, [{ ...FACT, eventId: ids.next(), at }]))
      assert.equal((await look())?.state, 'skipped', 'no process is there to read it')
      await db.system.execute(RUN, [['worker'], 0])
      const finding = await look()
      assert.equal(finding?.state, state)
      assert.match(finding?.found ?? '', found)
    } finally {
      await db.close()
    }
  })
}

test('a read-only database is a fault', async () => {
  await using own = await freshDb()
  const admin = new pg.Client({ connectionString: own.url })
  await admin.connect()
  const { rows } = await admin.query<{ name: string }>('select current_database() as name')
  await admin.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`)
  await admin.end()
  const db = connect({ url: own.url, onError: () => undefined })
  try {
    const found = (await findingsOf({ database: db })).get('database')
    assert.deepEqual([found?.state, found?.found.endsWith('default_transaction_read_only on')], ['fail', true])
  } finally {
    await db.close()
  }
})
