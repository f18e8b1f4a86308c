// What users stumble over: words longer than the page, forms that lose input or misplace errors, figures without a link, and
// accidental changes.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, type Owner, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const LONG = 'W'.repeat(220)
const WIDTHS = [360, 1280]
const STALE_MS = 6_000

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('people'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

async function send({ test_api_key: key }: Owner, mail: object = {}): Promise<string> {
  const whole = { from: 'a@b.example', to: 'jo@example.net', subject: 'A mail', html: '<p>Hi</p>', ...mail }
  const { body, status } = await call(key, 'POST', '/api/v1/send', whole)
  assert.equal(status, 202)
  return body.data.email_id
}

test('a word longer than the page wraps, on a phone and on a desktop', async () => {
  const who = await dashboard.owner({ operator: true })
  await call(who.api_key, 'PATCH', '/api/v1/customer/profile', { name: LONG.slice(0, 100) })
  const to = `${'x'.repeat(64)}@${'sub.'.repeat(20)}example.net`
  const id = await send(who, { subject: LONG, to })
  const captured = await waitFor(
    'captured mail',
    async () => (await call(who.test_api_key, 'GET', '/api/v1/inbox')).body.data[0],
  )
  const name = `${'sub.'.repeat(20)}pending.example`
  const domain = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: name })).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  const account = `/operator/accounts/${who.account_id}`
  const pages = ['/emails', `/emails/${id}`, `/inbox/${captured.id}`, '/events', `/domains/${domain.id}`, account]
  const found: string[] = []
  for (const where of [...pages, '/operator/accounts'])
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      await dashboard.open(page, where)
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
      if (over > 0) found.push(`${where} at ${width} px is ${over} px too wide`)
    }
  assert.deepEqual([...found, ...here.faults], [])
})

test('filters keep typed text when another one is chosen, and the focus', async () => {
  const who = await dashboard.owner()
  await send(who, { subject: 'Found' })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/emails')
  const subject = page.getByLabel('Subject, recipient or message ID', { exact: true })
  await subject.fill('Found')
  await page.getByLabel('Status', { exact: true }).focus()
  await page.getByLabel('Status', { exact: true }).selectOption('bounced')
  await page.getByText('Nothing matches these filters.').waitFor()
  assert.equal(await subject.inputValue(), 'Found')
  assert.match(page.url(), /\?(?=.*search=Found)(?=.*status=bounced)/)
  assert.equal(await page.evaluate<string>('document.activeElement.tagName'), 'SELECT')
  await subject.fill('Another')
  await page.goBack()
  await page.getByRole('link', { name: 'Found', exact: true }).waitFor()
  assert.equal(await subject.inputValue(), '')
  await dashboard.open(page, '/emails?page=77')
  await page.getByText('There is no page 77.').waitFor()
  await page.getByRole('button', { name: 'Go to the last page', exact: true }).click()
  await page.getByRole('link', { name: 'Found', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('an error is shown in words at its field, and the input stays', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/domains')
  const field = page.getByLabel(/^Domain, such as/)
  await field.fill('https://shop.example/')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('is not in the expected format: use the letters a to z').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  const described = (await field.getAttribute('aria-describedby')) ?? ''
  assert.match(await page.locator(`[id="${described}"]`).innerText(), /without https/)
  assert.equal(await field.inputValue(), 'https://shop.example/')
  await field.fill(' shop.example ')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'shop.example', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a forbidden page, or one whose service is away, says so instead of loading forever', async () => {
  const who = await dashboard.owner()
  await using owner = await dashboard.visit(who)
  const added = await owner.context.request.post(`${dashboard.posthorn.url}/api/v1/users`, {
    data: { email: 'viewer@posthorn.test', role: 'viewer' },
    headers: { origin: dashboard.posthorn.url },
  })
  const { password } = (await added.json()).data
  await using here = await dashboard.visit({ ...who, email: 'viewer@posthorn.test', dashboard_password: password })
  const { page } = here
  for (const where of ['/keys', '/smtp']) {
    await dashboard.open(page, where)
    await page.locator('main').getByText('Your role does not allow this.').waitFor()
  }
  await page.route('**/api/v1/emails?**', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }))
  await dashboard.open(page, '/emails')
  await page.getByText('The server answered 502').waitFor({ timeout: 20_000 })
  await page.unroute('**/api/v1/emails?**')
  await page.route('**/api/v1/customer/health-score', (route) => route.abort())
  await dashboard.open(page, '/health')
  await page.getByText('The service did not answer.').waitFor({ timeout: 20_000 })
  assert.deepEqual(here.faults, [])
})

test("an owner resets a user's password, sees it once, and cannot reset their own that way", async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const email = 'reset@posthorn.test'
  await dashboard.open(page, '/settings')
  await page.getByLabel('Email', { exact: true }).last().fill(email)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const shown = page.getByText(`New password for ${email}`)
  const first = await shown.locator('code').innerText()
  const row = page.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: 'Reset password', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reset password', exact: true }).click()
  await waitFor('the new password', async () => (await shown.locator('code').innerText()) !== first)
  const password = await shown.locator('code').innerText()
  assert.equal(await page.getByRole('button', { name: 'Reset password', exact: true }).count(), 1)
  await using user = await dashboard.visit({ ...who, email, dashboard_password: password })
  await dashboard.open(user.page, '/')
  assert.deepEqual([...here.faults, ...user.faults], [])
})

