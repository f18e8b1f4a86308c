// TLS as receivers require it: DANE with zones that BIND serves signed and unbound validates, MTA-STS with policies from a web
// server, and Debian's Postfix as every host. Mail that a policy forbids is kept back, and never sent in cleartext.

import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Bind, startBind } from './bind.ts'
import { startUnbound, type ZoneKey, zoneKey } from './dnssec.ts'
import { freePort, run, scratch, waitFor } from './fixture.ts'
import { type Mailboxes, startPostfix } from './postfix.ts'
import { type Account, type Posthorn, type Reply, startPosthorn } from './posthorn.ts'
import { verifiedDomain } from './signed.ts'

const DOMAIN = 'shop.test'
/** Hosts with a self-signed certificate, with one of the authority, and without TLS; and the web server. */
const [OWN, ISSUED, CLEAR, WEB] = ['127.0.0.30', '127.0.0.31', '127.0.0.32', '127.0.0.33']
const SIGNED = 'signed.test'
const STS = 'sts.test'
const BOGUS = `bogus.${SIGNED}`
const EXPIRED = `expired.${SIGNED}`
const PLAIN = `plain.${SIGNED}`

interface Case {
  readonly what: string
  readonly domain: string
  /** Verification of the delivery's TLS, `clear` without TLS; or a pattern of the reason why the mail is kept back. */
  readonly ends: string | RegExp
}

const CASES: readonly Case[] = [
  { what: 'a certificate that the signed zone names', domain: `ok.${SIGNED}`, ends: 'dane' },
  { what: 'a certificate that the signed zone does not name', domain: `wrong.${SIGNED}`, ends: /required by DANE/ },
  { what: 'TLSA records and a host without STARTTLS', domain: `clear.${SIGNED}`, ends: /STARTTLS/ },
  { what: 'a signed zone without TLSA records', domain: `none.${SIGNED}`, ends: 'none' },
  { what: 'a signed alias of a signed host, whose TLSA records go before', domain: `through.${SIGNED}`, ends: 'dane' },
  { what: 'an address that was forged in a signed zone', domain: BOGUS, ends: /DNSSEC: the addresses of/ },
  { what: 'signatures that have expired', domain: EXPIRED, ends: /DNSSEC: the MX records of/ },
  { what: 'TLSA records of another key in a zone that is not signed', domain: PLAIN, ends: 'none' },
  { what: 'a policy in force and a certificate for the host', domain: `ok.${STS}`, ends: 'mta_sts' },
  {
    what: 'a policy in force that names another host',
    domain: `other.${STS}`,
    ends: /policy .* does not name mx\.other/,
  },
  { what: 'a policy in force and a certificate of nobody', domain: `own.${STS}`, ends: /SELF_SIGNED.*MTA-STS/ },
  { what: 'a policy in force and a host without STARTTLS', domain: `clear.${STS}`, ends: /STARTTLS/ },
  { what: 'a policy under test and a host without STARTTLS', domain: `testing.${STS}`, ends: 'clear' },
  { what: 'a policy from a web server that nobody knows', domain: `stranger.${STS}`, ends: 'none' },
]
const boxOf = ({ domain }: Case): string => domain.replaceAll('.', '-')
const POLICIES: Readonly<Record<string, readonly [mode: string, mx: string]>> = {
  ok: ['enforce', `*.ok.${STS}`],
  other: ['enforce', 'mx.elsewhere.test'],
  own: ['enforce', `mx.own.${STS}`],
  clear: ['enforce', `mx.clear.${STS}`],
  testing: ['testing', `mx.testing.${STS}`],
  stranger: ['enforce', 'mx.elsewhere.test'],
}

const stack = new AsyncDisposableStack()
const ids = new Map<Case, string>()
let folder: string
let bind: Bind
let postfix: Mailboxes
let posthorn: Posthorn
let account: Account
/** True: an address in the zone BOGUS is changed after signing. */
let forged = true
let records: readonly string[]

const call = (method: string, where: string, body?: unknown): Promise<Reply> =>
  posthorn.call(account.api_key, method, where, body)

/** Issues `<name>.crt` and `<name>.key`. @param by the authority; null: self-signed */
async function issue(name: string, hosts: readonly string[], by: string | null): Promise<void> {
  const at = (file: string): string => path.join(folder, file)
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', at(`${name}.key`)]
  const issuer = by === null ? [] : ['-CA', at(`${by}.crt`), '-CAkey', at(`${by}.key`)]
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  const limits = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:FALSE']
  const more = [...issuer, ...(hosts.length === 0 ? [] : limits)]
  await run('openssl', [
    'req',
    '-x509',
    ...more,
    ...key,
    '-days',
    '2',
    '-subj',
    `/CN=${name}`,
    '-out',
    at(`${name}.crt`),
  ])
}

