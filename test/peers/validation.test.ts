// Validates mailboxes at other people's mail servers: Debian's Postfix (with postgrey and a quota), Exim, OpenSMTPD, and
// Dovecot's LMTP behind a Postfix that verifies its recipients. Their domains are in BIND.

import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { startBind } from './bind.ts'
import { startDovecotLmtp } from './dovecot.ts'
import { eximProgram, startExim } from './exim.ts'
import { freePort, scratch } from './fixture.ts'
import { opensmtpdProgram, startOpensmtpd } from './opensmtpd.ts'
import { startPostfix } from './postfix.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const VALIDATE = '/api/v1/address/validate'
const HUNG_HOSTS = 20
const HUNG_PER_HOST = 5
const AT = {
  'postfix.test': '127.0.61.1',
  'exim.test': '127.0.61.2',
  'catchall.test': '127.0.61.3',
  'tarpit.test': '127.0.61.4',
  'blocking.test': '127.0.61.5',
  'opensmtpd.test': '127.0.61.6',
  'dovecot.test': '127.0.61.7',
} as const

const stack = new AsyncDisposableStack()
let posthorn: Posthorn
let key: string
let hasExim = false
let hasOpensmtpd = false

before(async () => {
  const folder = stack.use(await scratch('validation')).path
  const port = await freePort('127.0.61.1')
  const zones = Object.fromEntries(Object.entries(AT).map(([domain, ip]) => [domain, ['@ MX 10 mx', `mx A ${ip}`]]))
  const hung = Array.from({ length: HUNG_HOSTS }, (_, i) => [`h${i} MX 10 mx${i}`, `mx${i} A 127.0.62.${i + 1}`]).flat()
  const bind = stack.use(
    await startBind(folder, {
      ...zones,
      'hung.test': hung,
      'null.test': ['@ MX 0 .'],
      'nomail.test': ['www A 127.0.0.1'],
    }),
  )
  const at = (domain: keyof typeof AT) => ({ folder, address: AT[domain], port, domain })
  stack.use(await startPostfix({ ...at('postfix.test'), mailboxes: ['anna.smith'], full: 'full', greylisted: 'grey' }))
  const lmtp = stack.use(
    await startDovecotLmtp(folder, { domain: 'dovecot.test', mailboxes: ['anna.smith'], full: 'full' }),
  )
  stack.use(
    await startPostfix({
      ...at('dovecot.test'),
      folder: `${folder}/dovecot`,
      mailboxes: ['anna.smith'],
      lmtp: lmtp.port,
    }),
  )
  const exim = await eximProgram()
  hasExim = exim !== null
  if (exim !== null) {
    stack.use(await startExim(exim, { ...at('exim.test'), mailboxes: ['anna.smith'] }))
    stack.use(await startExim(exim, { ...at('catchall.test'), mailboxes: ['*'] }))
    stack.use(await startExim(exim, { ...at('tarpit.test'), mailboxes: ['anna.smith'], tarpit: 25 }))
    stack.use(
      await startExim(exim, { ...at('blocking.test'), mailboxes: ['anna.smith'], blocking: '5.7.1 you are listed' }),
    )
  }
  const opensmtpd = await opensmtpdProgram()
  hasOpensmtpd = opensmtpd !== null
  if (opensmtpd !== null) {
    stack.use(await startOpensmtpd(opensmtpd, { ...at('opensmtpd.test'), mailboxes: ['anna.smith'] }))
  }
  for (let i = 0; i < HUNG_HOSTS; i++) stack.use(await mute(`127.0.62.${i + 1}`, port))
  posthorn = stack.use(
    await startPosthorn(folder, {
      POSTHORN_DELIVERY: 'direct',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_SMTP_PORT: String(port),
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
      POSTHORN_HOSTNAME: 'mail.posthorn.test',
      POSTHORN_RATE_LIMITS: 'off',
    }),
  )
  key = (await posthorn.account()).api_key
})
after(() => stack.disposeAsync())

/** A server that accepts connections and never answers. */
async function mute(address: string, port: number): Promise<AsyncDisposable> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

type Body = Awaited<ReturnType<Posthorn['call']>>['body']

