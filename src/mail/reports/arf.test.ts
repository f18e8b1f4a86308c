import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identifiersOf, isComplaint, isOptOut } from './arf.ts'
import { readReport } from './classify.ts'

test('a complaint tells what it is about, and the id that was in the message', () => {
  const report = readReport(
    Buffer.from(
      'From: fbl@isp.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: Abuse\r\nUser-Agent: x/1\r\nVersion: 1\r\nOriginal-Rcpt-To: a@b.example\r\nCFBL-Feedback-ID: from-report\r\nOriginal-Mail-From: <from@envelope.example>\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nX-Our-Id: from-message\r\nSubject: x\r\n\r\nhello\r\n--b--\r\n',
    ),
  )
  assert.ok(report.kind === 'complaint')
  assert.equal(report.feedback.type, 'abuse')
  assert.deepEqual(report.feedback.originalRcptTo, ['a@b.example'])
  assert.deepEqual(identifiersOf(report.feedback, report.original, ['x-our-id']), [
    'from-message',
    'from-report',
    '<from@envelope.example>',
  ])
})

test("a complaint of Microsoft's tells the address the mail came from, and the recipient that stands in it", () => {
  const notice = (subject: string, inside: string): Buffer =>
    Buffer.from(
      `From: staff@hotmail.com\r\nSubject: ${subject}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inside}From: a@shop.example\r\n\r\nhello\r\n--b--\r\n`,
    )
  const recipient = 'X-HmXmrOriginalRecipient: eve@hotmail.example\r\n'
  const both = readReport(notice('complaint about message from 192.0.2.7', recipient))
  assert.ok(both.kind === 'complaint')
  assert.deepEqual([both.feedback.sourceIp, both.feedback.originalRcptTo], ['192.0.2.7', ['eve@hotmail.example']])
  const unnamed = readReport(notice('x', recipient))
  assert.ok(unnamed.kind === 'complaint')
  assert.deepEqual([unnamed.feedback.sourceIp, unnamed.feedback.originalRcptTo], [null, ['eve@hotmail.example']])
  assert.equal(readReport(notice('x', '')).kind, 'other')
})

test('a complaint whose fields lost their type, or that has none, is one all the same', () => {
  const lost = (text: string): Buffer =>
    Buffer.from(
      `From: fbl@isp.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\n${text}\r\n--b--\r\n`,
    )
  const read = readReport(lost('Source-IP: 192.0.2.7\r\nFeedback-Type: fraud'))
  assert.ok(read.kind === 'complaint')
  assert.deepEqual([read.feedback.type, read.feedback.sourceIp], ['fraud', '192.0.2.7'])
  const bare = readReport(lost('Somebody complained.'))
  assert.ok(bare.kind === 'complaint')
  assert.equal(bare.feedback.type, 'abuse')
})

test('what no person complained of is no complaint', () => {
  const types = ['abuse', 'fraud', 'other', 'opt-out', 'opt-out-list', 'not-spam', 'auth-failure', 'virus']
  assert.deepEqual(
    types.filter((type) => isComplaint({ type })),
    ['abuse', 'fraud', 'other'],
  )
  assert.deepEqual(
    types.filter((type) => isOptOut({ type })),
    ['opt-out', 'opt-out-list'],
  )
})