/** Serves the policy of each `mta-sts.<label>.sts.test`; `stranger` has a self-signed certificate. */
async function startPolicies(): Promise<void> {
  const read = (file: string): Promise<string> => readFile(path.join(folder, file), 'utf8')
  const server = createServer({ key: await read('web.key'), cert: await read('web.crt') }, (asked, answer) => {
    const [, label = ''] = /^mta-sts\.([a-z]+)\.sts\.test$/.exec(asked.headers.host ?? '') ?? []
    const [mode, mx] = POLICIES[label] ?? []
    const isPolicy = asked.url === '/.well-known/mta-sts.txt' && mode !== undefined
    answer.writeHead(isPolicy ? 200 : 404, { 'content-type': 'text/plain' })
    answer.end(isPolicy ? `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: 86400\r\n` : 'no')
  })
  server.addContext(`mta-sts.stranger.${STS}`, { key: await read('stranger.key'), cert: await read('stranger.crt') })
  server.listen(443, WEB)
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
}

const mx = (label: string, address = OWN): readonly string[] => [
  `${label} MX 10 mx.${label}`,
  `mx.${label} A ${address}`,
]

before(async () => {
  folder = stack.use(await scratch('transport')).path
  await issue('authority', [], null)
  await issue('mx', [`mx.ok.${STS}`], 'authority')
  const webs = Object.keys(POLICIES).filter((label) => label !== 'stranger')
  await issue(
    'web',
    webs.map((label) => `mta-sts.${label}.${STS}`),
    'authority',
  )
  await issue('stranger', [`mta-sts.stranger.${STS}`], null)
  await startPolicies()
  const port = await freePort(OWN)
  const issued = { smtpd_tls_cert_file: path.join(folder, 'mx.crt'), smtpd_tls_key_file: path.join(folder, 'mx.key') }
  const [first, ...others] = CASES.map(({ domain }) => domain)
  postfix = stack.use(
    await startPostfix({
      folder,
      address: OWN,
      port,
      domain: first ?? '',
      alsoDomains: others,
      alsoAt: [
        { address: ISSUED, settings: issued },
        { address: CLEAR, settings: { smtpd_tls_security_level: 'none' } },
      ],
      mailboxes: CASES.map(boxOf),
    }),
  )
  const unbound = await startZones(port)
  posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_DNSSEC_SERVERS: unbound,
      POSTHORN_SMTP_PORT: String(port),
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_HOSTNAME: 'mail.posthorn.test',
      POSTHORN_RATE_LIMITS: 'off',
      NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.crt'),
    }),
  )
  account = await posthorn.account('Shop')
  await verifiedDomain(posthorn, account.api_key, bind, DOMAIN)
  for (const row of CASES) {
    const mail = { from: `a@${DOMAIN}`, to: `${boxOf(row)}@${row.domain}`, subject: row.what, text: 'Hello.' }
    const { status, body } = await call('POST', '/api/v1/send', mail)
    assert.equal(status, 202, JSON.stringify(body))
    ids.set(row, body.data.email_id)
  }
})
after(() => stack.disposeAsync())

