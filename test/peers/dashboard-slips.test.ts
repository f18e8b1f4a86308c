// Imprecise input, and a network that goes away: pages say what to do, and nothing loads forever.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const NOON = '2026-01-02T12:00:00.000Z'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('slips'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

const go = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

test('saving settings does not undo other settings that somebody else saved meanwhile', async () => {
  const who = await dashboard.owner()
  const profile = '/api/v1/customer/profile'
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Vienna')
  await call(who.api_key, 'PATCH', profile, { company: 'Theirs', disposable_confidence_threshold: 0.6 })
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Saved.', { exact: true }).waitFor()
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

test('a filter or an address that cannot match anything says what to do', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const where of ['/emails', '/events', '/bounces']) {
    await dashboard.open(page, `${where}?recipient=jo`)
    await page.getByText('Enter a full email address, such as jo@example.net.').waitFor()
    assert.equal(await page.getByLabel('Recipient', { exact: true }).getAttribute('aria-invalid'), 'true')
  }
  await page.getByRole('button', { name: 'Show all', exact: true }).click()
  await page.getByText('No bounces yet.').waitFor()
  await dashboard.open(page, '/emails?status=nonsense')
  await page.getByText('“nonsense” is not a valid value for Status.').waitFor()
  for (const where of ['/emails/123', '/domains/xyz']) {
    await dashboard.open(page, where)
    await page.getByText('There is nothing here: the address of this page does not end in a valid ID.').waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('a domain may be typed with capitals and a final dot', async () => {
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

/** What a camera would read from the QR code. */
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

test('records that the DNS did not answer for are not said to need publishing', async () => {
  const who = await dashboard.owner()
  const { id } = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'away.example' })).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  const states = ['error', 'error', 'error']
  await page.route(`**/domains/${id}/dns`, async (route) => {
    const { data } = await (await route.fetch()).json()
    const records = data.dns_records.map((one: object, i: number) => ({ ...one, status: states[i] ?? 'valid' }))
    await route.fulfill({ json: { data: { ...data, dns_records: records } } })
  })
  await dashboard.open(page, `/domains/${id}`)
  await page
    .getByText(
      '0 of 3 required records are in place; the DNS did not answer for Ownership, SPF, DKIM. Verify again later.',
    )
    .waitFor()
  states.splice(0, 2, 'valid', 'mismatch')
  await page.reload()
  await page.getByText(/^.*1 of 3 .*; SPF needs attention; the DNS did not answer for DKIM\. Publish them/).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a two-factor code may contain a blank, a wrong one is reported, and its field has the focus', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  const secret = (await page.locator('form pre').innerText()).trim()
  const picture = await readQr(page.getByRole('img', { name: 'QR code of the secret', exact: true }))
  assert.equal(new URL(picture).searchParams.get('secret'), secret)
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const right = totp.generate()
  const code = page.getByLabel('Code', { exact: true })
  await code.fill(right === '123456' ? '123457' : '123456')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('The code is wrong.').waitFor()
  await code.fill(`${right.slice(0, 3)} ${right.slice(3)}`)
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('Recovery codes, shown only once').waitFor()
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  // The settings page also has an email field.
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  await page.getByLabel('Email', { exact: true }).fill(who.email)
  await page.getByLabel('Password', { exact: true }).fill(who.dashboard_password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel(/^Authentication or recovery code/).waitFor()
  assert.equal(await page.evaluate('document.activeElement.name'), 'code')
  assert.deepEqual(here.faults, [])
})

test('what failed to load is loaded again: by a button, and automatically after the time that the service names', async () => {
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
  await page.getByText('No emails yet.').waitFor()
  await page.route(emails, (route) => route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: away }), {
    times: 1,
  })
  await dashboard.open(page, '/emails')
  await page.getByText('No emails yet.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('offline, a page says so and recovers with the network; a page whose script is gone says so inside the dashboard', async () => {
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
  await page.getByText('No suppressed addresses.').waitFor()

  await dashboard.open(page, '/')
  let misses = 0
  await page.route(/assets\/lists/, (route) => (misses++ === 0 ? route.fulfill({ status: 404 }) : route.continue()))
  await go(page, 'Suppressions')
  await page.getByText('No suppressed addresses.').waitFor()
  assert.ok(misses > 0)
  await page.unroute(/assets\/lists/)
  await page.route(/assets\/(lists|templates)/, (route) => route.fulfill({ status: 404 }))
  await dashboard.open(page, '/')
  await go(page, 'Templates')
  await page.getByText('This page could not be loaded.').waitFor()
  await page.getByRole('link', { name: 'Overview', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('figures use the number format of the text around them, and errors are sentences', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { locale: 'de-DE' })
  const { page } = here
  await page.route('**/api/v1/address/validate/quota', async (route) => {
    const read = await (await route.fetch()).json()
    await route.fulfill({ json: { ...read, data: { ...read.data, limit: 30_000, used: 0, remaining: 30_000 } } })
  })
  await dashboard.open(page, '/validation')
  await page.getByText('30,000 of 30,000 validations left this month.').waitFor()
  await dashboard.open(page, '/settings')
  await page.getByLabel('Current password', { exact: true }).fill(who.dashboard_password)
  await page.getByLabel(/^New password/).fill('short')
  await page.getByRole('button', { name: 'Change password', exact: true }).click()
  await page.getByText('It must have 12 characters or more.').waitFor()
  await dashboard.open(page, '/unsubscribes')
  await page.getByLabel('Email address', { exact: true }).fill('nobody')
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('It is not an email address: it has no @.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('a sandbox email is marked among the latest, and an email with webhook deliveries fits a phone', async () => {
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
  await page.getByRole('table', { name: 'Deliveries to Orders' }).waitFor()
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  assert.equal(over, 0)
  assert.deepEqual(here.faults, [])
})

const ANYWHERE = 'Subject, recipient or message ID'

test('a pasted recipient is found, with blanks or a display name around it', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'To Jo', text: 'Hi' }
  await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/emails')
  for (const [label, parameter] of [
    ['Recipient', 'recipient'],
    [ANYWHERE, 'search'],
  ] as const) {
    for (const pasted of [' jo@example.net ', 'Jo Doe <jo@example.net>']) {
      await page.getByLabel(label, { exact: true }).fill(pasted)
      await page.getByRole('button', { name: 'Search', exact: true }).click()
      await page.waitForURL((url) => url.searchParams.get(parameter) === 'jo@example.net')
      await page.getByRole('link', { name: 'To Jo', exact: true }).waitFor()
      assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), 'jo@example.net')
      await dashboard.open(page, '/emails')
    }
  }
  await dashboard.open(page, '/events?recipient=%20jo@example.net')
  await page.getByRole('link', { name: 'To Jo', exact: true }).first().waitFor()
  assert.deepEqual(here.faults, [])
})

test('the list behind «sent» has what the overview counts: no sandbox, nothing that is still scheduled', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'Sent', text: 'Hi' }
  await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  const later = { ...mail, subject: 'Later', scheduled_at: new Date(Date.now() + 86_400_000).toISOString() }
  assert.equal((await call(who.test_api_key, 'POST', '/api/v1/send', later)).status, 202)
  await using here = await dashboard.visit(who)
  const { page } = here
  const sent = page.locator('dl > div').filter({ hasText: 'last 30 days' }).getByRole('link')
  await dashboard.open(page, '/')
  assert.equal(await sent.innerText(), '0')
  await sent.click()
  await page.getByText('Nothing matches these filters.').waitFor()
  await dashboard.open(page, '/?sandbox=1')
  await sent.filter({ hasText: /^1$/ }).click()
  await page.getByRole('link', { name: 'Sent', exact: true }).waitFor()
  await page.locator('main').getByText('1 entry', { exact: true }).waitFor()
  assert.equal(await page.getByLabel('Event', { exact: true }).inputValue(), 'email.sent')
  assert.deepEqual(here.faults, [])
})

