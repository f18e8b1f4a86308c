import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { readTlsReportMail } from './tls-mail.ts'

const FAILURE = {
  'result-type': 'certificate-expired',
  'sending-mta-ip': '2001:db8:abcd:12::1',
  'receiving-mx-hostname': 'mx1.shop.test',
  'receiving-ip': '192.0.2.7',
  'failed-session-count': 100,
}
const POLICY = {
  policy: {
    'policy-type': 'sts',
    'policy-string': ['version: STSv1', 'mode: testing'],
    'policy-domain': 'Shop.test.',
    'mx-host': '*.mail.shop.test',
  },
  summary: { 'total-successful-session-count': 5326, 'total-failure-session-count': 303 },
  'failure-details': [FAILURE],
}
const REPORT = {
  'organization-name': 'Company-X',
  'date-range': { 'start-datetime': '2026-04-01T00:00:00Z', 'end-datetime': '2026-04-01T23:59:59Z' },
  'contact-info': 'sts-reporting@company-x.example',
  'report-id': '5065427c-23d3',
  policies: [POLICY],
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
const part = (type: string, body: string): string =>
  `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n`
const whole = (...parts: readonly string[]): Buffer =>
  Buffer.from(
    `From: a@x.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type="tlsrpt"; boundary="b"\r\n\r\n${parts.map((one) => `--b\r\n${one}`).join('')}--b--\r\n`,
    'latin1',
  )
const TEXT = 'Content-Type: text/plain\r\n\r\nThis is a report.\r\n'
const mailOf = (report: unknown): Buffer =>
  whole(TEXT, part('application/tlsrpt+gzip', base64(gzipSync(JSON.stringify(report)))))

test('a report is read from a mail: packed or plain, as a part or as the whole mail', () => {
  const text = Buffer.from(JSON.stringify(REPORT))
  const alone = (type: string, body: Buffer): Buffer => Buffer.from(`From: a@x.example\r\n${part(type, base64(body))}`)
  const inner = `Content-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n${part('application/tlsrpt+json', base64(text))}--c--\r\n`
  const mails = [
    mailOf(REPORT),
    whole(TEXT, part('Application/TLSRPT+JSON; name="x.json"', base64(text))),
    whole(TEXT, part('application/gzip; name=x.json.gz', base64(gzipSync(text)))),
    alone('application/tlsrpt+gzip', gzipSync(text)),
    Buffer.from(`From: a@x.example\nContent-Type: application/tlsrpt+json\n\n${text}\n`),
    whole(TEXT, inner),
  ]
  for (const mail of mails) {
    assert.deepEqual(readTlsReportMail(mail), {
      organization: 'Company-X',
      reportId: '5065427c-23d3',
      contact: 'sts-reporting@company-x.example',
      begin: new Date('2026-04-01T00:00:00Z'),
      end: new Date('2026-04-01T23:59:59Z'),
      domains: [
        {
          domain: 'shop.test',
          successful: 5326,
          failed: 303,
          policies: [
            {
              type: 'sts',
              strings: ['version: STSv1', 'mode: testing'],
              mx: ['*.mail.shop.test'],
              successful_sessions: 5326,
              failed_sessions: 303,
              failures: [
                {
                  result_type: 'certificate-expired',
                  sending_mta_ip: '2001:db8:abcd:12::1',
                  receiving_mx_hostname: 'mx1.shop.test',
                  receiving_ip: '192.0.2.7',
                  failed_sessions: 100,
                },
              ],
            },
          ],
        },
      ],
    })
  }
})

test('a report that unpacks to too much, is nested too deep, malformed or impossible is rejected', () => {
  const packed = (text: string): Buffer => whole(part('application/tlsrpt+gzip', base64(gzipSync(text))))
  const deep = (level: number): string =>
    level === 0
      ? part('application/tlsrpt+json', base64(Buffer.from(JSON.stringify(REPORT))))
      : `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n${deep(level - 1)}\r\n--b${level}--\r\n`
  const range = (start: string, end: string): object => ({
    ...REPORT,
    'date-range': { 'start-datetime': start, 'end-datetime': end },
  })
  const summary = { 'total-successful-session-count': -1, 'total-failure-session-count': 0 }
  const rows = [
    packed(' '.repeat(30 * 1_048_576)),
    packed(`${JSON.stringify(REPORT).slice(0, -1)},"x":"${'a'.repeat(11 * 1_048_576)}"}`),
    packed('['.repeat(1_000_000)),
    packed(`{"policies":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    whole(part('application/tlsrpt+gzip', base64(gzipSync(JSON.stringify(REPORT)).subarray(0, 60)))),
    whole(part('application/tlsrpt+gzip', '')),
    whole(TEXT),
    whole(
      ...Array.from({ length: 60 }, () => TEXT),
      part('application/json', base64(Buffer.from(JSON.stringify(REPORT)))),
    ),
    Buffer.from(deep(10)),
    mailOf({ ...REPORT, policies: Array.from({ length: 101 }, () => POLICY) }),
    mailOf({ ...REPORT, policies: [{ ...POLICY, summary }] }),
    mailOf(range('1970-01-01T00:00:00Z', '2026-04-01T00:00:00Z')),
    mailOf(range('2026-04-02T00:00:00Z', '2026-04-01T00:00:00Z')),
    mailOf(range('2026-04-02T00:00:00Z', '+275760-09-13T00:00:00Z')),
    Buffer.alloc(0),
  ]
  for (const [index, mail] of rows.entries()) assert.equal(readTlsReportMail(mail), null, `row ${index}`)
})

test('the stored part of a report is bounded, and safe for the database and for display', () => {
  const long = '\u0000\u001b[31m\ud800x'.padEnd(2_000, 'y')
  const policy = {
    policy: {
      'policy-type': long,
      'policy-string': Array(30).fill(long),
      'policy-domain': 'shop.test',
      'mx-host': 7,
    },
    summary: { 'total-successful-session-count': Number.MAX_SAFE_INTEGER, 'total-failure-session-count': 1 },
    'failure-details': Array(200).fill({ ...FAILURE, 'failed-session-count': 1e300, 'receiving-ip': { a: 1 } }),
  }
  const names = { 'organization-name': long, 'report-id': long }
  const report = JSON.stringify({ ...REPORT, ...names, __proto__: null, policies: Array(50).fill(policy) })
  const told = readTlsReportMail(whole(part('application/tlsrpt+json', base64(Buffer.from(report)))))
  assert.ok(told !== null)
  const [domain] = told.domains
  assert.equal(domain?.policies.length, 10)
  assert.equal(
    domain.policies.reduce((total, { failures }) => total + failures.length, 0),
    100,
  )
  assert.ok(Number.isSafeInteger(domain.successful))
  const text = JSON.stringify(told)
  assert.ok(text.length < 200_000, `${text.length}`)
  assert.doesNotMatch(text, /\\u00[01]|\\ud8/i)
})

test('no bytes make it throw', () => {
  const seed = mailOf(REPORT)
  fc.assert(
    fc.property(fc.nat(seed.length - 1), fc.uint8Array({ maxLength: 40 }), fc.nat(40), (at, bytes, cut) => {
      readTlsReportMail(Buffer.concat([seed.subarray(0, at), bytes, seed.subarray(at + cut)]))
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.json(), (json) => {
      readTlsReportMail(whole(part('application/tlsrpt+json', base64(Buffer.from(json)))))
    }),
    { numRuns: 300 },
  )
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(POLICY.policy)), (value, key) => {
      const policy = { ...POLICY, policy: { ...POLICY.policy, [key]: value }, 'failure-details': value }
      readTlsReportMail(mailOf({ ...REPORT, policies: [policy] }))
    }),
    { numRuns: 300 },
  )
})
