// Aggregate reports about DMARC.

import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { parseDmarcReport, readDmarcReportMail, totalsOf } from '../../../src/mail/aggregate-reports/dmarc.ts'
import type { Target } from '../frame.ts'

const RECORD =
  '<record><row><source_ip>192.0.2.1</source_ip><count>3</count><policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf><reason><type>forwarded</type><comment>x</comment></reason></policy_evaluated></row><identifiers><header_from>shop.test</header_from></identifiers><auth_results><dkim><domain>shop.test</domain><selector>s</selector><result>pass</result></dkim><spf><domain>shop.test</domain><result>pass</result></spf></auth_results></record>'
const REPORT = `<?xml version="1.0"?><feedback><report_metadata><org_name>a</org_name><email>a@b.test</email><report_id>1</report_id><date_range><begin>1767225600</begin><end>1767311999</end></date_range></report_metadata><policy_published><domain>shop.test</domain><p>none</p></policy_published>${RECORD}</feedback>`
const MAIL = `From: a@b.test\nMIME-Version: 1.0\nContent-Type: application/xml\n\n${REPORT}\n`

export const target: Target = {
  name: 'dmarc',
  about: 'aggregate reports about DMARC: XML, gzip, zip, in a mail (dmarc-report, report-part)',
  seeds: [REPORT, MAIL, gzipSync(REPORT), Buffer.from(zipSync({ 'a.xml': Buffer.from(REPORT) }))],
  corpora: ['arf/resources/dmarc-feedback'],
  words: [
    RECORD,
    '<record>',
    '</record>',
    '<row>',
    '<count>99999999999999999999</count>',
    '<source_ip>::1</source_ip>',
    '<auth_results><dkim>',
    '<reason>',
    '<![CDATA[',
    ']]>',
    '<!DOCTYPE a [<!ENTITY b "c">]>',
    '&b;',
    '&#0;',
    '<a:record xmlns:a="b">',
    '<?xml version="1.1" encoding="utf-16"?>',
    'PK\x03\x04',
    'PK\x01\x02',
    '\x1f\x8b\x08',
  ],
  run: (input) => {
    const read = parseDmarcReport(input) ?? readDmarcReportMail(input)
    if (read === null) return 'none'
    assert.ok(read.records.length <= 200)
    assert.ok(read.begin <= read.end && read.domain !== '' && read.reportId !== '')
    for (const { count, dkim, spf, reasons } of read.records) {
      assert.ok(Number.isSafeInteger(count) && count >= 0)
      assert.ok(dkim.length <= 10 && spf.length <= 5 && reasons.length <= 5)
    }
    const { totals } = read
    const kept = totalsOf(read.records)
    assert.ok(totals.messages >= kept.messages && totals.messages <= 1e12)
    assert.ok([totals.passed, totals.quarantined, totals.rejected].every((some) => some <= totals.messages))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no control character may reach the database
    assert.doesNotMatch(JSON.stringify(read), /[\u0000-\u001f]|\\u00[01]/)
    return `${read.records.length > 1} ${read.totals.passed > 0} ${read.policy.p} ${read.records[0]?.disposition}`
  },
}
