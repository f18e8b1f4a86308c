import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { parseDmarcReport, readDmarcReportMail, totalsOf } from './dmarc.ts'

const corpora = process.env['POSTHORN_CORPORA']

interface Row {
  readonly ip?: string
  readonly count?: number | string
  readonly disposition?: string
  readonly dkim?: string
  readonly spf?: string
  readonly more?: string
}

const record = ({ ip = '192.0.2.1', count = 1, disposition = 'none', dkim = 'pass', spf = 'fail', more = '' }: Row) =>
  `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>${disposition}</disposition>
   <dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row><identifiers><header_from>News.Shop.test.</header_from>
   <envelope_from>mail.test</envelope_from></identifiers><auth_results><dkim><domain>shop.test</domain><selector>ph1</selector>
   <result>pass</result></dkim><spf><domain>mail.test</domain><scope>mfrom</scope><result>pass</result></spf></auth_results>${more}</record>`
const report = (records: string, root = 'feedback') =>
  `<?xml version="1.0" encoding="UTF-8"?><${root}><version>1.0</version><report_metadata><org_name>Receiver &amp; Sons</org_name>
   <email>dmarc@receiver.test</email><report_id>r-1</report_id><date_range><begin>1767225600</begin><end>1767311999</end>
   </date_range></report_metadata><policy_published><domain>Shop.test</domain><p>none</p><sp>reject</sp><adkim>r</adkim>
   <testing>y</testing></policy_published>${records}</${root}>`
