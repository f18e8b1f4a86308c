// DMARC aggregate reports that receivers send to the MX of a full process, and what accounts and the operator see of them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { dmarcReportCommands } from '../src/modules/dmarc/index.ts'
import { reporterZones, reportOutcomes, sendReport, signedReport } from './world/report-mail.ts'
import { startWorld, type World } from './world/world.ts'

const AT = 'dmarc@mail.posthorn.test'
const ROLES = { POSTHORN_ROLES: 'api,worker,mx' }
const DAY_MS = 86_400_000
const ZONES = reporterZones(['receiver.example', 'evil.example'])

interface Row {
  readonly ip: string
  readonly count: number
  readonly from: string
  readonly disposition?: string
  readonly dkim?: string
  readonly spf?: string
  readonly selector?: string
  /** Domain of the signature; default: `from`. */
  readonly signer?: string
}

function rowOf({
  ip,
  count,
  from,
  disposition = 'none',
  dkim = 'pass',
  spf = 'pass',
  selector = 'other',
  signer = from,
}: Row): string {
  return `<record><row><source_ip>${ip}</source_ip><count>${count}</count><policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated></row><identifiers><header_from>${from}</header_from></identifiers><auth_results><dkim><domain>${signer}</domain><selector>${selector}</selector><result>${dkim}</result></dkim></auth_results></record>`
}

/** A report of yesterday, by the clock of the world. */
function about(world: World, domain: string, id: string, rows: readonly Row[]): string {
  const begin = Math.floor(world.clock.now().getTime() / DAY_MS) * 86_400 - 86_400
  return `<?xml version="1.0"?><feedback><report_metadata><org_name>Receiver</org_name><email>dmarc@receiver.example</email><report_id>${id}</report_id><date_range><begin>${begin}</begin><end>${begin + 86_399}</end></date_range></report_metadata><policy_published><domain>${domain}</domain><p>none</p></policy_published>${rows.map(rowOf).join('')}</feedback>`
}

function mailOf(report: string): string {
  const packed = gzipSync(report).toString('base64').replace(/.{76}/g, '$&\r\n')
  return `From: dmarc@receiver.example\r\nSubject: Report Domain: x\r\nMIME-Version: 1.0\r\nContent-Type: application/gzip; name="x.xml.gz"\r\nContent-Transfer-Encoding: base64\r\n\r\n${packed}`
}

const FROM = 'dmarc@receiver.example'
const send = (world: World, mail: string, to = AT): Promise<string> => sendReport(world, to, FROM, mail)
const signed = (world: World, mail: string, domain = 'receiver.example'): Promise<string> =>
  signedReport(world, mail, domain)

test('a report about a verified domain is shown to its account, with its records and the DNS records that ask for it', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const place = `/api/v1/customer/domains/${id}/dmarc-reports`
  const empty = await world.api.get(place)
  assert.deepEqual([empty.status, empty.body.data, empty.body.pagination.total], [200, [], 0])
  assert.deepEqual(empty.body.record, {
    ...{ type: 'TXT', name: '_dmarc.shop.example', host: '_dmarc', ttl: 3600 },
    value: `v=DMARC1; p=none; rua=mailto:${AT}`,
  })
  assert.deepEqual(empty.body.authorization, {
    ...{ type: 'TXT', name: 'shop.example._report._dmarc.mail.posthorn.test', value: 'v=DMARC1;', ttl: 3600 },
  })
  const rows: readonly Row[] = [
    { ip: '198.51.100.9', count: 5, from: 'shop.example', dkim: 'fail', spf: 'fail', disposition: 'reject' },
    { ip: '192.0.2.1', count: 40, from: 'shop.example' },
  ]
  const one = await signed(world, mailOf(about(world, 'Shop.example', 'one', rows)))
  assert.match(await send(world, one), /^250 /)
  // Several are read at once.
  await reportOutcomes(world)
  assert.match(await send(world, `X-Other: 1\r\n${one}`, AT.toUpperCase()), /^250 /)
  assert.deepEqual(await reportOutcomes(world), ['kept', 'known'])
  const { body } = await world.api.get(place)
  assert.deepEqual(body.pagination, { page: 1, limit: 50, total: 1, pages: 1 })
  const [{ id: reportId, received_at: _at, begins_at: begins, ends_at: _ends, ...shown }] = body.data
  assert.match(begins, /T00:00:00.000Z$/)
  assert.deepEqual(shown, {
    domain: 'shop.example',
    organization: 'Receiver',
    report_id: 'one',
    contact: 'dmarc@receiver.example',
    dkim: { result: 'pass', domain: 'receiver.example', reason: null },
    policy: { domain: 'shop.example', p: 'none', sp: null, np: null, adkim: null, aspf: null, testing: false },
    messages: 45,
    passed: 40,
    quarantined: 0,
    rejected: 5,
    records_kept: 2,
  })
  const whole = (await world.api.get(`${place}/${reportId}`)).body.data
  assert.deepEqual(
    whole.records.map(({ source_ip, count, disposition }: { [name: string]: unknown }) => [
      source_ip,
      count,
      disposition,
    ]),
    [
      ['192.0.2.1', 40, 'none'],
      ['198.51.100.9', 5, 'reject'],
    ],
  )
  const other = await world.newAccount()
  await other.api.post('/api/v1/customer/domains', { domain: 'shop.example' })
  const [{ id: claimed }] = (await other.api.get('/api/v1/customer/domains')).body.data
  const theirs = `/api/v1/customer/domains/${claimed}`
  assert.deepEqual((await other.api.get(`${theirs}/dmarc-reports`)).body.data, [])
  for (const path of [place, `${place}/${reportId}`, `${theirs}/dmarc-reports/${reportId}`])
    assert.equal((await other.api.get(path)).status, 404, path)
})

