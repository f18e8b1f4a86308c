// Feedback about mail of an instance with the default POSTHORN_HOSTNAME, a name of a single label.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ReceivedMessage, type Receiver, startReceiver } from './world/receiver.ts'
import { mailFromNobody } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const DSN =
  'From: MAILER-DAEMON@example.net\r\nSubject: Undelivered\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; example.net\r\n\r\nFinal-Recipient: rfc822; bob@example.net\r\nAction: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 no such user\r\n\r\n--b--'
const complaint = (mail: string): string =>
  `From: fbl@example.net\r\nSubject: complaint\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nUser-Agent: x\r\nVersion: 1\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--b--`

describe('the inbound MX of an instance called localhost', () => {
  let world: World
  let mx: Receiver
  before(async () => {
    mx = await startReceiver({})
    world = await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_HOSTNAME: 'localhost', POSTHORN_SMTP_PORT: String(mx.port) },
    })
    await world.verifiedDomain('shop.example')
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  })

  const mail = (to: string, message: string): Promise<string> => mailFromNobody(world.mxPort, to, message)
  const until = async (id: string, status: string): Promise<void> => {
    let last = ''
    for (let i = 0; i < 400; i++) {
      last = (await world.api.get(`/api/v1/emails/${id}`)).body.data.status
      if (last === status) return
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    assert.equal(last, status)
  }
  const delivered = async (to: string): Promise<{ readonly id: string; readonly got: ReceivedMessage }> => {
    const message = { from: 'a@shop.example', to, subject: 's', text: 't', stream: 'broadcast' }
    const { status, body } = await world.api.post('/api/v1/send', message)
    assert.equal(status, 202, JSON.stringify(body))
    await until(body.data.email_id, 'delivered')
    const got = mx.messages.findLast(({ recipients }) => recipients.includes(to))
    return { id: body.data.email_id, got: got ?? assert.fail(`nothing came for ${to}`) }
  }

  test('a report to the return path is a bounce', async () => {
    const { id, got } = await delivered('bob@example.net')
    assert.match(got.from, /^b\+[a-z2-7]{61}@localhost$/)
    assert.match(await mail(got.from, DSN), /^250 /)
    await until(id, 'bounced')
    const [bounce] = (await world.api.get(`/api/v1/customer/bounces?email_id=${id}`)).body.data
    assert.deepEqual([bounce.source, bounce.type, bounce.suppressed], ['dsn', 'hard', true])
  })

  test('a feedback report is a complaint', async () => {
    const { id, got } = await delivered('eve@example.net')
    assert.match(await mail('FBL@LocalHost', complaint(got.data.toString('latin1'))), /^250 /)
    await until(id, 'complained')
  })

  test('mail to the address in List-Unsubscribe unsubscribes', async () => {
    const { got } = await delivered('ann@example.net')
    const [, to = ''] = /<mailto:(u\+[a-z2-7]{61}@localhost)/.exec(got.data.toString('latin1')) ?? []
    assert.match(await mail(to, 'From: ann@example.net\r\nSubject: unsubscribe\r\n\r\nx'), /^250 /)
    const { body } = await world.api.get('/api/v1/customer/unsubscribes')
    const [entry, ...more] = body.data
    assert.deepEqual([entry?.email, entry?.source, more], ['ann@example.net', 'mailto', []])
  })

  test('the mailboxes of the operator take mail, and all other recipients are refused', async () => {
    for (const local of ['postmaster', 'abuse'])
      assert.match(await mail(`${local}@localhost`, 'Subject: x\r\n\r\nx'), /^250 /)
    for (const to of ['user@localhost', 'b+aaaa@localhost', 'postmaster@elsewhere', 'fbl@', '@localhost'])
      assert.match(await mail(to, 'x'), /^5\d\d /, to)
  })
})