const ONE = report(record({ count: 3 }))
const base64 = (bytes: Buffer | Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\r\n')
const mail = (type: string, bytes: Buffer | Uint8Array): Buffer =>
  Buffer.from(
    `From: a@receiver.test\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(bytes)}\r\n--b--\r\n`,
  )

test('a report is read from a mail, whatever it is packed in and called', () => {
  const zipped = zipSync({ '../../receiver.test!shop.test!1!2.xml': Buffer.from(ONE) })
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(ONE.replace('UTF-8', 'UTF-16'), 'utf16le')])
  const mails = [
    mail('application/zip; name=x.zip', zipped),
    mail('application/x-zip-compressed', zipped),
    mail('application/gzip', gzipSync(ONE)),
    mail('application/octet-stream; name=x.xml.gz', gzipSync(ONE)),
    mail('text/xml; charset=utf-8', Buffer.from(ONE)),
    mail('application/xml', utf16),
    mail('application/xml', Buffer.from(`\u{feff}${ONE}`)),
    mail(
      'application/xml',
      Buffer.from(ONE.replace('<feedback>', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">')),
    ),
  ]
  for (const one of mails) {
    assert.deepEqual(readDmarcReportMail(one), {
      organization: 'Receiver & Sons',
      reportId: 'r-1',
      contact: 'dmarc@receiver.test',
      begin: new Date('2026-01-01T00:00:00Z'),
      end: new Date('2026-01-01T23:59:59Z'),
      domain: 'shop.test',
      policy: { p: 'none', sp: 'reject', np: null, adkim: 'r', aspf: null, testing: true },
      totals: { messages: 3, passed: 3, quarantined: 0, rejected: 0 },
      records: [
        {
          source_ip: '192.0.2.1',
          count: 3,
          disposition: 'none',
          dkim_aligned: true,
          spf_aligned: false,
          reasons: [],
          header_from: 'news.shop.test',
          envelope_from: 'mail.test',
          envelope_to: null,
          dkim: [{ domain: 'shop.test', selector: 'ph1', result: 'pass' }],
          spf: [{ domain: 'mail.test', scope: 'mfrom', result: 'pass' }],
        },
      ],
    })
  }
})

test('all records count, and those with the most messages are kept', () => {
  const rows = [
    ...Array.from({ length: 600 }, (_, n) => record({ ip: `192.0.2.${n % 256}`, count: 1, dkim: 'fail' })),
    record({ ip: '2001:DB8::1', count: 70, disposition: 'reject', dkim: 'fail' }),
    record({ ip: '198.51.100.7', count: 30, disposition: 'Quarantine', dkim: 'fail', spf: 'pass' }),
  ]
  const read = parseDmarcReport(Buffer.from(report(rows.join(''))))
  assert.deepEqual(read?.totals, { messages: 700, passed: 30, quarantined: 30, rejected: 70 })
  assert.deepEqual(
    read?.records.slice(0, 3).map(({ source_ip, count }) => [source_ip, count]),
    [
      ['2001:db8::1', 70],
      ['198.51.100.7', 30],
      ['192.0.2.0', 1],
    ],
  )
  assert.equal(read?.records.length, 200)
  assert.deepEqual(totalsOf(read?.records ?? []), { messages: 298, passed: 30, quarantined: 30, rejected: 70 })
})

test('what cannot be trusted in a record is left out, and the record counts', () => {
  const many = (text: string): string => text.repeat(50)
  const odd = [
    record({ ip: '<b>x</b>', count: '-5' }),
    record({ ip: 'fe80::1%eth0', count: '1e9' }),
    record({ ip: '192.0.2.300', count: 2, disposition: 'x'.repeat(400) }),
    record({
      count: '9'.repeat(15),
      more: `<constructor><prototype>1</prototype></constructor><__proto__>2</__proto__>
        <auth_results>${many('<dkim><domain>a.test</domain></dkim>')}${many('<spf><domain>a.test</domain></spf>')}</auth_results>
        <row><policy_evaluated>${many('<reason><type>other</type><comment><![CDATA[a\u2028<script>]]></comment></reason>')}</policy_evaluated></row>`,
    }),
  ]
  const read = parseDmarcReport(Buffer.from(report(odd.join(''))))
  assert.deepEqual(
    read?.records.map(({ source_ip, count }) => [source_ip, count]),
    [
      ['192.0.2.1', 1e12],
      [null, 2],
      [null, 0],
      [null, 0],
    ],
  )
  const [first, second] = read?.records ?? []
  assert.deepEqual([first?.dkim.length, first?.spf.length, first?.reasons.length], [10, 5, 5])
  assert.deepEqual(first?.reasons[0], { type: 'other', comment: 'a <script>' })
  assert.deepEqual(
    [first?.dkim[1], first?.spf[1]?.result],
    [{ domain: 'a.test', selector: null, result: 'none' }, 'none'],
  )
  assert.equal(second?.disposition.length, 32)
})

test('what is no report, is damaged, has a document type or unpacks to too much is refused', () => {
  const bomb = Buffer.alloc(20 * 1_048_576, ' ')
  const lying = Buffer.from(zipSync({ 'a.xml': Buffer.from(ONE.padEnd(5_000)) }))
  // The size in the directory of the archive, at its end.
  lying.writeUInt32LE(100, lying.lastIndexOf('PK\x01\x02') + 24)
  const laughs = `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1_000)}">]>`
  const refused: readonly (readonly [string, Buffer | Uint8Array])[] = [
    ['a bomb', gzipSync(bomb)],
    ['a bomb in a zip', zipSync({ 'a.xml': bomb })],
    ['a ratio of more than a hundred', gzipSync(report(' '.repeat(3 * 1_048_576)))],
    ['a size that is not true', lying],
    ['an archive in an archive', zipSync({ 'a.zip': zipSync({ 'b.xml': Buffer.from(ONE) }) })],
    ['an empty archive', zipSync({})],
    ['half of one', gzipSync(ONE).subarray(0, 200)],
    ['half a document', Buffer.from(ONE.slice(0, -20))],
    ['a document type', Buffer.from(laughs + ONE)],
    ['an entity', Buffer.from(ONE.replace('r-1', '&b;'))],
    ['an external one', Buffer.from(`<!DOCTYPE feedback SYSTEM "file:///etc/passwd">${ONE}`)],
    ['another root', Buffer.from(report(record({}), 'report'))],
    ['deep nesting', Buffer.from(report('<a>'.repeat(500_000)))],
    ['no domain', Buffer.from(ONE.replace('<domain>Shop.test</domain>', ''))],
    ['no id', Buffer.from(ONE.replace('r-1', ' '))],
    ['no day', Buffer.from(ONE.replace('1767225600', 'yesterday'))],
    ['a day that ends before it begins', Buffer.from(ONE.replace('1767225600', '1767312000'))],
    ['a day after 2100', Buffer.from(ONE.replace('1767311999', '999999999999'))],
    ['text', Buffer.from('hello')],
    ['nothing', Buffer.alloc(0)],
  ]
  for (const [what, bytes] of refused) {
    assert.equal(parseDmarcReport(Buffer.from(bytes)), null, what)
    assert.equal(readDmarcReportMail(mail('application/zip', bytes)), null, what)
  }
  assert.equal(readDmarcReportMail(mail('application/pdf', Buffer.from(ONE))), null)
})

test('no bytes make it throw', () => {
  const seed = Buffer.from(ONE)
  fc.assert(
    fc.property(fc.nat(seed.length - 1), fc.uint8Array({ maxLength: 40 }), fc.nat(40), (at, bytes, cut) => {
      parseDmarcReport(Buffer.concat([seed.subarray(0, at), bytes, seed.subarray(at + cut)]))
    }),
    { numRuns: 500 },
  )
})

test('the reports of other implementations read as they say', {
  skip: corpora === undefined && 'POSTHORN_CORPORA is not set',
}, () => {
  const folder = path.join(corpora ?? '', 'arf/resources/dmarc-feedback')
  const files = readdirSync(folder).filter((name) => !name.endsWith('.json'))
  assert.ok(files.length >= 10)
  const lower = (word: string): string => word.toLowerCase()
  for (const file of files) {
    const bytes = readFileSync(path.join(folder, file))
    const read = file.endsWith('.eml') ? readDmarcReportMail(bytes) : parseDmarcReport(bytes)
    const told = JSON.parse(readFileSync(path.join(folder, file.replace(/\.\w+$/, '.json')), 'utf8'))
    const { report_metadata: about, policy_published: policy } = told
    assert.deepEqual(
      [read?.reportId, read?.contact, read?.domain, read?.policy.p, read?.policy.testing],
      [about.report_id, about.email, policy.domain, lower(policy.p), policy.testing],
      file,
    )
    const { begin, end } = about.date_range
    assert.deepEqual([read?.begin, read?.end], [new Date(begin * 1_000), new Date(end * 1_000)], file)
    const facts = (row: Record<string, unknown>): string => JSON.stringify(row, Object.keys(row).sort())
    assert.deepEqual(
      read?.records
        .map(({ source_ip: ip, count, disposition, dkim_aligned: dkim, spf_aligned: spf, header_from: from }) =>
          facts({ ip, count, disposition, dkim, spf, from }),
        )
        .toSorted(),
      told.record
        // biome-ignore lint/suspicious/noExplicitAny: the material of another implementation
        .map(({ row, identifiers }: any) =>
          facts({
            ip: row.source_ip,
            count: row.count,
            disposition: lower(row.policy_evaluated.disposition),
            dkim: row.policy_evaluated.dkim === 'Pass',
            spf: row.policy_evaluated.spf === 'Pass',
            from: identifiers.header_from,
          }),
        )
        .toSorted(),
      file,
    )
    // biome-ignore lint/suspicious/noExplicitAny: the material of another implementation
    const signatures = (told.record as any[]).flatMap(({ auth_results: { dkim } }) =>
      // biome-ignore lint/suspicious/noExplicitAny: the material of another implementation
      dkim.map(({ domain, selector, result }: any) =>
        facts({ domain, selector: selector || null, result: lower(result) }),
      ),
    )
    assert.deepEqual(
      read?.records.flatMap(({ dkim }) => dkim.map((one) => facts({ ...one }))).toSorted(),
      signatures.toSorted(),
      file,
    )
  }
})