test('who sends in the name of a domain is summed up from signed reports, and mail of this service is told apart', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const { dkim_selector: selector } = (await world.api.get(`/api/v1/customer/domains/${id}`)).body.data
  const ours = { ip: '192.0.2.1', from: 'shop.example', selector, spf: 'fail' }
  const forged = { ip: '2001:db8::9', from: 'shop.example', dkim: 'fail', spf: 'fail', disposition: 'quarantine' }
  // Another account may sign here too, and its signature says nothing about this domain.
  const theirs = { ip: '192.0.2.3', from: 'shop.example', signer: 'other.example', selector }
  const reports = [
    await signed(
      world,
      mailOf(
        about(world, 'shop.example', 'one', [
          { ...ours, count: 40 },
          { ...forged, count: 2 },
        ]),
      ),
    ),
    await signed(
      world,
      mailOf(
        about(world, 'shop.example', 'two', [
          { ...ours, count: 2 },
          { ...forged, count: 7 },
          { ...theirs, count: 1 },
        ]),
      ),
    ),
    mailOf(about(world, 'shop.example', 'forged', [{ ...forged, count: 1_000 }])),
  ]
  for (const one of reports) assert.match(await send(world, one), /^250 /)
  assert.deepEqual(await reportOutcomes(world), ['kept', 'kept', 'unverified'])
  const place = `/api/v1/customer/domains/${id}/dmarc-sources`
  const { body } = await world.api.get(place)
  assert.deepEqual([body.reports, body.sources], [2, 3])
  const figures = body.data.map(({ last_seen_at: _, ...source }: { readonly last_seen_at: string }) => source)
  assert.deepEqual(figures, [
    {
      ...{ source_ip: '192.0.2.1', messages: 42, passed: 42, dkim_aligned: 42, spf_aligned: 0 },
      ...{ signed_by_posthorn: 42, quarantined: 0, rejected: 0, organizations: 1 },
    },
    {
      ...{ source_ip: '2001:db8::9', messages: 9, passed: 0, dkim_aligned: 0, spf_aligned: 0 },
      ...{ signed_by_posthorn: 0, quarantined: 9, rejected: 0, organizations: 1 },
    },
    {
      ...{ source_ip: '192.0.2.3', messages: 1, passed: 1, dkim_aligned: 1, spf_aligned: 1 },
      ...{ signed_by_posthorn: 0, quarantined: 0, rejected: 0, organizations: 1 },
    },
  ])
  const today = body.period.to_date
  assert.deepEqual((await world.api.get(`${place}?from_date=${today}&to_date=${today}`)).body.data, [])
  assert.equal((await world.api.get(`${place}?from_date=2001-01-01&to_date=2001-04-01`)).status, 400)
  for (const query of [
    'from_date=9999-12-31',
    'from_date=2001-01-02&to_date=2001-01-01',
    'to_date=x',
    'from_date=0000-01-01&to_date=0000-01-03',
  ])
    assert.equal((await world.api.get(`${place}?${query}`)).status, 400, query)
  for (const query of [
    'to_date=0001-01-05',

    'from_date=9999-12-01&to_date=9999-12-31',
  ])
    assert.deepEqual((await world.api.get(`${place}?${query}`)).body.data, [], query)
})

