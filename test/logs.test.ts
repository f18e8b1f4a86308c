// What is logged at every level: the life of each mail, by the ids of its request and its own, and no secret, no recipient
// address and no content. Whatever could be one carries a mark here, and no mark may be found in the log.

import assert from 'node:assert/strict'
import test from 'node:test'
import type { Fields, Logger } from '../src/platform/log.ts'
import { startReceiver } from './world/receiver.ts'
import { plain, smtpSession } from './world/submission.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld } from './world/world.ts'

const LIMIT_MS = 60_000

interface Line {
  readonly level: string
  readonly fields: Fields
  readonly message: string
}

function listening(lines: Line[], bound: Fields = {}): Logger {
  const at =
    (level: string) =>
    (fields: Fields, message: string): void => {
      lines.push({ level, fields: { ...bound, ...fields }, message })
    }
  const child = (fields: Fields): Logger => listening(lines, { ...bound, ...fields })
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug'), child }
}

/** Everything that a log line could show: errors with their message, stack and causes. */
function written(lines: readonly Line[]): string {
  return JSON.stringify(lines, (_name, value: unknown) =>
    value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value,
  )
}

async function until<Found>(what: () => Found | undefined): Promise<Found> {
  for (const end = Date.now() + LIMIT_MS; ; ) {
    const found = what()
    if (found !== undefined) return found
    assert.ok(Date.now() < end, `not within ${LIMIT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('each mail can be followed by its ids, whichever way it came in, and no secret is logged', async () => {
  const lines: Line[] = []
  await using hooks = await webhookReceiver()
  await using receiver = await startReceiver({ rcpt: '550 5.1.1 MARKreply no such person' })
  await using world = await startWorld({
    log: listening(lines),
    settings: {
      POSTHORN_SMTP_PORT: String(receiver.port),
      POSTHORN_METRICS_TOKEN: 'MARKmetrics',
      POSTHORN_SECRET_KEY: 'MARKsecret of an instance that nobody else has',
    },
    zones: { 'reader.example': { MX: ['10 mx.reader.example'] }, 'mx.reader.example': { A: ['127.0.0.1'] } },
  })
  const { api } = world
  await world.verifiedDomain('shop.example')
  const hook = await api.post('/api/v1/customer/webhooks', { url: `${hooks.url}?MARKhook`, events: ['*'] })
  assert.equal(hook.status, 201)
  const smtp = (await api.get('/api/v1/smtp-credentials')).body
  const mail = {
    from: 'a@shop.example',
    subject: 'MARKsubject',
    html: '<p>MARKhtml</p>',
    text: 'MARKtext',
    headers: { 'X-Own': 'MARKheader' },
    metadata: { own: 'MARKmetadata' },
    attachments: [{ filename: 'MARKfile.txt', content: Buffer.from('x').toString('base64') }],
  }
  const send = { ...mail, to: 'MARKone@reader.example' }
  const ids: [door: string, request: string, email: string][] = []
  const one = await api.post('/api/v1/send', send, { 'x-request-id': 'r-send', 'idempotency-key': 'MARKkey' })
  ids.push(['send', 'r-send', one.body.data.email_id])
  const again = await api.post('/api/v1/send', send, { 'x-request-id': 'r-again', 'idempotency-key': 'MARKkey' })
  assert.equal(again.body.data.email_id, one.body.data.email_id)
  const batch = { messages: [{ ...mail, to: 'MARKtwo@reader.example' }, { from: 'MARKwrong' }] }
  const many = await api.post('/api/v1/send/batch', batch, { 'x-request-id': 'r-batch' })
  ids.push(['batch', 'r-batch', many.body.data[0].data.email_id])
  const { from, subject, text } = mail
  const resend = await api.post(
    '/emails',
    { from, subject, text, to: 'MARKthree@reader.example' },
    { authorization: `Bearer ${world.account.apiKey}`, 'x-request-id': 'r-vendor' },
  )
  ids.push(['vendor', 'r-vendor', resend.body.id])

  const session = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await session.ask('EHLO me.example')
  assert.match(await session.ask(`AUTH PLAIN ${plain(smtp.username, 'MARKpassword')}`), /^535/)
  assert.match(await session.ask(`AUTH PLAIN ${plain(smtp.username, smtp.password)}`), /^235/)
  await session.ask('MAIL FROM:<a@shop.example>')
  await session.ask('RCPT TO:<MARKfour@reader.example>')
  await session.ask('DATA')
  const taken = await session.ask('From: a@shop.example\r\nSubject: MARKsmtp\r\n\r\nMARKbody\r\n.')
  const submitted = /^250 2\.0\.0 queued as (\S+)/.exec(taken)?.[1] ?? assert.fail(taken)
  session.close()

  const wrong: readonly [string, number, Record<string, string>][] = [
    ['/api/v1/emails', 401, { 'x-api-key': 'ph_live_MARKapikey' }],
    ['/api/v1/nothing?key=MARKquery', 404, {}],
    ['/track/c/MARKtoken', 404, {}],
  ]
  for (const [path, status, headers] of wrong) assert.equal((await api.get(path, headers)).status, status, path)
  await api.post('/api/v1/session', { email: 'MARKuser@shop.example', password: 'MARKsignin' })
  await api.post('/api/v1/smtp-credentials/rotate')

  const of = (message: string, emailId: string): Line | undefined =>
    lines.find((line) => line.message === message && line.fields['email_id'] === emailId)
  const accountId = world.account.accountId
  for (const [door, request, emailId] of ids) {
    const { level, fields } = await until(() => of('message submitted', emailId))
    assert.deepEqual([level, fields], ['info', { account_id: accountId, request_id: request, email_id: emailId }], door)
  }
  assert.equal(of('message submitted', submitted)?.fields['account_id'], accountId)
  for (const emailId of [...ids.map(([, , id]) => id), submitted]) {
    const { level, fields } = await until(() => of('delivery attempted', emailId))
    assert.equal(level, 'info')
    assert.deepEqual(
      { ...fields, host: String(fields['host']) },
      {
        account_id: accountId,
        email_id: emailId,
        attempt: 1,
        outcome: 'bounced',
        host: 'mx.reader.example',
        code: 550,
      },
    )
  }
  assert.ok(!lines.some(({ fields }) => fields['request_id'] === 'r-again'), 'a replayed answer brought no mail')
  await until(() => lines.find(({ message }) => message === 'webhook attempted'))

  const all = written(lines)
  const secrets = [world.account.apiKey, world.account.testApiKey, smtp.password, hook.body.webhook.secret]
  for (const secret of [...secrets, 'MARK']) assert.ok(!all.includes(secret), excerpt(all, secret))
})

function excerpt(all: string, secret: string): string {
  const at = all.indexOf(secret)
  return all.slice(Math.max(0, at - 200), at + 60)
}
