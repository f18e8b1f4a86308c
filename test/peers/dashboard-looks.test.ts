// Layout and wording of pages: what belongs together is together, nothing jumps, nothing is covered, a row on a phone has two
// lines, and no text claims more than is known.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBind, txt } from './bind.ts'
import { type Dashboard, type Owner, seriousFaults, settled, startDashboard } from './dashboard.ts'
import { scratch, waitFor } from './fixture.ts'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1440, height: 900 }
/** Two lines of text with their spacing and the border. */
const TWO_LINES_PX = 62

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  // The webhooks of this test go to this machine.
  dashboard = stack.use(await startDashboard('looks', { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' }))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

async function send({ test_api_key: key }: Owner, mail: object): Promise<string> {
  const body = { from: 'a@b.example', to: 'jo@example.net', subject: 'Hi', text: 'Hi', html: '<p>Hi</p>', ...mail }
  const sent = await call(key, 'POST', '/api/v1/send', body)
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  return sent.body.data.email_id
}

/** Waits until the email has this status. */
function ended({ test_api_key: key }: Owner, id: string, status: string): Promise<unknown> {
  return waitFor(
    status,
    async () => (await call(key, 'GET', `/api/v1/emails/${id}`)).body.data.status === status || undefined,
  )
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox()
  assert.ok(box !== null, selector)
  return box
}

test("a page's actions are beside its title, at the right edge, however long its description is", async () => {
  const who = await dashboard.owner()
  const id = await send(who, { to: 'bounce@sandbox.test' })
  await ended(who, id, 'bounced')
  const domain = await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  for (const where of ['/', `/domains/${domain.body.data.id}`, `/emails/${id}`, '/bounces']) {
    await dashboard.open(page, where)
    const [title, actions] = [await boxOf(page, 'main h1'), await boxOf(page, 'main > div:first-of-type > :last-child')]
    const content = await boxOf(page, 'main > div:first-of-type')
    assert.ok(Math.abs(actions.y - title.y) < 12, `${where}: ${actions.y} beside ${title.y}`)
    assert.ok(Math.abs(actions.x + actions.width - content.x - content.width) < 2, where)
  }
  assert.deepEqual(here.faults, [])
})

test('a row on a phone has two lines, whatever its content', async () => {
  const who = await dashboard.owner()
  const long = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.example`
  await ended(who, await send(who, { to: long, subject: 'word '.repeat(190).trim() }), 'delivered')
  await ended(who, await send(who, { to: 'complain+somebody.of.long.name@sandbox.test' }), 'complained')
  await ended(who, await send(who, { to: 'jo@example.net', subject: '' }), 'delivered')
  await using here = await dashboard.visit(who, { viewport: PHONE })
  const { page } = here
  for (const where of ['/emails', '/events', '/inbox']) {
    await dashboard.open(page, where)
    await page.locator('[data-row]').nth(2).waitFor()
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('[data-row]')].map((row) => row.clientHeight)`,
    )
    assert.ok(Math.max(...heights) <= TWO_LINES_PX, `${where}: ${heights.join(' ')}`)
  }
  assert.deepEqual(here.faults, [])
})

test("the subject has more room than the receiver's response and a long address", async () => {
  const who = await dashboard.owner()
  const to = 'bounce+of.somebody.with.a.rather.long.name@sandbox.test'
  await ended(who, await send(who, { to, subject: 'Invoice 2026-118 for March' }), 'bounced')
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const width of [800, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await dashboard.open(page, '/emails')
    await page.getByRole('link', { name: 'Invoice 2026-118 for March', exact: true }).waitFor()
    const cut = await page.evaluate<number>(
      `{ const link = document.querySelector('[data-row] a'); link.scrollWidth - link.clientWidth }`,
    )
    assert.equal(cut, 0, `${width} px`)
  }
  assert.deepEqual(here.faults, [])
})

test('an email is above its webhook deliveries, and does not move when these load', async () => {
  const who = await dashboard.owner()
  const hook = { url: 'http://127.0.0.1:9/', name: 'Only domains', events: ['domain.verified'] }
  await call(who.api_key, 'POST', '/api/v1/customer/webhooks', hook)
  const id = await send(who, {})
  await ended(who, id, 'delivered')
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  const held = Promise.withResolvers<void>()
  await page.route('**/deliveries?**', async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(`${dashboard.posthorn.url}/emails/${id}`)
  await page.getByRole('heading', { name: 'Webhook deliveries', exact: true }).waitFor()
  const before = await boxOf(page, 'iframe')
  held.resolve()
  await page.getByText('Nothing sent for this email.', { exact: true }).waitFor()
  await settled(page)
  assert.deepEqual(await boxOf(page, 'iframe'), before)
  await page.getByRole('button', { name: 'Dark', exact: true }).click()
  await page.getByText(/^This email has no dark style/).waitFor()
  const told = await page.getByRole('heading', { name: 'Webhook deliveries', exact: true }).boundingBox()
  assert.ok(told !== null && told.y > (await boxOf(page, 'iframe')).y)
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('an event about an address shows its reason, and a complaint is as red as in every other list', async () => {
  const who = await dashboard.owner()
  await ended(who, await send(who, { to: 'complain@sandbox.test', subject: 'Unwanted' }), 'complained')
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/events?event=suppression.created')
  await page.getByRole('row', { name: /suppression added complaint/ }).waitFor()
  assert.equal(await page.getByText('(no subject)').count(), 0)
  await dashboard.open(page, '/bounces')
  await page.getByRole('row', { name: /▲ complaint complain@sandbox\.test|complaint complain@sandbox\.test/ }).waitFor()
  assert.match((await page.locator('[data-row] .text-bad').first().innerText()).trim(), /complaint$/)
  assert.deepEqual(here.faults, [])
})

test('an event that is not about one email links to its subject, and a phone shows the whole address', async () => {
  const who = await dashboard.owner()
  const address = 'somebody.with.a.rather.long.name@example.net'
  for (const list of ['suppressions', 'unsubscribes'])
    await call(who.api_key, 'POST', `/api/v1/customer/${list}`, { email: address })
  await using here = await dashboard.visit(who, { viewport: PHONE })
  const { page } = here
  for (const [event, words, list] of [
    ['suppression.created', 'manual', 'Suppressed addresses'],
    ['email.unsubscribed', 'api', 'Unsubscribed addresses'],
  ] as const) {
    await dashboard.open(page, `/events?event=${event}`)
    await page.getByRole('link', { name: `${address} · ${words}`, exact: true }).click()
    await page.getByRole('table', { name: list }).getByText(address).waitFor()
    await page.getByRole('button', { name: 'Remove', description: address, exact: true }).waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('an endpoint that refuses everything is failing, one that answered 410 is disabled, and equal responses are shown once', async () => {
  const who = await dashboard.owner()
  let works = false
  const receiver = createServer((request, response) => {
    request.resume()
    response.writeHead(works ? 200 : request.url === '/gone' ? 410 : 500).end('out of order')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', () => resolve()))
  try {
    const { port } = receiver.address() as { port: number }
    const add = async (name: string) =>
      (
        await call(who.api_key, 'POST', '/api/v1/customer/webhooks', {
          ...{ name, events: ['*'], url: `http://127.0.0.1:${port}/${name.toLowerCase()}` },
        })
      ).body.data.id
    const failing = await add('Broken')
    await add('Gone')
    await call(who.api_key, 'POST', '/api/v1/customer/suppressions', { email: 'gone@example.net' })
    await using here = await dashboard.visit(who)
    const { page } = here
    await dashboard.open(page, '/webhooks')
    await page.getByRole('row', { name: /^Broken .* failing / }).waitFor({ timeout: 60_000 })
    await page.getByRole('row', { name: /^Gone .* disabled automatically / }).waitFor({ timeout: 60_000 })
    await dashboard.open(page, `/webhooks/${failing}`)
    await page.getByText('500 · out of order', { exact: true }).first().waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Actions', exact: true }).count(), 1)
    await page.getByRole('list', { name: 'Reasons' }).getByText('500 · out of order', { exact: true }).waitFor()
    works = true
    await page.getByRole('button', { name: 'Replay all', exact: true }).click()
    await page.getByText('Replaying 1 event.', { exact: true }).waitFor()
    await page
      .getByRole('heading', { name: 'Failed deliveries', exact: true })
      .waitFor({ state: 'detached', timeout: 60_000 })
    assert.deepEqual(here.faults, [])
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test('failed deliveries of an endpoint are grouped by reason, and one action replays them all', async () => {
  const who = await dashboard.owner()
  const given = { name: 'Broken', events: ['*'], url: 'http://127.0.0.1:9/' }
  const { id } = (await call(who.api_key, 'POST', '/api/v1/customer/webhooks', given)).body.data
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Tokyo' })
  const { page } = here
  const row = (number: number, others: object) => ({
    ...{ id: `d${number}`, event_id: `e${number}`, event: 'email.delivered', email_id: null, attempt: 8 },
    ...{ status: 'failed', http_status: 500, error: 'answered with 500', response_body: 'out of order' },
    ...{ duration_ms: 3, next_attempt_at: null, created_at: `2026-03-01T09:${10 + (number % 50)}:30.000Z` },
    ...others,
  })
  const away = {
    http_status: null,
    error: 'connect ECONNREFUSED',
    response_body: null,
    status: 'pending',
    event: 'email.opened',
  }
  const rows = Array.from({ length: 243 }, (_, i) => row(i, i < 3 ? away : {}))
  let told = false
  await page.route('**/deliveries?**', async (route) => {
    const status = new URL(route.request().url()).searchParams.get('status')
    const taken = told ? rows.map((one) => ({ ...one, status: 'success', http_status: 200, error: null })) : []
    const data = status === 'success' ? taken : rows.filter((one) => status === null || one.status === status)
    const pagination = { total: data.length, limit: 1_000, offset: 0, next_cursor: null }
    await route.fulfill({ json: { data: data.slice(0, status === null ? 50 : 1_000), pagination } })
  })
  await dashboard.open(page, `/webhooks/${id}`)
  await page.getByText('240 events failed after all retries, and 3 events will be retried automatically.').waitFor()
  const reasons = page.getByRole('list', { name: 'Reasons' }).getByRole('listitem')
  assert.match(await reasons.nth(0).innerText(), /^500 · out of order\s+240 events, /)
  assert.match(await reasons.nth(1).innerText(), /^connect ECONNREFUSED\s+3 events, /)
  assert.equal(await reasons.count(), 2)
  const table = page.getByRole('table', { name: 'Deliveries', exact: true })
  assert.equal(await table.getByText('500 · out of order', { exact: true }).count(), 1)
  assert.equal(await table.getByText('as above', { exact: true }).count(), 48)
  assert.deepEqual(await seriousFaults(page), [])
  const since = page.getByLabel('Failed since', { exact: true })
  assert.equal(await since.inputValue(), '2026-03-01T18:09', 'a minute before the first one, in the zone of who looks')
  const asked = page.waitForRequest(/\/replay$/)
  told = true
  await page.getByRole('button', { name: 'Replay all', exact: true }).click()
  const { from, events } = (await asked).postDataJSON()
  assert.deepEqual([from, events], ['2026-03-01T09:09:00.000Z', ['email.delivered', 'email.opened']])
  await page.getByRole('heading', { name: 'Failed deliveries', exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(here.faults, [])
})

test('captured emails can be read one after the other with j and k, or with links', async () => {
  const who = await dashboard.owner()
  for (const subject of ['One', 'Two', 'Three']) await ended(who, await send(who, { subject }), 'delivered')
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/inbox')
  await page.getByRole('link', { name: 'Three', exact: true }).click()
  const at = (name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
  await at('Three')
  await page.getByRole('link', { name: 'Older', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Newer', exact: true }).count(), 0)
  await page.keyboard.press('j')
  await at('Two')
  await page.keyboard.press('j')
  await at('One')
  await page.getByRole('link', { name: 'Newer', exact: true }).click()
  await at('Two')
  await page.keyboard.press('k')
  await at('Three')
  await page.goBack()
  await at('Two')
  await page.reload()
  await at('Two')
  assert.deepEqual(here.faults, [])
})

test('an absent optional record is not missing, and without a DNS answer no record is called absent', async () => {
  const who = await dashboard.owner()
  const { id } = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.route(`**/domains/${id}/dns`, async (route) => {
    const answer = await (await route.fetch()).json()
    const looked = { found: [], last_checked_at: '2026-01-01T00:00:00.000Z' }
    for (const record of [...answer.data.dns_records, ...answer.data.optional_records])
      Object.assign(record, looked, { status: record.purpose === 'spf' ? 'error' : 'missing' })
    await route.fulfill({ json: answer })
  })
  await dashboard.open(page, `/domains/${id}`)
  const record = (name: RegExp) => page.getByRole('listitem').filter({ hasText: name })
  const spf = record(/^SPF/)
  await spf.getByText('Not known yet: the DNS did not answer.').waitFor()
  assert.equal(await spf.getByText('No record was found.').count(), 0)
  await record(/^Ownership/)
    .locator('.text-bad', { hasText: 'missing' })
    .waitFor()
  await page.getByText(/^\d+ optional records: \d+ not set$/).click()
  await record(/^BIMI optional/)
    .getByText('not set', { exact: false })
    .waitFor()
  assert.equal(
    await record(/^BIMI optional/)
      .locator('.text-bad')
      .count(),
    0,
  )
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('a record at another name says where it stands, and a suspended domain that its mail is refused', async () => {
  const folder = stack.use(await scratch('named')).path
  await using bind = await startBind(folder, { example: [], 'shop.example': [] })
  await using there = await startDashboard('named', {
    POSTHORN_DNS_SERVERS: bind.server,
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
  })
  const who = await there.owner()
  const ask = (...given: [method: string, where: string, body?: unknown]) => there.posthorn.call(who.api_key, ...given)
  const domains = '/api/v1/customer/domains'
  const { id } = (await ask('POST', domains, { domain: 'shop.example' })).body.data
  const { dns_records: records } = (await ask('GET', `${domains}/${id}/dns`)).body
  const publish = (name: (host: string) => string) =>
    bind.publish(
      'shop.example',
      records.map((record: { host: string; value: string }) => txt(name(record.host), record.value)),
    )
  await publish((host) => (host === '@' ? host : `${host}.shop.example`))
  await ask('POST', `${domains}/${id}/verify`)
  await using here = await there.visit(who)
  const { page } = here
  await there.open(page, `/domains/${id}`)
  await page.getByText(/it stands at _dmarc\.shop\.example\.shop\.example: give it the name _dmarc$/).waitFor()
  await page
    .getByText(/it stands at _posthorn-verify\.shop\.example\.shop\.example: give it the name _posthorn-verify$/)
    .waitFor()
  await publish((host) => host)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByText('3 of 3 required records are in place: you can send from this domain.').waitFor()
  await there.posthorn.cli('domain', 'set-status', id, 'suspended')
  await page.reload()
  await page.getByText('The operator has suspended this domain: email from it is refused.').waitFor()
  assert.equal(await page.getByText('you can send from this domain').count(), 0)
  assert.deepEqual(here.faults, [])
})

test('a record shows its name for both kinds of provider forms; optional records are folded away unless one is wrong', async () => {
  const who = await dashboard.owner()
  const given = { domain: 'mail.shop.example' }
  const { id } = (await call(who.api_key, 'POST', '/api/v1/customer/domains', given)).body.data
  await using here = await dashboard.visit(who, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = here
  let bimi = 'missing'
  await page.route(`**/domains/${id}/dns`, async (route) => {
    const answer = await (await route.fetch()).json()
    for (const record of answer.data.optional_records) record.status = record.purpose === 'bimi' ? bimi : 'missing'
    await route.fulfill({ json: answer })
  })
  await dashboard.open(page, `/domains/${id}`)
  const record = (name: RegExp) => page.getByRole('listitem').filter({ hasText: name })
  const copied = async (what: string): Promise<string> => {
    await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  assert.equal(await copied('the name of SPF'), 'mail.shop.example')
  assert.equal(await copied('the host of SPF'), 'mail')
  await record(/^SPF/).getByText('if the form adds .shop.example automatically').waitFor()
  assert.equal(await record(/^BIMI/).isVisible(), false)
  bimi = 'mismatch'
  await page.reload()
  await record(/^BIMI/).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('a template with a list is previewed with a sample, which can be changed; broken JSON is reported', async () => {
  const who = await dashboard.owner()
  const html =
    '<p>Dear {{name}}</p>{{#items}}<p>{{title}} x {{count}}</p>{{/items}}<a href="{{unsubscribe}}">no more</a>'
  const template = await call(who.api_key, 'POST', '/api/v1/templates', { name: 'Order', subject: 'Order', html })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/templates/${template.body.data.id}`)
  const items = page.getByLabel('items', { exact: true })
  assert.equal(await items.inputValue(), '[{"title":"title","count":"count"}]')
  for (const absent of ['title', 'count', 'unsubscribe'])
    assert.equal(await page.getByLabel(absent, { exact: true }).count(), 0, absent)
  const shown = page.frameLocator('iframe')
  await shown.getByText('title x count', { exact: true }).waitFor()
  await page.getByText('No value for: name. A send without them leaves these variables empty.').waitFor()
  await items.fill('[{"title":"Boots","count":2}')
  await page.getByText(/must be JSON, such as/).waitFor()
  await items.fill('[{"title":"Boots","count":2}]')
  await shown.getByText('Boots x 2', { exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('the navigation shows the current page, also in a window that is lower than it', async () => {
  const who = await dashboard.owner({ operator: true })
  await using here = await dashboard.visit(who, { viewport: { width: 1440, height: 700 } })
  const { page } = here
  for (const where of ['/operator/log', '/']) {
    await dashboard.open(page, where)
    const isSeen = `{
      const link = document.querySelector('nav [aria-current=page]')
      const { x, y, width, height } = link.getBoundingClientRect()
      const at = (top) => document.elementFromPoint(x + width / 2, top)
      at(y + 2) === link && at(y + height - 2) === link
    }`
    await waitFor(`the place of ${where}`, async () => (await page.evaluate<boolean>(isSeen)) || undefined)
  }
  assert.deepEqual(here.faults, [])
})

test('a navigation longer than its window shows that, and the account menu covers none of it', async () => {
  const who = await dashboard.owner({ operator: true })
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  await dashboard.open(page, '/')
  const column = page.getByRole('navigation', { name: 'Main', exact: true })
  const [below, above] = [column.getByText('more below'), column.getByText('more above')]
  await below.waitFor()
  assert.equal(await above.count(), 0)
  await column.getByRole('link', { name: 'Domains', exact: true }).hover()
  await page.mouse.wheel(0, 2_000)
  await above.waitFor()
  await below.waitFor({ state: 'detached' })
  const last = await column.getByRole('link', { name: 'Audit log', exact: true }).boundingBox()
  const signOut = await column.getByRole('button', { name: 'Sign out', exact: true }).boundingBox()
  assert.ok(last !== null && signOut !== null && last.y + last.height < signOut.y)
  assert.deepEqual(await seriousFaults(page), [])
  await page.setViewportSize({ width: 1440, height: 1_400 })
  await above.waitFor({ state: 'detached' })
  assert.equal(await below.count(), 0)
  assert.deepEqual(here.faults, [])
})

test('a program for SMTP can be copied, without the password', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/smtp')
  const program = page.locator('pre')
  assert.match(
    await program.innerText(),
    /requireTLS: true,\n {2}auth: \{ user: 'smtp_\w+', pass: process\.env\.SMTP_PASSWORD \}/,
  )
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  const password = (await call(who.api_key, 'GET', '/api/v1/smtp-credentials')).body.data.password
  await page.getByText(password, { exact: true }).waitFor()
  assert.ok(!(await program.innerText()).includes(password))
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('on paper the page is alone, and dark on light also for who reads light on dark', async () => {
  const who = await dashboard.owner()
  const id = await send(who, {})
  await using visit = await dashboard.visit(who, { viewport: DESKTOP, colorScheme: 'dark' })
  const { page } = visit
  await dashboard.open(page, `/emails/${id}`)
  const seen = async () => ({
    menu: await page.locator('nav').first().isVisible(),
    left: (await boxOf(page, 'main')).x,
    ink: await page.evaluate('getComputedStyle(document.body).color'),
  })
  assert.deepEqual(await seen(), { menu: true, left: 274, ink: 'rgb(236, 232, 221)' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  assert.deepEqual(await seen(), { menu: false, left: 170, ink: 'rgb(30, 28, 23)' })
})

test('the preview of a template with a word longer than the page wraps', async () => {
  const who = await dashboard.owner()
  const template = { name: 'Long', subject: 'W'.repeat(200), text: 'Hi' }
  const { id } = (await call(who.api_key, 'POST', '/api/v1/templates', template)).body.data
  await using here = await dashboard.visit(who, { viewport: { width: 320, height: 800 } })
  const { page } = here
  await dashboard.open(page, `/templates/${id}`)
  await page.getByRole('paragraph').filter({ hasText: template.subject }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), 0)
  assert.deepEqual(here.faults, [])
})
