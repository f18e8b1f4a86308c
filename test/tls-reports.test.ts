// TLS reports that others send to the MX of a full process, and what accounts and the operator see of them.

import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { tlsReportCommands } from '../src/modules/transport/index.ts'
import { reporterKey, reportOutcomes, sendReport, signedReport } from './world/report-mail.ts'
import { startWorld, type World } from './world/world.ts'
import type { Zones } from './world/zones.ts'

const AT = 'tlsrpt@mail.posthorn.test'
const LIMIT_MS = 60_000
const ROLES = { POSTHORN_ROLES: 'api,worker,mx' }
const KEY = reporterKey('tlsrpt')
const ZONES: Zones = { 'k._domainkey.company-x.example': KEY, 'k._domainkey.evil.example': KEY }

function about(domain: string, id: string, failed = 3): object {
  return {
    'organization-name': 'Company-X',
    'date-range': { 'start-datetime': '2026-04-01T00:00:00Z', 'end-datetime': '2026-04-01T23:59:59Z' },
    'contact-info': 'sts@company-x.example',
    'report-id': id,
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1'],
          'policy-domain': domain,
          'mx-host': ['mx.x'],
        },
        summary: { 'total-successful-session-count': 40, 'total-failure-session-count': failed },
        'failure-details': [{ 'result-type': 'certificate-expired', 'failed-session-count': failed }],
      },
    ],
  }
}

function mailOf(report: object | string): string {
  const text = typeof report === 'string' ? report : JSON.stringify(report)
  const packed = gzipSync(text).toString('base64').replace(/.{76}/g, '$&\r\n')
  return `From: tls@company-x.example\r\nSubject: Report Domain: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type="tlsrpt"; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\nContent-Type: application/tlsrpt+gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${packed}\r\n--b--`
}

const FROM = 'tls@company-x.example'
const send = (world: World, to: string, mail: string): Promise<string> => sendReport(world, to, FROM, mail)
const signed = (world: World, mail: string, domain = 'company-x.example', selector = 'k'): Promise<string> =>
  signedReport(world, mail, domain, selector)

test('a report about a verified domain is shown to its account, once, with the DNS record that asks for it', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const place = `/api/v1/customer/domains/${id}/tls-reports`
  const empty = await world.api.get(place)
  assert.deepEqual([empty.status, empty.body.data, empty.body.pagination.total], [200, [], 0])
  assert.deepEqual(empty.body.record, {
    type: 'TXT',
    name: '_smtp._tls.shop.example',
    host: '_smtp._tls',
    value: `v=TLSRPTv1; rua=mailto:${AT}`,
    ttl: 3600,
  })
  const one = await signed(world, mailOf(about('Shop.example', 'one')))
  assert.match(await send(world, AT, one), /^250 /)
  assert.match(await send(world, AT.toUpperCase(), `X-Other: 1\r\n${one}`), /^250 /)
  assert.match(await send(world, AT, await signed(world, mailOf(about('shop.example', 'two', 0)))), /^250 /)
  assert.deepEqual(await reportOutcomes(world), ['kept', 'known', 'kept'])
  const { body } = await world.api.get(`${place}?limit=1&page=2`)
  assert.deepEqual(body.pagination, { page: 2, limit: 1, total: 2, pages: 2 })
  const [{ id: reportId, received_at: receivedAt, ...shown }] = body.data
  assert.match(`${reportId} ${receivedAt}`, /^[0-9a-f-]{36} \d{4}-/)
  assert.deepEqual(shown, {
    domain: 'shop.example',
    organization: 'Company-X',
    report_id: 'one',
    contact: 'sts@company-x.example',
    dkim: { result: 'pass', domain: 'company-x.example', reason: null },
    begins_at: '2026-04-01T00:00:00.000Z',
    ends_at: '2026-04-01T23:59:59.000Z',
    successful_sessions: 40,
    failed_sessions: 3,
    policies: [
      {
        type: 'sts',
        strings: ['version: STSv1'],
        mx: ['mx.x'],
        successful_sessions: 40,
        failed_sessions: 3,
        failures: [
          {
            result_type: 'certificate-expired',
            sending_mta_ip: null,
            receiving_mx_hostname: null,
            receiving_ip: null,
            failed_sessions: 3,
          },
        ],
      },
    ],
  })
  const other = await world.newAccount()
  assert.equal((await other.api.get(place)).status, 404)
  await other.api.post('/api/v1/customer/domains', { domain: 'shop.example' })
  const [{ id: claimed }] = (await other.api.get('/api/v1/customer/domains')).body.data
  assert.deepEqual((await other.api.get(`/api/v1/customer/domains/${claimed}/tls-reports`)).body.data, [])
})

