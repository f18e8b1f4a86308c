// What is typed as people type it, and a network that goes away: each is told what to do, and nothing waits for ever.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { waitFor } from './ground.ts'

const NOON = '2026-01-02T12:00:00.000Z'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('slips'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

test('settings that somebody else saved meanwhile are not undone by saving others', async () => {
  const who = await dashboard.owner()
  const profile = '/api/v1/customer/profile'
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Vienna')
  await call(who.api_key, 'PATCH', profile, { company: 'Theirs', disposable_confidence_threshold: 0.6 })
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Kept.', { exact: true }).waitFor()
  const {
    company,
    timezone,
    disposable_confidence_threshold: threshold,
  } = (await call(who.api_key, 'GET', profile)).body.data
  assert.deepEqual([company, timezone, threshold], ['Theirs', 'Europe/Vienna', 0.6])
  await waitFor('theirs in the form', async () =>
    (await page.getByLabel('Company', { exact: true }).inputValue()) === 'Theirs' ? true : undefined,
  )
  assert.deepEqual(here.faults, [])
})

test('a filter or an address that nothing can be found by says what to do', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const where of ['/emails', '/events', '/bounces']) {
    await dashboard.open(page, `${where}?recipient=jo`)
    await page.getByText('It takes a whole address, such as jo@example.net.').waitFor()
    assert.equal(await page.getByLabel('Recipient', { exact: true }).getAttribute('aria-invalid'), 'true')
  }
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await page.getByText('Nothing bounced.').waitFor()
  await dashboard.open(page, '/emails?status=nonsense')
  await page.getByText('«nonsense» is nothing that Status can be.').waitFor()
  for (const where of ['/emails/123', '/domains/xyz']) {
    await dashboard.open(page, where)
    await page.getByText('There is nothing here: the address of this page ends in what is no id.').waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('the name of a domain is taken as it is typed, with capitals and a dot behind it', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/domains')
  const field = page.getByLabel(/^Domain, such as/)
  assert.equal(await field.getAttribute('autocapitalize'), 'none')
  await field.fill('Shop.Example.')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'shop.example', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

const QR_PIXELS = 4

/** What a camera reads in the picture. */
async function readQr(picture: Locator): Promise<string> {
  const size = Number((await picture.getAttribute('viewBox'))?.split(' ')[2]) * QR_PIXELS
  const data = new Uint8Array(size * size * 4).fill(255)
  const path = (await picture.locator('path').getAttribute('d')) ?? ''
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < QR_PIXELS; row++) {
      const start = ((Number(y) * QR_PIXELS + row) * size + Number(x) * QR_PIXELS) * 4
      for (let i = 0; i < QR_PIXELS * 4; i++) if (i % 4 !== 3) data[start + i] = 0
    }
  return decodeQR({ width: size, height: size, data })
}

test('a code of the second factor may have a blank, a wrong one is told as such, and its field has the focus', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  const secret = (await page.locator('form pre').innerText()).trim()
  const picture = await readQr(page.getByRole('img', { name: 'The secret as a QR code', exact: true }))
  assert.equal(new URL(picture).searchParams.get('secret'), secret)
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const right = totp.generate()
  const code = page.getByLabel('Code', { exact: true })
  await code.fill(right === '123456' ? '123457' : '123456')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('The code is not right.').waitFor()
  await code.fill(`${right.slice(0, 3)} ${right.slice(3)}`)
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('Recovery codes, shown this once').waitFor()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  // The settings have a field for an email too.
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await page.getByLabel('Email', { exact: true }).fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.dashboard_password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel(/^Code of the authenticator/).waitFor()
  assert.equal(await page.evaluate('document.activeElement.name'), 'code')
  assert.deepEqual(here.faults, [])
})

test('what could not be read is read again: by a button, and by itself when the service said when', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const emails = '**/api/v1/emails?**'
  const away = { error: 'Not now', code: 'service_unavailable', details: {}, request_id: 'r' }
  await page.route(emails, (route) => route.fulfill({ status: 500, json: { ...away, code: 'internal_error' } }))
  await dashboard.open(page, '/emails')
  await page.getByText('Not now').waitFor({ timeout: 20_000 })
  await page.unroute(emails)
  await page.getByRole('button', { name: 'Try again', exact: true }).click()
  await page.getByText('No mail yet.').waitFor()
  await page.route(emails, (route) => route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: away }), {
    times: 1,
  })
  await dashboard.open(page, '/emails')
  await page.getByText('No mail yet.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('offline, a page says so and comes back with the network; one whose code is gone is told in the dashboard', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page, context } = here
  const fetched = page.waitForRequest(/operator-accounts/)
  await dashboard.open(page, '/')
  await fetched
  await context.setOffline(true)
  await go(page, 'Suppressions')
  await page.getByText('This browser is offline.').waitFor()
  await context.setOffline(false)
  await page.getByText('Nobody is suppressed.').waitFor()

  await dashboard.open(page, '/')
  let misses = 0
  await page.route(/assets\/lists/, (route) => (misses++ === 0 ? route.fulfill({ status: 404 }) : route.continue()))
  await go(page, 'Suppressions')
  await page.getByText('Nobody is suppressed.').waitFor()
  assert.ok(misses > 0)
  await page.unroute(/assets\/lists/)
  await page.route(/assets\/(lists|templates)/, (route) => route.fulfill({ status: 404 }))
  await dashboard.open(page, '/')
  await go(page, 'Templates')
  await page.getByText('The code of this page did not come.').waitFor()
  await page.getByRole('link', { name: 'Overview', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('figures are written as the sentences around them are, and faults as sentences', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { locale: 'de-DE' })
  const { page } = here
  await page.route('**/api/v1/address/validate/quota', async (route) => {
    const read = await (await route.fetch()).json()
    await route.fulfill({ json: { ...read, data: { ...read.data, limit: 30_000, used: 0, remaining: 30_000 } } })
  })
  await dashboard.open(page, '/validation')
  await page.getByText('30,000 of 30,000 addresses are left this month.').waitFor()
  await dashboard.open(page, '/settings')
  await page.getByLabel('Present password', { exact: true }).fill(who.dashboard_password)
  await page.getByLabel(/^New password/).fill('short')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByText('It must have 12 characters or more.').waitFor()
  await dashboard.open(page, '/unsubscribes')
  await page.getByLabel('Add an address', { exact: true }).fill('nobody')
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('It is not an email address: it has no @.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('a sandbox mail is marked among the latest, and a mail that an endpoint was told of fits a phone', async () => {
  const who = await dashboard.owner()
  const hook = { name: 'Orders', url: 'https://hooks.example/a/long/path/that/goes/on/and/on', events: ['*'] }
  assert.equal((await call(who.api_key, 'POST', '/api/v1/customer/webhooks', hook)).status, 201)
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'In the sandbox', text: 'Hi' }
  const { body } = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await using here = await dashboard.visit(who, { viewport: { width: 360, height: 800 } })
  const { page } = here
  await dashboard.open(page, '/')
  await page.locator('li').filter({ hasText: 'In the sandbox' }).getByText('sandbox', { exact: true }).waitFor()
  const error = 'getaddrinfo ENOTFOUND hooks.example: the name of the endpoint has no address at all'
  const told = { event: 'email.delivered', status: 'failed', http_status: null, error, attempt: 3, created_at: NOON }
  await page.route('**/deliveries?**', (route) => route.fulfill({ json: { data: [{ id: 'd', ...told }] } }))
  await dashboard.open(page, `/emails/${body.data.email_id}`)
  await page.getByRole('table', { name: 'What Orders was told' }).waitFor()
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  assert.equal(over, 0)
  assert.deepEqual(here.faults, [])
})
