// TLS and DMARC reports signed by other people's programs: OpenDKIM and Perl's Mail::DKIM, with their keys in a real BIND. Signed
// reports are verified in each canonicalization; unsigned ones, and those changed on the way or signed with SHA-1, are not. The
// dashboard counts only verified reports, and shows why the others are not.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createTransport } from 'nodemailer'
import { startBind, txt } from './bind.ts'
import { seriousFaults, startDashboard } from './dashboard.ts'
import { freePort, run, scratch, waitFor } from './fixture.ts'
import { verifiedDomain } from './signed.ts'

const HOST = 'mail.posthorn.test'
const DOMAIN = 'shop.test'
const REPORTER = 'reporter.test'
const KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const CANONICALIZATIONS = ['simple/simple', 'simple/relaxed', 'relaxed/simple', 'relaxed/relaxed']

function report(id: string): string {
  const policy = { 'policy-type': 'no-policy-found', 'policy-domain': DOMAIN }
  const summary = { 'total-successful-session-count': 5, 'total-failure-session-count': 0 }
  const text = JSON.stringify({
    'organization-name': 'Reporter',
    'date-range': { 'start-datetime': '2026-04-01T00:00:00Z', 'end-datetime': '2026-04-01T23:59:59Z' },
    'contact-info': `tls@${REPORTER}`,
    'report-id': id,
    policies: [{ policy, summary }],
  })
  const packed = gzipSync(text).toString('base64').replace(/.{76}/g, '$&\r\n')
  const head = [
    `From: "Reporter  of TLS" <tls@${REPORTER}>`,
    `To: tlsrpt@${HOST}`,
    'Date: Thu, 02 Apr 2026 00:10:00 +0000',
    `Subject: Report Domain: ${DOMAIN}`,
    ` Submitter: ${REPORTER}`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type="tlsrpt"; boundary="b"',
  ]
  const parts = `--b\r\nContent-Type: text/plain\r\n\r\nA  report. \t\r\n\r\n--b\r\nContent-Type: application/tlsrpt+gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${packed}\r\n--b--\r\n\r\n\r\n`
  return `${head.join('\r\n')}\r\n\r\n${parts}`
}

function dmarcReport(id: string, selector: string): string {
  const begin = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400
  const row = (ip: string, count: number, result: string, disposition: string): string =>
    `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>${disposition}</disposition><dkim>${result}</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>${DOMAIN}</header_from></identifiers><auth_results><dkim><domain>${DOMAIN}</domain><selector>${selector}</selector><result>${result}</result></dkim></auth_results></record>`
  const text = `<?xml version="1.0"?><feedback><report_metadata><org_name>Reporter</org_name><email>dmarc@${REPORTER}</email><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata><policy_published><domain>${DOMAIN}</domain><p>none</p></policy_published>${row('192.0.2.1', 97, 'pass', 'none')}${row('198.51.100.66', 3, 'fail', 'reject')}</feedback>`
  const packed = gzipSync(text).toString('base64').replace(/.{76}/g, '$&\r\n')
  const head = [
    `From: dmarc@${REPORTER}`,
    `To: dmarc@${HOST}`,
    `Subject: Report Domain: ${DOMAIN} Submitter: ${REPORTER} Report-ID: <${id}>`,
    'MIME-Version: 1.0',
    `Content-Type: application/gzip; name="${REPORTER}!${DOMAIN}!${begin}!${begin + 86_399}.xml.gz"`,
    'Content-Transfer-Encoding: base64',
  ]
  return `${head.join('\r\n')}\r\n\r\n${packed}\r\n`
}

async function byOpenDkim(folder: string, mail: string, canonicalization: string, selector = 'k'): Promise<string> {
  const [conf, file] = [path.join(folder, 'opendkim.conf'), path.join(folder, 'report.eml')]
  await writeFile(file, mail)
  await writeFile(
    conf,
    `Domain ${REPORTER}\nSelector ${selector}\nKeyFile ${folder}/key.pem\nRequireSafeKeys no\nMode s\nInternalHosts 0.0.0.0/0\nCanonicalization ${canonicalization}\nOversignHeaders From\n`,
  )
  const said = await run('opendkim', ['-x', conf, '-t', file, '-vvv'])
  const [, value = ''] = /hname='DKIM-Signature' hvalue='([^']+)'/.exec(said) ?? []
  assert.match(value, /b=/, said)
  return `DKIM-Signature: ${value.replaceAll('\n', '\r\n')}\r\n${mail}`
}

const PERL = `use Mail::DKIM::Signer;
my ($algorithm, $method, $key) = @ARGV;
my $signer = Mail::DKIM::Signer->new(Algorithm => $algorithm, Method => $method, Domain => '${REPORTER}', Selector => 'k', KeyFile => $key);
while (<STDIN>) { s/\\015?\\012$//; $signer->PRINT("$_\\015\\012"); }
$signer->CLOSE;
print $signer->signature->as_string;`

async function byPerl(
  folder: string,
  mail: string,
  canonicalization: string,
  algorithm = 'rsa-sha256',
): Promise<string> {
  const value = await run('perl', ['-e', PERL, algorithm, canonicalization, path.join(folder, 'key.pem')], mail)
  return `${value}\r\n${mail}`
}

