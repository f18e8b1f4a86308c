// Pages that stay open: what happens elsewhere appears on them, whether an event announces it or not, and no value that a
// field takes makes a page fail.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from './dashboard.ts'

/** Longer than any page waits before it reads again what no event announces. */
const A_WHILE_MS = 16_000
/** A stream that failed is opened again after one second, then after two. */
const SEVERAL_TRIES_MS = 4_000

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  // The webhooks of this test go to this machine.
  dashboard = stack.use(await startDashboard('live', { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' }))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

const isLive = (page: Page): Promise<void> => page.getByTitle('Events arrive as they happen').waitFor()

test('the event log shows events about no email as they happen', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/events')
  await isLive(page)
  await call(who.api_key, 'POST', '/api/v1/customer/suppressions', { email: 'jo@example.net' })
  await page.getByRole('cell', { name: 'jo@example.net', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('events arrive as they happen also in a browser that cannot iterate over a stream, with one connection', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.addInitScript(() => {
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator)
    Reflect.deleteProperty(ReadableStream.prototype, 'values')
  })
  let streams = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/events/stream')) streams++
  })
  await dashboard.open(page, '/events')
  await isLive(page)
  await call(who.api_key, 'POST', '/api/v1/customer/suppressions', { email: 'jo@example.net' })
  await page.getByRole('cell', { name: 'jo@example.net', exact: true }).waitFor()
  await page.waitForTimeout(SEVERAL_TRIES_MS)
  assert.equal(streams, 1)
  assert.deepEqual(here.faults, [])
})

test('what no event announces appears too, while the page is live', async () => {
  const who = await dashboard.owner()
  const added = async (path: string, body: object): Promise<string> => {
    const { status, body: answer } = await call(who.api_key, 'POST', `/api/v1${path}`, body)
    assert.ok([200, 201, 202].includes(status), JSON.stringify(answer))
    return answer.data.id
  }
  const contact = { email: 'ann@example.net', double_opt_in: false, source: 'form' }
  const hook = { name: 'The shop', url: 'http://127.0.0.1:9/', events: ['*'] }
  const cases = [
    ['/contacts', 'ann@example.net', () => added('/customer/contacts', contact)],
    ['/contacts/erasures', 'completed', () => added('/customer/erasures', { email: 'ann@example.net' })],
    ['/webhooks', 'The shop', () => added('/customer/webhooks', hook)],
    ['/domains', 'shop.example', () => added('/customer/domains', { domain: 'shop.example' })],
    ['/tracking-domains', 'go.shop.example', () => added('/customer/tracking-domains', { domain: 'go.shop.example' })],
    ['/keys', 'Second', () => added('/customer/api-keys', { name: 'Second' })],
  ] as const
  for (const [where, text, happens] of cases) {
    await using here = await dashboard.visit(who)
    const { page } = here
    await page.clock.install()
    await dashboard.open(page, where)
    await isLive(page)
    await happens()
    const shown = page.locator('main').getByText(text, { exact: false }).first()
    for (let tries = 0; tries < 20 && !(await shown.isVisible()); tries++) {
      await page.clock.fastForward(A_WHILE_MS)
      await shown.waitFor({ timeout: 3_000 }).catch(() => undefined)
    }
    assert.equal(await shown.isVisible(), true, `${where}: ${text}`)
    assert.deepEqual(here.faults, [])
  }
})

test('a day of a chart leads to what the chart counts, and opens say on which platforms they were', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.route(/\/stats\/outbound\/(?:opens|sends)\?/, async (route) => {
    const { data, ...answer } = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, data: data.map((day: object) => ({ ...day, sent: 3, opens: 3 })) } })
  })
  await page.route('**/opens/platforms?*', async (route) => {
    const answer = await (await route.fetch()).json()
    await route.fulfill({ json: { ...answer, totals: { desktop: 10, mobile: 30, webmail: 0, unknown: 0 } } })
  })
  await dashboard.open(page, '/')
  await page.getByText(/^By people: mobile 75\.0.%, desktop 25\.0.%\.$/).waitFor()
  for (const [title, expected] of [
    ['Opens', /\/events\?from=(\d{4}-\d\d-\d\d)&to=\1&include_sandbox=false&event=email\.opened$/],
    ['Emails by day', /\/emails\?from=(\d{4}-\d\d-\d\d)&to=\1&include_sandbox=false$/],
  ] as const) {
    await dashboard.open(page, '/')
    await page.getByRole('button', { name: `Table of ${title}`, exact: true }).click()
    const chart = page.getByRole('figure').filter({ hasText: title })
    await chart.getByRole('row').last().getByRole('link').click()
    await page.waitForURL(expected)
  }
  assert.deepEqual(here.faults, [])
})