test('the list of emails has room for the last response beside a long subject', async () => {
  const who = await dashboard.owner()
  const subject = 'The news of the week, and of the week before it, with all that was said about them '.repeat(3)
  const mail = { from: 'a@b.example', to: 'somebody.with.a.long.name@example.net', subject, text: 'Hi' }
  const { body } = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await waitFor('its end', async () => {
    const { data } = (await call(who.api_key, 'GET', `/api/v1/emails/${body.data.email_id}`)).body
    return data.status === 'delivered' ? true : undefined
  })
  await using here = await dashboard.visit(who, { viewport: { width: 1_280, height: 800 } })
  const { page } = here
  await dashboard.open(page, '/emails')
  const cell = page.getByRole('cell', { name: '250 2.0.0 taken by the sandbox' })
  const { width = 0 } = (await cell.boundingBox()) ?? {}
  assert.ok(width > 180, `${width} px`)
  assert.deepEqual(here.faults, [])
})

test('going back from an unsaved template asks first, and the URL does not change before the answer', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const write = page.getByRole('link', { name: 'Create template', exact: true }).first()
  await dashboard.open(page, '/templates')
  await write.click()
  await page.getByLabel('Name', { exact: true }).fill('Unsaved')
  const question = page.getByRole('dialog', { name: 'Unsaved changes' })
  for (const answer of ['Stay', 'Leave without saving']) {
    await page.evaluate('history.back()')
    await question.waitFor()
    await page.waitForURL('**/templates/new')
    await page.getByRole('button', { name: answer, exact: true }).click()
    await question.waitFor({ state: 'detached' })
    if (answer === 'Stay') assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Unsaved')
  }
  await page.waitForURL('**/templates')
  await write.click()
  await page.getByLabel('Name', { exact: true }).fill('Unsaved')
  await go(page, 'Contacts')
  await question.waitFor()
  await page.getByRole('button', { name: 'Leave without saving', exact: true }).click()
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('the SMTP password is fetched when it is to be shown, and not before', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/smtp-credentials')) asked.push(request.url())
  })
  await dashboard.open(page, '/smtp')
  await page.getByRole('button', { name: 'Copy the username', exact: true }).waitFor()
  assert.deepEqual(asked, [])
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('button', { name: 'Copy the password', exact: true }).waitFor()
  assert.equal(asked.length, 1)
  const { password } = (await call(who.api_key, 'GET', '/api/v1/smtp-credentials')).body
  await page.getByText(password, { exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('the first call to copy shows where the key belongs, or contains one that works', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/')
  const curl = page.locator('pre').first()
  assert.match(await curl.innerText(), /X-API-Key: YOUR_TEST_KEY'/)
  await page.getByRole('button', { name: 'Create a test key', exact: true }).click()
  await page.getByText('It is shown only once').waitFor()
  const [, key = ''] = /X-API-Key: (ph_test_\w+)'/.exec(await curl.innerText()) ?? []
  const mail = { from: 'you@example.com', to: 'someone@example.net', subject: 'Hello', text: 'It works.' }
  assert.equal((await call(key, 'POST', '/api/v1/send', mail)).status, 202)
  assert.deepEqual(here.faults, [])
})

test('unknown reasons of suppressions are listed before the import, and one can be chosen to replace them', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/suppressions?import=1')
  const rows = ['email,reason', 'a@x.example,Bounced', 'b@x.example,spam', 'c@x.example,gone away', 'd@x.example,']
  await page.getByLabel('Or paste addresses', { exact: true }).fill(rows.join('\n'))
  await page.getByText('Unrecognized reasons: “gone away” (1).').waitFor()
  await page.getByRole('button', { name: 'Import 3', exact: true }).waitFor()
  await page.getByLabel('Import them all as', { exact: true }).selectOption('complaint')
  await page.getByRole('button', { name: 'Import 4', exact: true }).click()
  await page.getByText('Finished: 4 of 4 done.').waitFor()
  const { data } = (await call(who.api_key, 'GET', '/api/v1/customer/suppressions')).body
  const found = data.map(({ email, reason }: { email: string; reason: string }) => `${email[0]} ${reason}`)
  assert.deepEqual(found.toSorted(), ['a hard_bounce', 'b complaint', 'c complaint', 'd manual'])
  assert.deepEqual(here.faults, [])
})

test('the unsent rest of a campaign can be canceled where its tag is filtered', async () => {
  const who = await dashboard.owner()
  const later = new Date(Date.now() + 3_600_000).toISOString()
  const mail = { from: 'a@shop.example', to: 'b@example.net', subject: 'Wrong', text: 'x', scheduled_at: later }
  for (const tag of ['wrong', 'wrong', 'right']) await call(who.test_api_key, 'POST', '/api/v1/send', { ...mail, tag })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/emails')
  const cancel = page.getByRole('button', { name: 'Cancel unsent emails', exact: true })
  assert.equal(await cancel.count(), 0)
  await dashboard.open(page, '/emails?tag=wrong')
  await cancel.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel emails', exact: true }).click()
  await page.getByText('2 canceled.', { exact: true }).waitFor()
  const { body } = await call(who.api_key, 'GET', '/api/v1/emails?status=scheduled')
  assert.deepEqual(
    body.data.map(({ tag }: { tag: string }) => tag),
    ['right'],
  )
  assert.deepEqual(here.faults, [])
})

test('a URL, or a name in another script, in a domain field is explained', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/domains')
  for (const [typed, said] of [
    ['user@example.com', 'use only the part after the @.'],
    ['münchen.de', 'internationalized names, such as münchen.de, are not supported.'],
  ] as const) {
    await page.getByLabel(/^Domain, such as/).fill(typed)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(said).waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('the language for recipients can be set in the settings, and days name their time zone', async () => {
  const who = await dashboard.owner()
  await call(who.api_key, 'PATCH', '/api/v1/customer/profile', { locale: 'de-AT' })
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Kathmandu' })
  const { page } = here
  await dashboard.open(page, '/')
  await page.getByText(/^Days in Asia\/Kat/).waitFor()
  await dashboard.open(page, '/settings')
  const language = page.getByLabel('Language for recipients', { exact: true })
  assert.equal(await language.inputValue(), 'de-AT')
  await language.selectOption('French')
  await page.getByRole('button', { name: 'Save', exact: true }).first().click()
  await page.getByText('Saved.').waitFor()
  const { locale, timezone } = (await call(who.api_key, 'GET', '/api/v1/customer/profile')).body.data
  assert.deepEqual([locale, timezone], ['fr', 'UTC'])
  assert.deepEqual(here.faults, [])
})

test('the DKIM keys of a domain: new ones are made and dropped, and the page says how long to keep the old record', async () => {
  const who = await dashboard.owner()
  const { id } = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'keys.example' })).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/domains/${id}`)
  await page.getByRole('button', { name: 'Replace DKIM keys' }).click()
  await page.getByRole('button', { name: 'Make new keys' }).click()
  const keep = page.getByRole('button', { name: 'Keep current keys' })
  await keep.waitFor()
  const { selector } = (await call(who.api_key, 'GET', `/api/v1/customer/domains/${id}`)).body.data.dkim_rotation
  await page.getByText(`${selector}._domainkey.keys.example`, { exact: true }).waitFor()
  await page.getByText(`${selector}e._domainkey.keys.example`, { exact: true }).waitFor()
  await keep.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep current keys' }).click()
  await page.getByRole('button', { name: 'Replace DKIM keys' }).waitFor()
  assert.equal(await page.getByText(`${selector}._domainkey.keys.example`, { exact: true }).count(), 0)

  const days = (count: number): string => new Date(Date.now() + count * 86_400_000).toISOString()
  await page.route(`**/api/**/domains/${id}`, async (route) => {
    const answer = await (await route.fetch()).json()
    const previous = { selector: 'phbefore', replaced_at: days(-1), keep_record_until: days(6) }
    Object.assign(answer.data, { previous_dkim_key: previous })
    await route.fulfill({ json: answer })
  })
  await dashboard.open(page, `/domains/${id}`)
  await page.getByText(/It replaced phbefore .* Keep the records of that selector until/).waitFor()
  assert.deepEqual(here.faults, [])
})

test('an operator deletes an account, and only after typing its email address', async () => {
  const operator = await dashboard.owner({ operator: true })
  const other = await dashboard.owner()
  await using here = await dashboard.visit(operator)
  const { page } = here
  await dashboard.open(page, `/operator/accounts/${other.account_id}`)
  const remove = async (typed: string): Promise<void> => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    await page.getByLabel(/^Type .* to confirm$/).fill(typed)
    await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click()
  }
  await remove('somebody@else.test')
  await page.getByText(/is not the account's email address/).waitFor()
  assert.equal((await call(other.api_key, 'GET', '/api/v1/customer/profile')).status, 200)
  await remove(other.email)
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor()
  await waitFor('the end of its keys', async () => {
    return (await call(other.api_key, 'GET', '/api/v1/customer/profile')).status === 401
  })
  await page.getByText(other.email, { exact: true }).waitFor({ state: 'detached' })
  assert.deepEqual(here.faults, [])
})