async function ask(email: string): Promise<Body> {
  const { status, body } = await posthorn.call(key, 'POST', VALIDATE, { email })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Asserts the result for an address, and whether it is valid. */
async function expect(email: string, result: string): Promise<Body> {
  const body = await ask(email)
  assert.equal(body.smtp_result, result, `${email}: ${JSON.stringify(body)}`)
  assert.equal(body.is_valid, result !== 'rejected', email)
  const checks = body.validation_checks
  const isClear = ['deliverable', 'catch_all', 'rejected'].includes(result)
  assert.deepEqual(
    [checks.smtp_check_performed, checks.mailbox_exists, checks.is_catch_all],
    [isClear, isClear && result !== 'rejected', result === 'catch_all'],
    email,
  )
  const score = body.confidence_score
  if (result === 'deliverable') assert.ok(score >= 70, email)
  else if (result === 'rejected') assert.ok(score < 30 && body.deliverability_score <= 5, email)
  else assert.ok(score >= 30 && score <= 69 && body.suggestions.length > 0, email)
  return body
}

test('Postfix: a mailbox, an unknown one, a full one', async () => {
  await expect('anna.smith@postfix.test', 'deliverable')
  await expect('nobody.there@postfix.test', 'rejected')
  const full = await expect('full@postfix.test', 'blocked')
  assert.ok(full.suggestions.some((text: string) => /full/.test(text)))
})

test('Postfix with postgrey: greylisted at first, deliverable when asked again', async () => {
  await expect('grey@postfix.test', 'greylisted')
  // postgrey accepts the same client after 3 seconds. The asking account gets a cached answer for a minute.
  const other = (await posthorn.account('Other')).api_key
  const again = async (): Promise<Body> =>
    (await posthorn.call(other, 'POST', VALIDATE, { email: 'grey@postfix.test' })).body
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  assert.equal((await again()).smtp_result, 'deliverable')
})

test('Exim: a mailbox, an unknown one, a catch-all, a tarpit, a block', async (t) => {
  if (!hasExim) return t.skip('Exim is not here')
  await expect('anna.smith@exim.test', 'deliverable')
  await expect('nobody.there@exim.test', 'rejected')
  await expect('anna.smith@catchall.test', 'catch_all')
  await expect('whoever@catchall.test', 'catch_all')
  const began = performance.now()
  await expect('anna.smith@tarpit.test', 'timeout')
  assert.ok(performance.now() - began < 10_500, 'within the budget of one address')
  const blocked = await expect('anna.smith@blocking.test', 'blocked')
  assert.ok(!JSON.stringify(blocked).includes('listed'), 'what the server said stays here')
})

test('OpenSMTPD: a mailbox, an unknown one', async (t) => {
  if (!hasOpensmtpd) return t.skip('OpenSMTPD is not here')
  await expect('anna.smith@opensmtpd.test', 'deliverable')
  await expect('nobody.there@opensmtpd.test', 'rejected')
})

test("Dovecot's LMTP behind Postfix: a mailbox, an unknown one, a full one", async () => {
  await expect('anna.smith@dovecot.test', 'deliverable')
  await expect('nobody.there@dovecot.test', 'rejected')
  const full = await expect('full@dovecot.test', 'blocked')
  assert.ok(full.suggestions.some((text: string) => /full/.test(text)))
})

test('the DNS can decide before any server is asked', async () => {
  for (const domain of ['null.test', 'nomail.test', 'nowhere.postfix.test']) {
    const body = await ask(`anna@${domain}`)
    assert.deepEqual([body.is_valid, body.smtp_result, body.deliverability_score], [false, 'skipped', 0], domain)
  }
})

test('100 hanging probes do not slow down a healthy one, and their batch is answered within its time limit', async () => {
  const emails = Array.from({ length: HUNG_HOSTS * HUNG_PER_HOST }, (_, i) => `a${i}@h${i % HUNG_HOSTS}.hung.test`)
  const began = performance.now()
  const batch = posthorn.call(key, 'POST', `${VALIDATE}/batch`, { emails })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const times: number[] = []
  for (let i = 0; i < 10; i++) {
    const at = performance.now()
    const { smtp_result: result } = await ask(`nobody${i}@postfix.test`)
    assert.equal(result, 'rejected')
    times.push(performance.now() - at)
  }
  const slowest = Math.max(...times)
  const { status, body } = await batch
  assert.ok(performance.now() - began < 30_000)
  assert.equal(status, 200)
  assert.deepEqual(
    body.results.map(({ email }: Body) => email),
    emails,
  )
  assert.ok(body.results.every(({ is_valid, smtp_result }: Body) => is_valid && smtp_result === 'timeout'))
  assert.deepEqual(body.summary, { total: 100, valid: 0, invalid: 0, unknown: 100 })
  // Postfix waits a second before it refuses a recipient.
  assert.ok(slowest < 2_500, `the slowest healthy one took ${Math.round(slowest)} ms`)
})