test('a filter by domain is not wider than others, however long a domain is', async () => {
  const who = await dashboard.owner()
  const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example`
  for (const domain of [long, 'shop.example']) await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain })
  await using here = await dashboard.visit(who, { viewport: { width: 1440, height: 900 } })
  const { page } = here
  await dashboard.open(page, '/emails')
  await page.getByRole('option', { name: long }).waitFor({ state: 'attached' })
  const box = await page.getByLabel('Domain', { exact: true }).boundingBox()
  assert.ok(box !== null && box.width <= 210, `${box?.width} px`)
})

test('the actions of a contact are in view in a small window', async () => {
  const who = await dashboard.owner()
  const contact = {
    from: 'a@shop.example',
    email: 'somebody.with.a.name@example.net',
    name: 'Somebody',
    source: 'form',
  }
  assert.equal((await call(who.test_api_key, 'POST', '/api/v1/customer/contacts', contact)).status, 201)
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const width of [768, 1024, 1100]) {
    await page.setViewportSize({ width, height: 900 })
    await dashboard.open(page, '/contacts')
    const list = `document.querySelector('[role=region][aria-label="Contacts"]')`
    await page.getByRole('button', { name: 'Resend confirmation', exact: true }).waitFor()
    assert.equal(await page.evaluate<number>(`${list}.scrollWidth - ${list}.clientWidth`), 0, `at ${width} px`)
    assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'), 0, `at ${width} px`)
  }
  assert.deepEqual(here.faults, [])
})

test('the content check says that it runs, and shows no earlier result beside an error', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/risk')
  await page.getByLabel('Subject', { exact: true }).fill('Hi')
  await page.getByLabel('HTML', { exact: true }).fill('<p>Hi</p>')
  const answers = Promise.withResolvers<void>()
  await page.route('**/api/v1/content-score', async (route) => {
    await answers.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Checking…', exact: true }).waitFor()
  answers.resolve()
  const result = page.getByRole('heading', { name: /^Content: \d+ of 100/ })
  await result.waitFor()
  await page.unroute('**/api/v1/content-score')
  await page.route('**/api/v1/content-score', (route) => route.fulfill({ status: 503, body: '' }))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await result.count(), 0)
  assert.deepEqual(here.faults, [])
})

test('a risk check judges the sender, the text and the kind of mail that were typed; a refused one leaves the score', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/risk')
  await page.getByLabel('Subject', { exact: true }).fill('Hi')
  await page.getByLabel('Text', { exact: true }).fill('Hello, your parcel is here.')
  await page.getByLabel('To, for a risk check', { exact: true }).fill('a@b.example')
  await page.getByLabel('From, for a risk check', { exact: true }).fill('Shop <news@unknown.example>')
  await page.getByLabel('Sent to many, as a newsletter', { exact: true }).check()
  const asked = page.waitForRequest('**/api/v1/risk/preview')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  assert.deepEqual((await asked).postDataJSON(), {
    from: 'Shop <news@unknown.example>',
    to: 'a@b.example',
    subject: 'Hi',
    text: 'Hello, your parcel is here.',
    is_bulk: true,
  })
  await page.getByRole('heading', { name: 'Risk', exact: true }).waitFor()
  await page.getByText('first email is a bulk email').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Start with small numbers' }).waitFor()
  const score = page.getByRole('heading', { name: /^Content: \d+ of 100/ })
  await page.route('**/api/v1/risk/preview', (route) => route.fulfill({ status: 503, body: '' }))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByRole('alert').waitFor()
  await score.waitFor()
  assert.deepEqual(here.faults, [])
})

test('what stands below the sentence of a page does not move when the sentence is known', async () => {
  const who = await dashboard.owner({ operator: true })
  await using here = await dashboard.visit(who, { viewport: { width: 1440, height: 900 } })
  const { page } = here
  for (const [where, asked, field] of [
    ['/domains', '**/api/v1/customer/domains', /^Domain, such as/],
    ['/webhooks', '**/api/v1/customer/webhooks', /^Name$/],
    ['/operator/queues', '**/api/v1/operator/queues', /^Destination$/],
  ] as const) {
    const answers = Promise.withResolvers<void>()
    await page.route(asked, async (route) => {
      await answers.promise
      await route.continue()
    })
    await page.goto(dashboard.posthorn.url + where)
    const below = page.getByLabel(field)
    await below.waitFor()
    const before = await below.boundingBox()
    answers.resolve()
    await page.locator('main h1 + p').filter({ hasText: /\w/ }).waitFor()
    assert.equal((await below.boundingBox())?.y, before?.y, where)
  }
  assert.deepEqual(here.faults, [])
})

test('a year with too many digits neither fails the page nor loses what is typed', async () => {
  const who = await dashboard.owner()
  for (const [where, field, typed] of [
    ['/suppressions', 'Email address', 'jo@example.net'],
    ['/keys', 'Name, such as the app that uses it', 'The shop'],
  ] as const) {
    await using here = await dashboard.visit(who)
    const { page } = here
    await dashboard.open(page, where)
    const name = page.getByLabel(field, { exact: true })
    await name.fill(typed)
    await page.getByLabel('Expires', { exact: true }).focus()
    for (const keys of ['11', '29', '20266']) await page.keyboard.type(keys)
    await page.keyboard.press('Tab')
    await page.keyboard.type('0330PM')
    assert.equal(await name.inputValue(), typed)
    assert.match(await page.getByLabel('Expires', { exact: true }).inputValue(), /^(?:\d{4}-11-29T15:30)?$/)
    assert.deepEqual(here.faults, [])
  }
})

test('the content of emails is listed with what lowered its score, that of refused ones too', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'Your order', text: 'It leaves tomorrow.' }
  const spam = {
    subject: 'URGENT!!! You have WON $1,000,000 - claim your prize NOW',
    text: 'Congratulations winner! Act now, limited time offer! Send your bank account and password by Western Union. Viagra, casino, make money fast!!!',
  }
  const { body } = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  assert.equal(
    (await call(who.test_api_key, 'POST', '/api/v1/send', { ...mail, ...spam })).body.code,
    'content_risk_high',
  )
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/risk')
  const rows = page.getByRole('table', { name: 'Content events', exact: true }).getByRole('row')
  const refused = rows.filter({ hasText: 'blocked' }).filter({ hasText: 'refused' })
  await refused.waitFor()
  await page.getByLabel('Content risk', { exact: true }).selectOption({ label: 'low' })
  await refused.waitFor({ state: 'detached' })
  await rows.filter({ hasText: 'scored' }).getByRole('link', { name: 'View email', exact: true }).click()
  await page.waitForURL(`**/emails/${body.data.email_id}`)
  await page.route('**/api/v1/customer/limits', (route) =>
    route.fulfill({ json: { data: { features: { risk: true, content_events: false } } } }),
  )
  await dashboard.open(page, '/risk')
  assert.equal(await rows.count(), 0)
  assert.deepEqual(here.faults, [])
})