test('an account with a name below the domain of the policy gets the records of its own mail', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('news.shop.example')
  const other = await world.newAccount()
  const above = await world.verifiedDomain('shop.example', other)
  const beside = await world.verifiedDomain('myshop.example')
  const rows: readonly Row[] = [
    { ip: '192.0.2.1', count: 3, from: 'news.shop.example' },
    { ip: '192.0.2.2', count: 4, from: 'shop.example' },
    { ip: '192.0.2.3', count: 5, from: 'unknown.shop.example' },
    { ip: '192.0.2.4', count: 6, from: 'news.shop.example.evil.example' },
    { ip: '192.0.2.5', count: 7, from: 'myshop.example' },
  ]
  await send(world, await signed(world, mailOf(about(world, 'shop.example', 'one', rows))))
  await send(world, await signed(world, mailOf(about(world, 'elsewhere.example', 'two', rows))))
  assert.deepEqual(await reportOutcomes(world), ['kept', 'unmatched'])
  const place = `/api/v1/customer/domains/${id}/dmarc-reports`
  const [mine] = (await world.api.get(place)).body.data
  assert.deepEqual([mine.domain, mine.policy.domain, mine.messages], ['news.shop.example', 'shop.example', 3])
  const { records } = (await world.api.get(`${place}/${mine.id}`)).body.data
  assert.deepEqual(
    records.map(({ source_ip: ip }: { readonly source_ip: string }) => ip),
    ['192.0.2.1'],
  )
  const [whole] = (await other.api.get(`/api/v1/customer/domains/${above}/dmarc-reports`)).body.data
  assert.deepEqual([whole.domain, whole.messages, whole.records_kept], ['shop.example', 25, 5])
  assert.deepEqual((await world.api.get(`/api/v1/customer/domains/${beside}/dmarc-reports`)).body.data, [])
})

test('what is no report leaves nothing behind, and the operator lists all others', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  await world.verifiedDomain('shop.example')
  const hostile = [
    mailOf('hello'),
    mailOf(' '.repeat(30 * 1_048_576)),
    mailOf(`<!DOCTYPE a [<!ENTITY b "c">]>${about(world, 'shop.example', 'x', [])}`),
    mailOf(about(world, "shop.example' or 1=1 --", 'x', [])),
    mailOf(about(world, '.', 'x', [])),
  ]
  for (const mail of hostile) assert.match(await send(world, mail), /^250 /)
  const rows = [{ ip: '192.0.2.1', count: 3, from: 'shop.example' }]
  await send(world, await signed(world, mailOf(about(world, 'shop.example', 'one', rows)), 'evil.example'))
  await send(world, await signed(world, mailOf(about(world, 'mail.posthorn.test', 'host', rows))))
  assert.deepEqual(await reportOutcomes(world), [
    ...['no_report', 'no_report', 'no_report', 'unmatched', 'no_report', 'unverified', 'kept'],
  ])
  const lines: string[] = []
  const [list] = dmarcReportCommands
  const context = { database: world.rooms.database, print: (line: string) => void lines.push(line) }
  await list?.run(context as never, { json: true }, [])
  const told: readonly { domain: string; dkim: object }[] = JSON.parse(lines.join(''))
  assert.deepEqual(
    told.map(({ domain, dkim }) => [domain, dkim]),
    [
      ['mail.posthorn.test', { result: 'pass', domain: 'receiver.example', reason: null }],
      ['shop.example', { result: 'fail', domain: null, reason: 'other_domain' }],
    ],
  )
})

test('words of a report that are cut within a character can be read', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const word = `${'x'.repeat(31)}\u{1f600}`
  const rows = [{ ip: '192.0.2.1', count: 3, from: 'shop.example', dkim: word, disposition: word }]
  assert.match(await send(world, await signed(world, mailOf(about(world, 'shop.example', 'one', rows)))), /^250 /)
  assert.deepEqual(await reportOutcomes(world), ['kept'])
  const { status, body } = await world.api.get(`/api/v1/customer/domains/${id}/dmarc-sources`)
  assert.deepEqual([status, body.data?.[0]?.messages], [200, 3])
  const place = `/api/v1/customer/domains/${id}/dmarc-reports`
  const [{ id: report }] = (await world.api.get(place)).body.data
  const { records } = (await world.api.get(`${place}/${report}`)).body.data
  assert.ok(records[0].disposition.isWellFormed())
})
