// The dashboard for people in a hurry: work in progress is not lost by a slip, and a URL typed by hand opens its page.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type Dashboard, startDashboard } from './dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard('dashboard-hurried')
})
after(() => dashboard[Symbol.asyncDispose]())

test('leaving a list that is being imported asks first, and stops it; staying lets it finish', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/contacts?import=1')
  let parts = 0
  const held: (() => void)[] = []
  await page.route('**/contacts/import?*', async (route) => {
    parts++
    await new Promise<void>((go) => held.push(go))
    await route.continue()
  })
  const list = Array.from({ length: 150 }, (_, i) => `p${i}@example.net`).join('\n')
  const begin = async (): Promise<void> => {
    await page.getByLabel('Or paste addresses', { exact: true }).fill(list)
    await page.getByText('Email each one to ask for confirmation').click()
    await page.getByRole('button', { name: 'Import 150', exact: true }).click()
  }
  await begin()
  await page.getByText('0 of 150 done').waitFor()
  const asks = page.getByRole('dialog', { name: 'Unfinished list' })
  for (const leave of [
    page.getByRole('link', { name: 'Domains', exact: true }),
    page.getByRole('button', { name: 'Close import', exact: true }),
  ]) {
    await leave.click()
    await asks.getByText('Leaving stops that; what is done stays done.').waitFor()
    await asks.getByRole('button', { name: 'Stay', exact: true }).click()
    assert.equal(new URL(page.url()).search, '?import=1')
  }
  // Filters of the list below close no import, so they ask nothing.
  await page.getByLabel('Tag', { exact: true }).fill('x')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForURL('**/contacts?import=1&tag=x')
  await page.getByText('0 of 150 done').waitFor()
  await page.getByRole('link', { name: 'Domains', exact: true }).click()
  await asks.getByRole('button', { name: 'Stop and leave', exact: true }).click()
  await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor()
  const first = page.waitForResponse('**/contacts/import?*')
  held.shift()?.()
  await first
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await page.getByRole('link', { name: 'p0@example.net', exact: true }).waitFor()
  assert.equal(parts, 1)
  await page.unroute('**/contacts/import?*')
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await begin()
  await page.getByText('Finished: 150 of 150 done.').waitFor()
  await page.getByRole('button', { name: 'Close import', exact: true }).click()
  await page.getByLabel('Email address', { exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('results of a validated list are not lost by leaving before they are downloaded', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/validation')
  await page.getByLabel('Or paste addresses', { exact: true }).fill('nobody@\n@example.net\n')
  await page.getByRole('button', { name: 'Validate 2', exact: true }).click()
  await page.getByText('Finished: 2 of 2 done.').waitFor()
  const away = page.getByRole('link', { name: 'Domains', exact: true })
  await away.click()
  const asks = page.getByRole('dialog', { name: 'Unsaved results' })
  await asks.getByRole('button', { name: 'Stay', exact: true }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download results', exact: true }).click()
  await saved
  await away.click()
  await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a second list drops the results of the first only after a question, and a finished list is not begun again', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/validation')
  const list = page.getByLabel('Or paste addresses', { exact: true })
  const begin = (count: number) => page.getByRole('button', { name: `Validate ${count}`, exact: true })
  await list.fill('nobody@\n@example.net\n')
  await begin(2).click()
  await page.getByText('Finished: 2 of 2 done.').waitFor()
  assert.equal(await begin(2).getAttribute('aria-disabled'), 'true')
  await list.fill('another@\n')
  await page.getByText('The list before: 2 of 2 done.').waitFor()
  await begin(1).click()
  const asks = page.getByRole('dialog', { name: 'Validate 1', exact: true })
  await asks.getByRole('button', { name: 'Cancel', exact: true }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download results', exact: true }).click()
  assert.match(await readFile(await (await saved).path(), 'utf8'), /nobody@[^]*@example\.net/)
  await begin(1).click()
  await page.getByText('Finished: 1 of 1 done.').waitFor()
  await list.fill('third@\n')
  await begin(1).click()
  await asks.getByRole('button', { name: 'Replace them', exact: true }).click()
  await page.getByText('Finished: 1 of 1 done.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('what is typed into a form is not lost by leaving, and moving on to what was added asks nothing', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/domains')
  const field = page.getByLabel(/^Domain, such as/)
  await field.fill('shop.example')
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  const asks = page.getByRole('dialog', { name: 'Unsaved changes' })
  await asks.getByText('What you typed is not added yet.').waitFor()
  await asks.getByRole('button', { name: 'Stay', exact: true }).click()
  assert.equal(await field.inputValue(), 'shop.example')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'shop.example', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Domains', exact: true }).click()
  await field.fill('another.example')
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  await asks.getByRole('button', { name: 'Leave without adding', exact: true }).click()
  await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a pasted list that is not imported yet, and a new account, are not lost by leaving', async () => {
  await using here = await dashboard.visit(await dashboard.owner({ operator: true }))
  const { page } = here
  const asks = page.getByRole('dialog', { name: 'Unsaved changes' })
  for (const [where, open, field, text] of [
    ['/unsubscribes', 'Import', 'Or paste addresses', 'jo@example.net'],
    ['/operator/accounts', 'New account', 'Owner email', 'owner@example.net'],
  ] as const) {
    await dashboard.open(page, where)
    await page.getByRole('button', { name: open, exact: true }).click()
    const typed = page.getByLabel(field, { exact: true })
    await typed.fill(text)
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await asks.getByRole('button', { name: 'Stay', exact: true }).click()
    assert.equal(await typed.inputValue(), text)
    await typed.fill('')
    await page.getByRole('link', { name: 'Usage', exact: true }).click()
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  }
  await dashboard.open(page, '/unsubscribes?import=1')
  await page.getByLabel('Or paste addresses', { exact: true }).fill('jo@example.net')
  await page.getByRole('button', { name: 'Import 1', exact: true }).click()
  await page.getByText('Finished: 1 of 1 done.').waitFor()
  await page.getByRole('link', { name: 'Usage', exact: true }).click()
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a list longer than what is counted goes on after the last counted page', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  const json = { data: [], pagination: { total: 100_000, limit: 50, offset: 0, next_cursor: null } }
  await page.route('**/api/v1/emails?**', (route) => route.fulfill({ json }))
  await dashboard.open(page, '/emails?page=2000')
  await page.getByText('100,000 entries or more, page 2,000 of 2,000 or more').waitFor()
  await page.getByRole('button', { name: 'Older', exact: true }).click()
  await page.waitForURL('**/emails?page=2001')
  assert.deepEqual(here.faults, [])
})

test('the quick search asks once for a word typed quickly, and a search that failed is not one without results', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/')
  const asked: string[] = []
  const json = { error: 'Not now', code: 'service_unavailable', details: {}, request_id: 'r' }
  await page.route(/search=/, (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('search') ?? '')
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json })
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('shop.example')
  const dialog = page.getByRole('dialog', { name: 'Search or jump to' })
  await dialog.getByText('Not now').waitFor()
  assert.deepEqual([...new Set(asked)], ['shop.example'])
  await page.unroute(/search=/)
  await page.keyboard.type('s')
  await dialog.getByText('No results.').waitFor()
  assert.deepEqual(here.faults, [])
})

test("a sender's name cannot reverse the address beside it", async () => {
  const who = await dashboard.owner()
  const mail = { from: 'jo@shop.example', from_name: '\u202eevil', to: 'jo@example.net', subject: 'S', text: 'T' }
  const sent = await dashboard.posthorn.call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/emails/${sent.body.data.email_id}`)
  const [name, address] = await page.locator('dd bdi').all()
  assert.deepEqual([await name?.textContent(), await address?.textContent()], ['\u202eevil', '<jo@shop.example>'])
  assert.deepEqual(here.faults, [])
})

test('an import that has finished is begun again only where lines failed', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/unsubscribes?import=1')
  await page.getByLabel('Or paste addresses', { exact: true }).fill('one@example.net\n')
  await page.getByRole('button', { name: 'Import 1', exact: true }).click()
  await page.getByText('Finished: 1 of 1 done.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Import 1', exact: true }).getAttribute('aria-disabled'), 'true')
  const refused = { error: 'Not now', code: 'invalid_state', details: {}, request_id: 'r' }
  await page.route('**/unsubscribes/import*', (route) => route.fulfill({ status: 409, json: refused }))
  await page.getByLabel('Or paste addresses', { exact: true }).fill('two@example.net\n')
  await page.getByRole('button', { name: 'Import 1', exact: true }).click()
  await page.getByText('Not now').waitFor()
  await page.unroute('**/unsubscribes/import*')
  await page.getByRole('button', { name: 'Import 1 again', exact: true }).click()
  await page.getByText('Finished: 1 of 1 done.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('the preview of a template appears by itself after the network was away', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page, context } = here
  await dashboard.open(page, '/templates/new')
  await context.setOffline(true)
  await page.getByLabel('Subject', { exact: true }).fill('Hello {{name}}')
  await page.getByLabel('Text', { exact: true }).fill('Dear {{name}}')
  await page.getByText('This browser is offline.').waitFor()
  await context.setOffline(false)
  await page.getByText('No value for: name.').waitFor()
  assert.equal(await page.getByText('This browser is offline.').count(), 0)
  assert.deepEqual(here.faults, [])
})

test('a page saves nothing into the account that another tab has changed to, and keeps what is typed', async () => {
  const [one, other] = [await dashboard.owner(), await dashboard.owner()]
  await using here = await dashboard.visit(one)
  const { page, context } = here
  await dashboard.open(page, '/templates/new')
  for (const field of ['Name', 'Subject', 'Text']) await page.getByLabel(field, { exact: true }).fill('Of one')
  const { url, call } = dashboard.posthorn
  const data = { email: other.email, password: other.dashboard_password }
  await context.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Another tab of this browser changed to another account').first().waitFor()
  assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Of one')
  assert.deepEqual((await call(other.api_key, 'GET', '/api/v1/templates')).body.data, [])
  assert.deepEqual(here.faults, [])
})

test("a filter written into the URL by hand, in the API's words, is applied as written", async () => {
  const who = await dashboard.owner()
  const send = (tag: string) =>
    dashboard.posthorn.call(who.test_api_key, 'POST', '/api/v1/send', {
      ...{ from: 'a@b.example', to: 'jo@example.net', subject: `About ${tag}`, text: 'Hi', tag },
    })
  for (const tag of ['true', '1.10', '1.1']) await send(tag)
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const tag of ['true', '1.10']) {
    await dashboard.open(page, `/emails?include_sandbox=true&tag=${tag}`)
    await page.getByRole('link', { name: `About ${tag}`, exact: true }).waitFor()
    assert.equal(await page.getByRole('link', { name: /^About / }).count(), 1)
  }
  assert.deepEqual(here.faults, [])
})