test('reports signed by OpenDKIM and Mail::DKIM are verified; changed, SHA-1 and unsigned ones are not', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await scratch('reports')).path
  await writeFile(path.join(folder, 'key.pem'), KEY.privateKey.export({ type: 'pkcs1', format: 'pem' }))
  const published = KEY.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  const bind = stack.use(
    await startBind(folder, {
      [DOMAIN]: [],
      [REPORTER]: [
        txt('k._domainkey', `v=DKIM1; k=rsa; s=tlsrpt; p=${published}`),
        txt('d._domainkey', `v=DKIM1; k=rsa; p=${published}`),
      ],
    }),
  )
  const mxPort = await freePort()
  const dashboard = stack.use(
    await startDashboard('reports-posthorn', {
      POSTHORN_DELIVERY: 'sandbox',
      POSTHORN_DNS_SERVERS: bind.server,
      POSTHORN_MX_PORT: String(mxPort),
      POSTHORN_HOSTNAME: HOST,
    }),
  )
  const { posthorn } = dashboard
  const account = await dashboard.owner()
  await verifiedDomain(posthorn, account.api_key, bind, DOMAIN)
  const expected = new Map<string, string>()
  const send = async (id: string, outcome: string, mail: string): Promise<void> => {
    expected.set(id, outcome)
    await mailTo('tlsrpt', mail)
  }
  const mailTo = async (local: string, mail: string): Promise<void> => {
    const transport = createTransport({ host: '127.0.0.1', port: mxPort, ignoreTLS: true })
    await transport.sendMail({ envelope: { from: `tls@${REPORTER}`, to: [`${local}@${HOST}`] }, raw: mail })
    transport.close()
  }
  for (const method of CANONICALIZATIONS) {
    await send(`opendkim ${method}`, REPORTER, await byOpenDkim(folder, report(`opendkim ${method}`), method))
    await send(`perl ${method}`, REPORTER, await byPerl(folder, report(`perl ${method}`), method))
  }
  const changed = await byOpenDkim(folder, report('changed'), 'relaxed/relaxed')
  await send('changed', 'body_changed', changed.replace('A  report.', 'No report.'))
  await send('old', 'weak_algorithm', await byPerl(folder, report('old'), 'relaxed/relaxed', 'rsa-sha1'))
  await send('plain', 'unsigned', report('plain'))

  const { body } = await posthorn.call(account.api_key, 'GET', '/api/v1/customer/domains')
  const { id, dkim_selector: selector } = body.data[0]
  const place = `/api/v1/customer/domains/${id}/tls-reports?limit=100`
  const told = await waitFor('the reports', async () => {
    const { data } = (await posthorn.call(account.api_key, 'GET', place)).body
    return data.length === expected.size ? data : null
  })
  const outcomes = new Map<string, string>(
    told.map((one: { report_id: string; dkim: { domain: string | null; reason: string | null } }) => [
      one.report_id,
      one.dkim.domain ?? one.dkim.reason,
    ]),
  )
  assert.deepEqual(new Map([...outcomes].sort()), new Map([...expected].sort()))

  await using here = await dashboard.visit(account)
  await dashboard.open(here.page, `/domains/${id}`)
  const section = here.page.locator('section').filter({ hasText: 'TLS reports' })
  await section
    .getByText('None of 40 sessions failed in 8 reports. Not counted: 3 more that their senders did not sign.')
    .waitFor()
  assert.equal(await section.getByText(`signed by ${REPORTER}`, { exact: true }).count(), 8)
  for (const why of ['it was changed after it was signed', 'the signature is too weak', 'it is not signed'])
    await section.getByText(`not verified: ${why}`).waitFor()

  const dmarc = here.page.locator('section').filter({ hasText: 'DMARC reports' })
  await dmarc.getByText(`${DOMAIN}._report._dmarc.${HOST}`, { exact: true }).waitFor()
  await dmarc.getByText('No reports yet.').waitFor()
  // The key of TLS reports is for these alone.
  await mailTo('dmarc', await byOpenDkim(folder, dmarcReport('for TLS alone', selector), 'relaxed/relaxed'))
  await mailTo('dmarc', dmarcReport('plain', selector))
  await mailTo('dmarc', await byOpenDkim(folder, dmarcReport('one', selector), 'relaxed/simple', 'd'))
  await waitFor('the DMARC reports', async () => {
    const { data } = (await posthorn.call(account.api_key, 'GET', `/api/v1/customer/domains/${id}/dmarc-reports`)).body
    return data.length === 3 ? data : null
  })
  await here.page.reload()
  await dmarc.getByText('97.0 % of 100 messages passed DMARC in one report of the last 30 days.').waitFor()
  await dmarc
    .getByRole('row', { name: /192\.0\.2\.1 ?sent by Posthorn 97 messages .*all passed DKIM accepted/ })
    .waitFor()
  await dmarc
    .getByRole('row', { name: /198\.51\.100\.66 ?not sent by Posthorn 3 messages .*none passed – 3 rejected/ })
    .waitFor()
  await dmarc.getByRole('button', { name: 'DMARC record', exact: true }).click()
  await dmarc.getByText(`v=DMARC1; p=none; rua=mailto:dmarc@${HOST}`, { exact: true }).waitFor()
  if (process.env['POSTHORN_SHOTS'])
    await here.page.screenshot({ path: path.join(process.env['POSTHORN_SHOTS'], 'dmarc.png'), fullPage: true })
  assert.deepEqual(await seriousFaults(here.page), [])
  assert.deepEqual(here.faults, [])
})