test('what is no report, or about a domain that nobody here has verified, is accepted and leaves nothing behind', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  await world.api.post('/api/v1/customer/domains', { domain: 'claimed.example' })
  const hostile = [
    mailOf(about('elsewhere.example', 'x')),
    mailOf(about('claimed.example', 'x')),
    mailOf(about(id, 'x')),
    mailOf(about("shop.example' or 1=1 --", 'x')),
    mailOf('\u0000'.repeat(30 * 1_048_576)),
    mailOf('['.repeat(1_000_000)),
    mailOf('{"__proto__":{"policies":[]}}'),
    'Subject: hello\r\n\r\nno report',
    mailOf(about('shop.example', 'a\u0000b\ud800')),
  ]
  for (const mail of hostile) assert.match(await send(world, AT, mail), /^250 /)
  assert.deepEqual(await reportOutcomes(world), [
    ...Array.from({ length: 4 }, () => 'unmatched'),
    ...Array.from({ length: 4 }, () => 'no_report'),
    'unverified',
  ])
  const { data } = (await world.api.get(`/api/v1/customer/domains/${id}/tls-reports`)).body
  assert.deepEqual(
    data.map(({ report_id: name }: { report_id: string }) => name),
    ['a b\ufffd'],
  )
  for (const foreign of ['tlsrpt@shop.example', 'tlsrpt+x@mail.posthorn.test', 'xtlsrpt@mail.posthorn.test'])
    assert.match(await send(world, foreign, 'x'), /^550 5\.7\.1 /)
})

test('a flood about one domain ends at 200 a day, and the operator sees reports about the host itself', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  for (let from = 0; from < 205; from += 41) {
    const some = Array.from({ length: 41 }, (_, n) => mailOf(about('shop.example', `r${from + n}`)))
    await Promise.all(some.map((mail) => send(world, AT, mail)))
  }
  assert.match(await send(world, AT, mailOf(about('mail.posthorn.test', 'host'))), /^250 /)
  const became = await reportOutcomes(world)
  assert.equal(became.filter((outcome) => outcome === 'unverified').length, 201)
  assert.equal(became.filter((outcome) => outcome === 'too_many').length, 5)
  assert.match(await send(world, AT, await signed(world, mailOf(about('shop.example', 'true')))), /^250 /)
  assert.equal((await reportOutcomes(world)).at(-1), 'kept', 'what nobody signed takes no room from what is signed')
  assert.equal((await world.api.get(`/api/v1/customer/domains/${id}/tls-reports`)).body.pagination.total, 201)
  const lines: string[] = []
  const { database } = world.rooms
  const [command] = tlsReportCommands
  const context = { database, print: (line: string) => void lines.push(line) }
  await command?.run(context as never, { domain: 'mail.posthorn.test', json: true }, [])
  const [listed = ''] = lines
  assert.deepEqual(
    JSON.parse(listed).map(({ report_id: reportId }: { report_id: string }) => reportId),
    ['host'],
  )
})

/** For each shown report, oldest first: its id, the number of failed sessions, and who signed it or why the signature failed. */
async function shown(world: World, id: string, query = ''): Promise<readonly string[]> {
  const { data } = (await world.api.get(`/api/v1/customer/domains/${id}/tls-reports${query}`)).body
  return data
    .map(({ report_id: name, failed_sessions: failed, dkim }: Record<string, never>) => {
      const { result, domain, reason } = dkim as unknown as Record<string, string | null>
      return `${name} ${failed} ${result} ${domain ?? reason}`
    })
    .reverse()
}