/** `signed.test` is the only trust anchor; below it are two signed zones that fail to validate, and an unsigned one. */
async function startZones(port: number): Promise<string> {
  const tlsa = (host: string, digest: Buffer): string => `_${port}._tcp.${host} TLSA 3 1 1 ${digest.toString('hex')}`
  const certificate = new X509Certificate(await readFile(path.join(folder, 'postfix', 'tls.crt')))
  const own = createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
  const keys = new Map<string, ZoneKey>()
  for (const zone of [SIGNED, BOGUS, EXPIRED]) keys.set(zone, await zoneKey(folder, zone))
  const below = (zone: string): readonly string[] => [
    `${zone}. NS ns.${zone}.`,
    `ns.${zone}. A 127.0.0.1`,
    ...(keys.get(zone)?.ds ?? []),
  ]
  records = ['@ MX 10 mx', `mx A ${OWN}`, tlsa('mx', own)]
  const policies = Object.keys(POLICIES).flatMap((label) => [
    `mta-sts.${label} A ${WEB}`,
    `_mta-sts.${label} TXT "v=STSv1; id=1"`,
  ])
  const hosts = { ok: ISSUED, other: ISSUED, own: OWN, clear: CLEAR, testing: CLEAR, stranger: OWN }
  const zones = {
    [DOMAIN]: [],
    'posthorn.test': ['mail A 127.0.0.1'],
    [SIGNED]: [
      ...['ok', 'wrong', 'none'].flatMap((label) => mx(label)),
      ...mx('clear', CLEAR),
      ...['ok', 'clear'].map((label) => tlsa(`mx.${label}`, own)),
      ...['wrong', 'through'].map((label) => tlsa(`mx.${label}`, randomBytes(32))),
      'through MX 10 mx.through',
      'mx.through CNAME mx.ok',
      ...[BOGUS, EXPIRED, PLAIN].flatMap(below),
    ],
    [BOGUS]: records,
    [EXPIRED]: records,
    [PLAIN]: ['@ MX 10 mx', `mx A ${OWN}`, tlsa('mx', randomBytes(32))],
    [STS]: [...Object.entries(hosts).flatMap(([label, address]) => mx(label, address)), ...policies],
  }
  bind = stack.use(
    await startBind(folder, zones, async (zone, file) => {
      await keys.get(zone)?.sign(file, zone === EXPIRED ? ['-s', '20200101000000', '-e', '20200201000000'] : [])
      if (zone !== BOGUS || !forged) return
      const text = await readFile(file, 'utf8')
      const changed = text.replace(new RegExp(`(\\sA\\s+)${OWN}`), `$1${CLEAR}`)
      assert.notEqual(changed, text)
      await writeFile(file, changed)
    }),
  )
  const names = Object.keys(zones)
  const anchors = [keys.get(SIGNED)?.anchor ?? '']
  return stack.use(await startUnbound({ folder, authority: bind.port, zones: names, anchors })).server
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
async function story(row: Case): Promise<any> {
  return (await call('GET', `/api/v1/emails/${ids.get(row)}`)).body.data
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
const named = (email: any, name: string): any[] => email.events.filter(({ event }: { event: string }) => event === name)

const LIMIT_MS = 90_000
const isKept = ({ ends }: Case): boolean => typeof ends !== 'string'

/** Triggers retries at once, rather than in minutes, until `isSo` accepts the email. */
async function tried<T>(row: Case, what: string, isSo: (email: Record<string, unknown>) => T | false): Promise<T> {
  const ask = async (): Promise<T | false> => {
    const email = await story(row)
    const found = isSo(email)
    if (found === false && email.status === 'deferred') await call('POST', `/api/v1/emails/${ids.get(row)}/retry`)
    return found
  }
  return waitFor(what, ask, LIMIT_MS)
}

async function arrived(row: Case): Promise<string> {
  const email = await tried(row, 'delivery', (found) => found['status'] === 'delivered' && found)
  await waitFor('the mailbox', async () => (await postfix.messages(boxOf(row))).length === 1)
  return named(email, 'email.delivered')[0].data.tls?.verified ?? 'clear'
}

for (const row of CASES) {
  const { what, ends } = row
  if (typeof ends === 'string') {
    test(`${what}: delivered`, { timeout: LIMIT_MS + 30_000 }, async () => {
      assert.equal(await arrived(row), ends)
    })
    continue
  }
  test(`${what}: kept back with the reason, at a second try too`, { timeout: LIMIT_MS + 30_000 }, async () => {
    await tried(row, `two deferrals that say ${ends}`, (email) => {
      assert.deepEqual(named(email, 'email.delivered'), [])
      return named(email, 'email.deferred').filter(({ data }) => ends.test(data.response)).length > 1
    })
  })
}

test('no host sees the envelope of a mail that is kept back', { timeout: 60_000 }, async () => {
  for (const row of CASES.filter(isKept)) assert.deepEqual(await postfix.messages(boxOf(row)), [], row.what)
  const envelopes = async (): Promise<number> => {
    const log = await readFile(path.join(folder, 'postfix', 'maillog'), 'utf8')
    return log.match(/smtpd\[\d+\]: [^ ]+: client=/g)?.length ?? 0
  }
  const delivered = CASES.filter((row) => !isKept(row)).length
  await waitFor('the log', async () => (await envelopes()) >= delivered)
  assert.equal(await envelopes(), delivered)
})

test('once the zone validates again, its mail is delivered', { timeout: LIMIT_MS + 60_000 }, async () => {
  const row = CASES.find(({ domain }) => domain === BOGUS)
  assert.ok(row !== undefined)
  forged = false
  await bind.publish(BOGUS, records)
  assert.equal(await arrived(row), 'dane')
})
