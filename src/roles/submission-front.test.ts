import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { selfSigned } from '../../test/certificate.ts'
import { plain, smtpSession, submissionWorld, USER } from '../../test/submission.ts'
import { ApiError } from '../platform/errors.ts'

const MAIL = 'From: a@shop.example\r\nSubject: x\r\n\r\nhello\r\n'
const SUBMISSION_PRINCIPAL = {
  accountId: '018f0000-0000-7000-8000-000000000001',
  keyId: null,
  mode: 'live' as const,
  scopes: ['full'],
  domainIds: null,
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex')

test('sessions in a thread of their own: what is answered 250 is stored, byte by byte, small and large together', async () => {
  await using world = await submissionWorld({ inThread: true })
  const bodies = [1, 20, 900, 20_000, 60_000].map(
    (lines, n) => `.${n}\r\n${`${n}.${'y'.repeat(70)}\r\n`.repeat(lines)}`,
  )
  const submit = async (body: string, n: number): Promise<string> => {
    const smtp = await world.session()
    await smtp.ask('MAIL FROM:<a@shop.example>')
    await smtp.ask(`RCPT TO:<b${n}@example.net>`)
    await smtp.ask('DATA')
    const answer = await smtp.ask(`From: a@shop.example\r\nSubject: x\r\n\r\n.${body}.`)
    smtp.close()
    return answer
  }
  const answers = await Promise.all([...bodies, ...bodies].map(submit))
  const stored = await world.mails()
  for (const [n, answer] of answers.entries()) {
    const id = /^250 2\.0\.0 queued as (\S+)/.exec(answer)?.[1]
    const mail = stored.find((one) => one.id === id)
    assert.equal(mail?.recipient, `b${n}@example.net`, answer)
    const body = mail?.message.slice(mail.message.indexOf('\r\n\r\n') + 4)
    assert.equal(sha256(body ?? ''), sha256(bodies[n % bodies.length] ?? ''), `message ${n}`)
  }
  assert.equal(stored.length, answers.length)
})

test('sessions in a thread of their own: every no of the house comes as it is', async () => {
  let room = false
  let login: 'ok' | 'suspended' | 'down' = 'ok'
  let rate: ApiError | null = new ApiError(429, 'rate_limit_exceeded', 'too fast')
  await using world = await submissionWorld({
    inThread: true,
    hasRoom: () => room,
    takeRate: async () => rate,
    authenticate: async ({ password }) => {
      if (login === 'down') throw new Error('down')
      if (login === 'suspended') return { kind: 'suspended' }
      return password === USER.password ? { kind: 'ok', principal: SUBMISSION_PRINCIPAL } : { kind: 'refused' }
    },
  })
  const smtp = await smtpSession(world.tlsPort, { secure: true })
  await smtp.ask('EHLO client.test')
  const auth = (password: string): Promise<string> => smtp.ask(`AUTH PLAIN ${plain(USER.username, password)}`)
  assert.match(await auth('wrong'), /^535 5\.7\.8/)
  login = 'down'
  assert.match(await auth(USER.password), /^451 4\.3\.0/)
  login = 'suspended'
  assert.match(await auth(USER.password), /^535 5\.7\.8 the account is suspended/)
  login = 'ok'
  assert.match(await auth(USER.password), /^235/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^452 4\.3\.1/)
  room = true
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^451 4\.7\.0 too fast \(rate_limit_exceeded\)/)
  rate = null
  assert.match(await smtp.ask('MAIL FROM:<a@elsewhere.example>'), /^550 5\.7\.1/)
  assert.match(await smtp.ask('MAIL FROM:<a@shop.example>'), /^250/)
  assert.match(await smtp.ask('RCPT TO:<b@example.net>'), /^250/)
  await smtp.ask('DATA')
  assert.match(await smtp.ask('Subject: no sender\r\n\r\nx\r\n.'), /^550 5\.7\.1 the message has no From/)
  assert.deepEqual(await world.mails(), [])
})

test('sessions in a thread of their own: a renewed certificate is shown, and a stop waits for the message under way', async () => {
  await using world = await submissionWorld({ inThread: true })
  const idle = await world.session()
  const busy = await world.session()
  await busy.ask('MAIL FROM:<a@shop.example>')
  await busy.ask('RCPT TO:<b@example.net>')
  await busy.ask('DATA')
  busy.write(MAIL)

  const renewed = selfSigned({ names: ['mail.test'] })
  world.service.useCertificate(renewed)
  const fresh = await smtpSession(world.port)
  await fresh.ask('EHLO client.test')
  await fresh.ask('STARTTLS')
  assert.equal(
    new X509Certificate(await fresh.secure()).fingerprint256,
    new X509Certificate(renewed.cert).fingerprint256,
  )
  fresh.close()

  const stopped = world.service.stop(AbortSignal.timeout(60_000))
  assert.match(await idle.reply(), /^421 4\.3\.2/)
  assert.match(await busy.ask('.'), /^250 2\.0\.0 queued as /)
  assert.match(await busy.reply(), /^421/)
  idle.close()
  busy.close()
  await stopped
  assert.equal((await world.mails()).length, 1)
})