test('a report that its author did not sign is shown with the reason, and a signed one replaces it', async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const report = (name: string, failed?: number): string => mailOf(about('shop.example', name, failed))
  const tampered = (await signed(world, report('changed'))).replace('A report.', 'No report.')
  for (const mail of [
    report('one', 9),
    tampered,
    await signed(world, report('foreign'), 'evil.example'),
    await signed(world, report('keyless'), 'company-x.example', 'none'),
    await signed(world, report('one', 3)),
    report('one', 8),
    await signed(world, report('one', 7)),
  ]) {
    assert.match(await send(world, AT, mail), /^250 /)
    // Several are read at once, and listed as they have been read.
    await reportOutcomes(world)
  }
  const became = ['unverified', 'unverified', 'unverified', 'unverified', 'kept', 'known', 'known']
  assert.deepEqual(await reportOutcomes(world), became)
  assert.deepEqual(await shown(world, id), [
    'one 3 pass company-x.example',
    'changed 3 fail body_changed',
    'foreign 3 fail other_domain',
    'keyless 3 fail no_key',
  ])
  assert.deepEqual(await shown(world, id, '?dkim=pass'), ['one 3 pass company-x.example'])
  assert.equal((await shown(world, id, '?dkim=fail&limit=2')).length, 2)
  const path = `/api/v1/customer/domains/${id}/tls-reports`
  assert.equal((await world.api.get(`${path}?dkim=maybe`)).status, 400)
  const lines: string[] = []
  const context = { database: world.rooms.database, print: (line: string) => void lines.push(line) }
  await tlsReportCommands[0]?.run(context as never, { domain: 'shop.example' }, [])
  assert.match(lines.join('\n'), /  keyless +not verified: no_key\n[^]*  one +company-x\.example$/)
})

test("signing a report with another author's name and report id does not keep out that author's report", async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const forged = mailOf(about('shop.example', 'one', 99)).replace('tls@company-x.example', 'tls@evil.example')
  const own = mailOf(about('shop.example', 'one'))
  const later = mailOf(about('shop.example', 'one', 4))
  for (const mail of [
    await signed(world, forged, 'evil.example'),
    await signed(world, own),
    await signed(world, later),
  ]) {
    assert.match(await send(world, AT, mail), /^250 /)
    await reportOutcomes(world)
  }
  assert.deepEqual(await reportOutcomes(world), ['kept', 'kept', 'known'])
  assert.deepEqual(await shown(world, id), [
    'one 99 pass evil.example',
    'one (company-x.example) 3 pass company-x.example',
  ])
})

test('one signer is heard twenty times a day about a domain, under whatever hosts it signs, and others are still heard', async () => {
  const hosts = Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`k._domainkey.h${i}.evil.example`, KEY]))
  await using world = await startWorld({ settings: ROLES, zones: { ...ZONES, ...hosts } })
  await world.verifiedDomain('shop.example')
  for (let i = 0; i < 22; i++) {
    const mail = mailOf(about('shop.example', `r${i}`)).replace('tls@company-x.example', 'tls@evil.example')
    assert.match(await send(world, AT, await signed(world, mail, `h${i}.evil.example`)), /^250 /)
  }
  assert.match(await send(world, AT, await signed(world, mailOf(about('shop.example', 'true')))), /^250 /)
  const became = await reportOutcomes(world)
  assert.deepEqual(became.slice(-3), ['too_many', 'too_many', 'kept'])
  assert.equal(became.filter((outcome) => outcome === 'kept').length, 21)
})

test("a report whose signer's DNS is down waits for it, an hour at most, and is not lost", async () => {
  await using world = await startWorld({ settings: ROLES, zones: ZONES })
  const id = await world.verifiedDomain('shop.example')
  const name = (selector: string): string => `${selector}._domainkey.company-x.example`
  world.zones.declare({ [name('slow')]: 'timeout', [name('ill')]: 'servfail' })
  const waits = await signed(world, mailOf(about('shop.example', 'waits')), 'company-x.example', 'slow')
  const lost = await signed(world, mailOf(about('shop.example', 'never')), 'company-x.example', 'ill')
  assert.match(await send(world, AT, waits), /^250 /)
  assert.match(await send(world, AT, lost), /^250 /)
  const asked = async (selector: string, times: number, stepMs: number): Promise<void> => {
    for (const end = performance.now() + LIMIT_MS; world.zones.queries(name(selector), 'TXT') < times; ) {
      assert.ok(performance.now() < end, `${selector} was not asked for`)
      world.clock.advance(stepMs)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
  await asked('slow', 2, 5_000)
  await asked('ill', 2, 5_000)
  world.zones.declare({ [name('slow')]: KEY })
  assert.deepEqual(await reportOutcomes(world, 60_000), ['kept', 'unverified'])
  assert.deepEqual(await shown(world, id), ['waits 3 pass company-x.example', 'never 3 unknown no_answer'])
  assert.ok(world.zones.queries(name('ill'), 'TXT') <= 9, 'it is asked for less and less')
})
