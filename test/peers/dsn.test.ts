// Bounce reports from other people's mail servers: each accepts our mails, cannot deliver them for five reasons, and sends its
// reports to our return paths. Every report is matched to its email and classified, and only the right recipients are
// suppressed.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startReceiver } from '../world/receiver.ts'
import { type Bind, startBind, txt } from './bind.ts'
import { type BouncerOptions, eximBouncer, opensmtpdBouncer, postfixBouncer } from './bouncers.ts'
import { eximProgram } from './exim.ts'
import { freePort, scratch, waitFor } from './fixture.ts'
import { opensmtpdProgram } from './opensmtpd.ts'
import { type Account, type Posthorn, type Reply, startPosthorn } from './posthorn.ts'

const HOST = 'mail.posthorn.test'
const DOMAIN = 'shop.test'
const PEERS = { postfix: '127.0.0.20', exim: '127.0.0.21', opensmtpd: '127.0.0.22' } as const
type Peer = keyof typeof PEERS

// Expected bounce history: type, the categories that the report's words may give, whether the recipient is suppressed.
const CASES = {
  unknown: ['hard', ['invalid_recipient'], true],
  quota: ['soft', ['mailbox_full'], false],
  size: ['soft', ['message_too_large'], false],
  loop: ['unknown', ['protocol', 'unknown'], false],
  expiry: ['soft', ['expired', 'connection'], false],
} as const
type Case = keyof typeof CASES
/** Replies of the server behind the three. */
const REFUSALS = [['quota', '552 5.2.2 Mailbox full']] as const

const stack = new AsyncDisposableStack()
const programs: Record<Peer, boolean> = { postfix: true, exim: false, opensmtpd: false }
let posthorn: Posthorn
let account: Account
let bind: Bind
const emails = new Map<string, string>()

const call = (method: string, where: string, body?: unknown): Promise<Reply> =>
  posthorn.call(account.api_key, method, where, body)

before(async () => {
  const folder = stack.use(await scratch('dsn')).path
  const port = await freePort(PEERS.postfix)
  const mxPort = await freePort()
  const refusing = stack.use(
    await startReceiver({
      rcpt: (to) => REFUSALS.find(([label]) => to.includes(`@${label}.`))?.[1] ?? '550 5.1.1 No such user here',
    }),
  )
  const small = stack.use(await startReceiver({ size: 1_000, mail: '552 5.3.4 Message too big for this system' }))
  const options = (peer: Peer): BouncerOptions => ({
    folder,
    address: PEERS[peer],
    port,
    zone: `${peer}.test`,
    home: { host: HOST, port: mxPort },
    refusing: refusing.port,
    small: small.port,
    dead: deadPort,
  })
  const deadPort = await freePort()
  bind = stack.use(
    await startBind(folder, {
      [DOMAIN]: [],
      'posthorn.test': ['mail A 127.0.0.1'],
      ...Object.fromEntries(Object.entries(PEERS).map(([peer, ip]) => [`${peer}.test`, ['* MX 10 mx', `mx A ${ip}`]])),
    }),
  )
  posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_SMTP_PORT: String(port),
      POSTHORN_MX_PORT: String(mxPort),
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_HOSTNAME: HOST,
      POSTHORN_RATE_LIMITS: 'off',
    }),
  )
  stack.use(await postfixBouncer(options('postfix')))
  const exim = await eximProgram()
  if (exim !== null) stack.use(await eximBouncer(exim, options('exim')))
  const opensmtpd = await opensmtpdProgram()
  if (opensmtpd !== null) stack.use(await opensmtpdBouncer(opensmtpd, options('opensmtpd')))
  Object.assign(programs, { exim: exim !== null, opensmtpd: opensmtpd !== null })
  account = await posthorn.account('Shop')
  const { id } = (await call('POST', '/api/v1/customer/domains', { domain: DOMAIN })).body.data
  const { body } = await call('GET', `/api/v1/customer/domains/${id}/dns`)
  const records = body.dns_records.map(({ host, value }: { host: string; value: string }) => txt(host, value))
  await bind.publish(DOMAIN, records)
  await waitFor('verification', async () => {
    const reply = await call('POST', `/api/v1/customer/domains/${id}/verify`)
    return reply.body.verified === true
  })
  // The slowest cases first.
  for (const why of Object.keys(CASES).toReversed()) {
    for (const [peer, isThere] of Object.entries(programs)) if (isThere) await send(peer, why)
  }
})
after(() => stack.disposeAsync())

async function send(peer: string, why: string): Promise<void> {
  const mail = { from: `a@${DOMAIN}`, to: `someone.else@${why}.${peer}.test`, subject: `${why} at ${peer}` }
  const { status, body } = await call('POST', '/api/v1/send', { ...mail, text: 'Hello.\n'.repeat(1_000) })
  assert.equal(status, 202, JSON.stringify(body))
  emails.set(`${why} ${peer}`, body.data.email_id)
}

for (const peer of Object.keys(PEERS) as Peer[]) {
  for (const [why, [type, categories, suppressed]] of Object.entries(CASES) as [Case, (typeof CASES)[Case]][]) {
    test(`a report of ${peer} about ${why} is matched and of type ${type}`, { timeout: 60_000 }, async (t) => {
      if (!programs[peer]) {
        t.skip(`${peer} is not installed`)
        return
      }
      const id = emails.get(`${why} ${peer}`) ?? ''
      const bounce = await waitFor(
        'the report',
        async () => (await call('GET', `/api/v1/customer/bounces?email_id=${id}`)).body.data[0],
        50_000,
      )
      t.diagnostic(`${bounce.enhanced_code} ${bounce.category}: ${bounce.diagnostic_code}`)
      assert.equal(bounce.source, 'dsn')
      assert.equal(bounce.recipient, `someone.else@${why}.${peer}.test`)
      assert.equal(bounce.type, type)
      assert.ok((categories as readonly string[]).includes(bounce.category), bounce.category)
      const { body } = await call('GET', `/api/v1/emails/${id}`)
      assert.equal(body.data.status, 'bounced')
      const names = body.data.events.map(({ event }: { event: string }) => event)
      assert.deepEqual(names.slice(-2), ['email.delivered', 'email.bounced'])
      const listed = await call('GET', `/api/v1/customer/suppressions/${bounce.recipient}`)
      assert.equal(listed.status, suppressed ? 200 : 404)
    })
  }
}