test('copying also works where the browser offers no clipboard', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.addInitScript({ content: `Object.defineProperty(navigator, 'clipboard', { value: undefined })` })
  await dashboard.open(page, '/')
  const button = page.getByRole('button', { name: 'Copy the curl example', exact: true })
  await button.click()
  await page.getByRole('button', { name: 'Copied the curl example', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Control+v')
  assert.match(await page.getByRole('combobox').inputValue(), /^curl -sS http/)
  assert.deepEqual(here.faults, [])
})

test('each figure of the overview links to what it counts', async () => {
  const who = await dashboard.owner()
  await send(who, { to: 'bounce@sandbox.test', subject: 'Lost' })
  await send(who, { subject: 'Arrived' })
  const counted = '/api/v1/stats/outbound?include_sandbox=true'
  const key = who.test_api_key
  await waitFor('the figures', async () => (await call(key, 'GET', counted)).body.data.bounces === 1)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/?sandbox=1')
  const figure = (name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .getByRole('link')
  await page.getByText('1 of 2 emails in the last 30 days were delivered; 1 bounced').waitFor()
  await figure('Bounced').click()
  await page.getByRole('heading', { name: 'Bounces', exact: true }).waitFor()
  await page.getByRole('link', { name: 'bounce@sandbox.test', exact: true }).waitFor()
  assert.match(page.url(), /\?from=\d{4}-\d\d-\d\d&include_complaints=false$/)
  // The export contains what is shown, and no more.
  assert.deepEqual(await exported(page), ['bounce@sandbox.test'])
  await page.getByLabel('Sandbox', { exact: true }).selectOption('false')
  await page.getByText('Nothing matches these filters.').waitFor()
  assert.deepEqual(await exported(page), [])
  for (const [name, event] of [
    ['Opened', 'email.opened'],
    ['Clicked', 'email.clicked'],
  ] as const) {
    await dashboard.open(page, '/?sandbox=1')
    await figure(name).click()
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
    assert.equal(await page.getByLabel('Event', { exact: true }).inputValue(), event)
  }
  await page.getByLabel('Event', { exact: true }).selectOption('email.bounced')
  await page.getByRole('row', { name: /email bounced Lost · sandbox bounce@sandbox\.test/ }).waitFor()
  await page.getByRole('link', { name: 'Lost', exact: true }).click()
  await page.getByRole('heading', { name: 'Lost', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

/** The first column of the exported file, without its heading. */
async function exported(page: Page): Promise<readonly string[]> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const rows = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
  return rows.slice(1).map((row) => row.split(',')[0] ?? '')
}

test('an arrow key alone changes no plan and no role: a button sets them, after a confirmation', async () => {
  const who = await dashboard.owner({ operator: true })
  await using here = await dashboard.visit(who)
  const { page } = here
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(new URL(request.url()).pathname)
  })
  await dashboard.open(page, `/operator/accounts/${who.account_id}`)
  await page.getByLabel('Plan', { exact: true }).selectOption('business')
  await page.getByRole('button', { name: 'Change plan', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Change plan' })
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  assert.deepEqual(changes, [])
  await page.getByRole('button', { name: 'Change plan', exact: true }).click()
  await dialog.getByRole('button', { name: 'Change plan', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Change plan', exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(changes, [`/api/v1/operator/accounts/${who.account_id}`])
  await dashboard.open(page, '/settings')
  await page.getByLabel('Email', { exact: true }).fill('other@posthorn.test')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Role of other@posthorn.test', { exact: true }).selectOption('owner')
  await page.getByRole('button', { name: 'Change role', exact: true }).waitFor()
  assert.equal(changes.length, 1)
  await page
    .getByRole('table', { name: 'Sessions' })
    .getByText(/^Chrome on /)
    .waitFor()
  assert.deepEqual(here.faults, [])
})

test("edits of a template are not lost by leaving the page, nor to somebody else's version", async () => {
  const who = await dashboard.owner()
  const text = { name: 'Welcome', subject: 'First', text: 'Hello' }
  const made = await call(who.api_key, 'POST', '/api/v1/templates', text)
  const { id } = made.body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.clock.install()
  await dashboard.open(page, `/templates/${id}`)
  const subject = page.getByLabel('Subject', { exact: true })
  await subject.fill('Mine')
  await call(who.api_key, 'PUT', `/api/v1/templates/${id}`, { ...text, subject: 'Theirs' })
  // A page that is returned to after a while loads its data again.
  await page.clock.fastForward(STALE_MS)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await page.getByText('Version 2 was saved in the meantime.').waitFor()
  assert.equal(await subject.inputValue(), 'Mine')
  await page.getByRole('link', { name: 'Domains', exact: true }).click()
  const asks = page.getByRole('dialog', { name: 'Unsaved changes' })
  await asks.getByRole('button', { name: 'Stay', exact: true }).click()
  assert.equal(await subject.inputValue(), 'Mine')
  await page.getByRole('button', { name: 'Save as new version', exact: true }).click()
  await page.getByText('Version 3. Earlier versions').waitFor()
  // A version that the page has not seen yet: fields not edited here take its text.
  await page.getByLabel('Text', { exact: true }).fill('Mine too')
  const theirs = { name: 'Theirs', subject: 'Theirs again', text: 'Theirs' }
  await call(who.api_key, 'PUT', `/api/v1/templates/${id}`, theirs)
  await page.getByRole('button', { name: 'Save as new version', exact: true }).click()
  await page.getByText('Version 4 was saved in the meantime.').waitFor()
  await page.getByText('text changed in both').waitFor()
  assert.equal(await subject.inputValue(), 'Theirs again')
  await page.getByRole('button', { name: 'Save as new version', exact: true }).click()
  await page.getByText('Version 5. Earlier versions').waitFor()
  const { name, text: kept, subject: led } = (await call(who.api_key, 'GET', `/api/v1/templates/${id}`)).body.data
  assert.deepEqual({ name, subject: led, text: kept }, { ...theirs, text: 'Mine too' })
  await subject.fill('Given up')
  await page.getByRole('link', { name: 'Domains', exact: true }).click()
  await asks.getByRole('button', { name: 'Leave without saving', exact: true }).click()
  await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a button pressed twice quickly acts once', async () => {
  const who = await dashboard.owner({ operator: true })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/operator/accounts')
  await page.getByRole('button', { name: 'New account', exact: true }).click()
  await page.getByLabel('Owner email', { exact: true }).fill('haste@customer.example')
  await page.getByLabel('Account name', { exact: true }).fill('Haste')
  await page.getByRole('button', { name: 'Create', exact: true }).dblclick()
  await page.getByText('Shown only once').waitFor()
  await page.getByLabel('Name, email or ID', { exact: true }).fill('haste@customer.example')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.locator('main').getByText('1 entry', { exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Haste', exact: true }).count(), 1)
  assert.deepEqual(here.faults, [])
})

test('when a session ends, typed text is kept for the same person and not shown to the next', async () => {
  const [who, other] = await Promise.all([dashboard.owner(), dashboard.owner()])
  await call(who.api_key, 'POST', '/api/v1/templates', { name: 'Of the first', subject: 's', text: 't' })
  await using here = await dashboard.visit(who)
  const { page } = here
  const signIn = async ({ email, dashboard_password: password }: Owner): Promise<void> => {
    await page.getByText('Your session ended.').waitFor()
    await page.getByTitle(/^No live connection/).waitFor({ state: 'attached' })
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await dashboard.open(page, '/templates')
  await page.getByRole('link', { name: 'Of the first', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Create template', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Written for an hour')
  await page.getByLabel('Subject', { exact: true }).fill('Hello')
  await page.getByLabel('Text', { exact: true }).fill('Kept')
  await here.context.clearCookies()
  await save.click()
  await signIn(who)
  await page.getByTitle('Events arrive as they happen').waitFor()
  // The error of the first attempt is gone: somebody is signed in.
  assert.equal(await page.getByRole('alert').count(), 0)
  await save.click()
  await page.getByText('Version 1. Earlier versions').waitFor()
  assert.equal(await page.getByLabel('Text', { exact: true }).inputValue(), 'Kept')
  await here.context.clearCookies()
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await signIn(other)
  await page.getByText('No templates yet.').waitFor()
  assert.equal(await page.getByText('Of the first').count(), 0)
  assert.deepEqual(here.faults, [])
})

test('a domain shows the settings in which it differs from its account, and its tracking domain', async () => {
  const who = await dashboard.owner()
  const post = async (where: string, domain: string) =>
    (await call(who.api_key, 'POST', `/api/v1/customer/${where}`, { domain })).body.data
  const [domain, links] = [await post('domains', 'shop.example'), await post('tracking-domains', 'links.shop.example')]
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/domains/${domain.id}`)
  const keep = async (label: string, option: string): Promise<unknown> => {
    await page.getByLabel(label, { exact: true }).selectOption({ label: option })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. Applies to emails').waitFor()
    await page.locator('form button[type=submit][aria-disabled=true]').waitFor()
    return (await call(who.api_key, 'GET', `/api/v1/customer/domains/${domain.id}`)).body.data
  }
  await page.getByText('account default (off)').first().waitFor({ state: 'attached' })
  const kept = (await keep('Track engagement', 'on')) as Record<string, unknown>
  assert.deepEqual([kept['tracking_enabled'], kept['click_tracking_enabled']], [true, null])
  const named = await keep('Tracking domain', 'links.shop.example (not verified yet)')
  assert.equal((named as Record<string, unknown>)['tracking_domain_id'], links.id)
  const again = await keep('Track engagement', 'account default (off)')
  assert.equal((again as Record<string, unknown>)['tracking_enabled'], null)
  assert.deepEqual(here.faults, [])
})

test('a list that takes longer to read than the rate limit allows is exported in full', async () => {
  const who = await dashboard.owner()
  await call(who.test_api_key, 'POST', '/api/v1/send', {
    from: 'a@shop.example',
    to: 'bounce@sandbox.test',
    subject: 'Lost',
    text: 'x',
  })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/bounces')
  await page.getByRole('link', { name: 'bounce@sandbox.test', exact: true }).waitFor()
  let refused = 0
  await page.route('**/api/v1/customer/bounces?*limit=1000', (route) =>
    refused++ > 0
      ? route.continue()
      : route.fulfill({ status: 429, json: { error: 'x', code: 'rate_limit_exceeded', details: { retry_after: 1 } } }),
  )
  assert.deepEqual(await exported(page), ['bounce@sandbox.test'])
  assert.equal(refused, 2)
  assert.deepEqual(here.faults, [])
})

test('unsubscribes are exported by the service: all of them, or those that the page shows', async () => {
  const who = await dashboard.owner()
  for (const email of ['no@example.net', 'never@example.org']) {
    await call(who.api_key, 'POST', '/api/v1/customer/unsubscribes', { email })
  }
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const [address, button, wanted] of [
    ['/unsubscribes', 'Export', ['never@example.org', 'no@example.net']],
    ['/unsubscribes?search=net', 'Export filtered', ['no@example.net']],
  ] as const) {
    await dashboard.open(page, address)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: button, exact: true }).click()
    const rows = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n')
    assert.deepEqual(
      rows.slice(1).map((row) => row.split(',')[1]),
      wanted,
    )
  }
  assert.deepEqual(here.faults, [])
})

test('an incomplete set-up link says so, and what to do', async () => {
  await using here = await dashboard.visit(null)
  const { page } = here
  await page.goto(`${dashboard.posthorn.url}/setup#half-of-it`)
  await page.getByLabel('Email', { exact: true }).fill('first@posthorn.test')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  await page.getByText('The link is incomplete').waitFor()
  assert.deepEqual(here.faults, [])
})

test('an endpoint gets chosen events and domains, a key chosen scopes, and neither can have none', async () => {
  const who = await dashboard.owner()
  const get = async (where: string) => (await call(who.api_key, 'GET', `/api/v1/customer/${where}`)).body.data
  const post = async (where: string, body: object) =>
    (await call(who.api_key, 'POST', `/api/v1/customer/${where}`, body)).body.data
  const domain = await post('domains', { domain: 'shop.example' })
  const hook = await post('webhooks', { url: 'https://hooks.example.org/in', name: 'Hook', events: ['*'] })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/webhooks/${hook.id}`)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await page.getByLabel('Events', { exact: true }).selectOption('some')
  assert.ok(await save.isDisabled())
  await page.getByLabel('email bounced', { exact: true }).check()
  await page.getByLabel('email complained', { exact: true }).check()
  await page.getByLabel('Domains', { exact: true }).selectOption('some')
  assert.ok(await save.isDisabled())
  await page.getByLabel('shop.example', { exact: true }).check()
  await save.click()
  await page.getByText('Saved. Applies to events').waitFor()
  const { events, domain_ids: domains } = await get(`webhooks/${hook.id}`)
  assert.deepEqual([events, domains], [['email.bounced', 'email.complained'], [domain.id]])
  await page.reload()
  assert.ok(await page.getByLabel('email bounced', { exact: true }).isChecked())
  await page.getByLabel('Domains', { exact: true }).selectOption('all')
  await save.click()
  await page.getByText('Saved. Applies to events').waitFor()
  assert.equal((await get(`webhooks/${hook.id}`)).domain_ids, null)

  await dashboard.open(page, '/keys')
  await page.getByLabel(/^Name, such as/).fill('Statistics')
  await page.getByLabel('Permissions', { exact: true }).selectOption('some')
  await page.getByLabel('send email', { exact: true }).uncheck()
  await page.getByLabel('read statistics and events', { exact: true }).check()
  await page.getByRole('button', { name: 'Create key', exact: true }).click()
  await page.getByText('Your key, shown only once.').waitFor()
  const keys: { readonly name: string; readonly scopes: readonly string[] }[] = await get('api-keys')
  assert.deepEqual(keys.find(({ name }) => name === 'Statistics')?.scopes, ['stats:read'])
  assert.deepEqual(here.faults, [])
})

test('an unknown address answers people with a page, and programs with JSON', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const answer = await page.goto(`${dashboard.posthorn.url}/users/all`)
  assert.equal(answer?.status(), 404)
  await page.getByRole('heading', { name: 'Page not found', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Go to the overview', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  for (const [where, accept] of [
    ['/users/all', '*/*'],
    ['/api/v1/no-such', 'text/html'],
  ] as const) {
    const told = await fetch(dashboard.posthorn.url + where, { headers: { accept } })
    assert.equal(((await told.json()) as { code: string }).code, 'not_found', where)
  }
  assert.deepEqual(here.faults, [])
})

test('a contact can be asked to confirm again, and removed; a refusal says until when', async () => {
  const who = await dashboard.owner()
  const contact = { from: 'a@shop.example', email: 'reader@example.net' }
  const made = await call(who.test_api_key, 'POST', '/api/v1/customer/contacts', contact)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/contacts')
  const again = page.getByRole('button', { name: 'Resend confirmation', exact: true })
  await again.click()
  await page.getByText('reader@example.net was asked again.').waitFor()
  // It is allowed once an hour.
  await again.click()
  await page.getByText('try again in').waitFor()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No contacts yet.').waitFor()
  assert.equal((await call(who.api_key, 'GET', `/api/v1/customer/contacts/${made.body.data.id}`)).status, 404)
  assert.deepEqual(here.faults, [])
})
