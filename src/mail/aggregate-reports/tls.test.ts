import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseTlsReport, tlsReportAddresses } from './tls.ts'

test('report addresses: by mail, by HTTPS, at most two', () => {
  const of = (record: string) => tlsReportAddresses([record]).map(({ scheme, target }) => `${scheme} ${target}`)
  assert.deepEqual(of('v=TLSRPTv1;rua=mailto:reports@example.com'), ['mailto reports@example.com'])
  assert.deepEqual(of('v=TLSRPTv1; rua=mailto:a%21b@example.com?x=1 , https://r.example.com/v1/tls'), [
    'mailto a!b@example.com',
    'https https://r.example.com/v1/tls',
  ])
  assert.deepEqual(of('v=TLSRPTv1; rua=mailto:a@x.test,mailto:b@x.test,mailto:c@x.test').length, 2)
  for (const none of [
    'v=TLSRPTv2; rua=mailto:a@x.test',
    'v=TLSRPTv1; rua=',
    'v=TLSRPTv1; rua=ftp://x.test',
    'rua=mailto:a@x.test',
  ]) {
    assert.deepEqual(of(none), [], none)
  }
  assert.deepEqual(tlsReportAddresses(['v=TLSRPTv1; rua=mailto:a@x.test', 'v=TLSRPTv1; rua=mailto:b@x.test']), [])
})

test('a record with very many blanks is read in linear time', () => {
  const blanks = ' '.repeat(1_000_000)
  for (const record of [`v=TLSRPTv1; rua=${blanks}a${blanks}\n`, `v=TLSRPTv1; rua=x,${blanks}y`]) {
    assert.deepEqual(tlsReportAddresses([record]), [])
  }
})

const REPORT = {
  'organization-name': 'Company-X',
  'date-range': { 'start-datetime': '2026-04-01T00:00:00Z', 'end-datetime': '2026-04-01T23:59:59Z' },
  'contact-info': 'sts-reporting@company-x.example',
  'report-id': '5065427c-23d3',
  policies: [
    {
      policy: { 'policy-type': 'sts', 'policy-string': ['version: STSv1'], 'policy-domain': 'company-y.example' },
      summary: { 'total-successful-session-count': 5326, 'total-failure-session-count': 303 },
    },
  ],
}

test('a report is read packed or plain, and anything else is rejected', () => {
  const text = JSON.stringify(REPORT)
  assert.deepEqual(parseTlsReport(Buffer.from(text)), REPORT)
  assert.deepEqual(parseTlsReport(gzipSync(text)), REPORT)
  const without = (key: keyof typeof REPORT): string => JSON.stringify({ ...REPORT, [key]: undefined })
  for (const broken of ['', '{', '[]', 'null', without('policies'), without('date-range'), without('report-id')]) {
    assert.equal(parseTlsReport(Buffer.from(broken)), null, broken)
  }
  const policy = REPORT.policies[0]
  const of = (policies: unknown): string => JSON.stringify({ ...REPORT, policies })
  for (const broken of [
    JSON.stringify({ ...REPORT, 'date-range': { ...REPORT['date-range'], 'start-datetime': 'yesterday' } }),
    JSON.stringify({ ...REPORT, 'date-range': { ...REPORT['date-range'], 'end-datetime': undefined } }),
    JSON.stringify({ ...REPORT, 'organization-name': 7 }),
    of({}),
    of([policy, null]),
    of([{ ...policy, policy: undefined }]),
    of([{ ...policy, summary: undefined }]),
    of([{ ...policy, policy: { 'policy-type': 'sts' } }]),
    of([{ ...policy, policy: { 'policy-domain': 'company-y.example' } }]),
    of([{ ...policy, summary: { 'total-successful-session-count': -1, 'total-failure-session-count': 0 } }]),
  ]) {
    assert.equal(parseTlsReport(Buffer.from(broken)), null, broken)
  }
  assert.equal(parseTlsReport(gzipSync(text).subarray(0, 40)), null)
  assert.equal(parseTlsReport(Buffer.from(text.replace('5326', '"many"'))), null)
})

test('a report that unpacks to more than 10 MB is rejected', () => {
  const text = JSON.stringify({ ...REPORT, 'contact-info': 'a'.repeat(11 * 1_048_576) })
  assert.equal(parseTlsReport(gzipSync(text)), null)
})
