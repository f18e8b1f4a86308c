// The promises of the report reader for any input: it does not throw, it keeps its limits, types follow from categories, and
// all kinds of line ends give the same result.

import assert from 'node:assert/strict'
import { type Report, readReport } from '../../src/mail/reports/classify.ts'
import { bounceTypeOf } from '../../src/mail/smtp/bounce.ts'

const KINDS = ['bounce', 'delayed', 'delivered', 'complaint', 'auto_reply', 'other']

/** @returns the sort of report */
export function readAndCheck(input: Buffer): string {
  const report = readReport(input)
  check(report)
  const text = input.toString('latin1')
  // A lone CR among other line ends is ambiguous, a character or a line end: the reader promises nothing for it.
  if (!text.includes('\r')) {
    for (const end of ['\r\n', '\r']) {
      assert.deepEqual(
        readReport(Buffer.from(text.replaceAll('\n', end), 'latin1')),
        report,
        'another result by line ends',
      )
    }
  }
  if (!('recipients' in report))
    return report.kind === 'complaint' ? `complaint ${report.feedback.type.slice(0, 12)}` : report.kind
  const [first] = report.recipients
  return `${report.kind} ${first?.verdict.category} ${first?.command} ${report.recipients.length > 1}`
}

function check(report: Report): void {
  assert.ok(KINDS.includes(report.kind))
  if ('original' in report) assert.ok(report.original.every(([name]) => name === name.toLowerCase()))
  if (report.kind === 'complaint') {
    assert.ok(report.feedback.incidents >= 1)
    assert.ok(report.feedback.originalRcptTo.length <= 300)
  }
  if (!('recipients' in report)) return
  assert.ok(report.recipients.length <= 100)
  for (const { action, smtpCode, enhanced, diagnostic, verdict } of report.recipients) {
    assert.equal(verdict.type, bounceTypeOf(verdict.category))
    if (action === 'delivered') assert.equal(verdict.category, 'unknown')
    assert.ok(smtpCode === null || (smtpCode >= 400 && smtpCode <= 599))
    assert.ok(enhanced === null || /^[245]\.\d{1,3}\.\d{1,3}$/.test(enhanced))
    assert.ok(diagnostic === null || diagnostic.length <= 8_192)
  }
}
