// Complaints.

import { identifiersOf } from '../../../src/mail/reports/arf.ts'
import { type Report, readReport } from '../../../src/mail/reports/classify.ts'
import type { Target } from '../frame.ts'
import { readAndCheck } from '../report-promises.ts'

const REPORT = (type: string, more = ''): string =>
  `From: <abusedesk@example.com>\nDate: Mon, 2 Mar 2026 10:00:00 +0000\nSubject: FW: Earn money\nTo: <fbl@mail.test>\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=feedback-report; boundary="p"\n\n--p\nContent-Type: text/plain\n\nThis is an email abuse report.\n\n--p\nContent-Type: message/feedback-report\n\nFeedback-Type: ${type}\nUser-Agent: SomeGenerator/1.0\nVersion: 1\nOriginal-Mail-From: <b+abc@mail.test>\nOriginal-Rcpt-To: <user@example.com>\nArrival-Date: Mon, 2 Mar 2026 09:00:00 -0400 (EDT)\nSource-IP: 192.0.2.1\nIncidents: 1\n${more}\n--p\nContent-Type: message/rfc822\n\nReturn-Path: <b+abc@mail.test>\nCFBL-Feedback-ID: b+abc\nX-Posthorn-ID: b+abc\nFrom: a@shop.test\nSubject: Earn money\n\nbuy\n--p--\n`

export const target: Target = {
  name: 'arf',
  about: 'complaints: ARF, CFBL, Microsoft and Amazon notices (arf, ses-notice, report)',
  seeds: [
    REPORT(
      'abuse',
      'Reported-Domain: shop.test\nReported-URI: http://shop.test/\nRemoval-Recipient: user@example.com\n',
    ),
    REPORT('not-spam'),
    REPORT('auth-failure', 'Auth-Failure: dmarc\nDKIM-Domain: shop.test\nDelivery-Result: reject\n'),
    REPORT('xyz', 'CFBL-Feedback-ID: b+abc\n'),
    'From: staff@hotmail.com\nSubject: complaint about message from 192.0.2.1\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: message/rfc822\n\nX-HmXmrOriginalRecipient: user@hotmail.com\nFrom: a@shop.test\n\nx\n--m--\n',
    '\n{"notificationType":"Complaint","complaint":{"complaintFeedbackType":"abuse","complainedRecipients":[{"emailAddress":"a@b.test"}]}}\n',
  ],
  corpora: ['arf/resources/arf'],
  words: [
    'Feedback-Type: abuse\n',
    'Feedback-Type: opt-out\n',
    'Content-Type: message/feedback-report\n\n',
    'Content-Type: message/rfc822\n\n',
    'report-type=feedback-report',
    'Incidents: 99999999999\n',
    'CFBL-Feedback-ID: b+\n',
    'Original-Rcpt-To: <a@b.test>\n',
    'Arrival-Date: ',
    '--p\n',
    '--p--\n',
    '\n\n',
    '{"notificationType":"Complaint"',
    '{"eventType":"Bounce","bounce":null}',
    '\n ',
  ],
  run: (input) => {
    const sort = readAndCheck(input)
    const report: Report = readReport(input)
    if (report.kind === 'complaint') identifiersOf(report.feedback, report.original, ['return-path', 'x-posthorn-id'])
    return sort
  },
}
