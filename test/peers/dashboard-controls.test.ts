// Everything that the API can change can be changed in the dashboard: keys, endpoints, the account, contacts. Errors appear at
// the control, and changes are stored.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, seriousFaults, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const WIDTHS = [390, 768, 1280]

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('controls'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

/** Accessibility and layout faults of the open page, at each width. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    if (over > 0) found.push(`${page.url()} at ${width} px is ${over} px too wide`)
  }
  return [...found, ...(await seriousFaults(page))]
}

/** The error text of a field. */
async function faultAt(page: Page, label: string): Promise<string> {
  const field = page.getByLabel(label, { exact: true })
  await page.locator('[aria-invalid=true]').first().waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true', label)
  const [id = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  return page.locator(`[id="${id}"]`).innerText()
}

test('a key gets its limits when it is created, and others later: domains, networks, expiry, name', async () => {
  const who = await dashboard.owner()
  const get = async (where: string) => (await call(who.api_key, 'GET', `/api/v1/customer/${where}`)).body.data
  const domain = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })).body.data
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Tokyo' })
  const { page } = here
  await dashboard.open(page, '/keys')
  const make = page.getByRole('button', { name: 'Create key', exact: true })
  const networks = page.getByLabel('Allowed IP addresses', { exact: true })
  await page.getByLabel(/^Name, such as/).fill('Shop')
  await page.getByLabel('Domains', { exact: true }).selectOption('some')
  // An empty choice would mean all domains.
  assert.ok(await make.isDisabled())
  await page.getByLabel('shop.example', { exact: true }).check()
  await networks.fill('192.0.2.1/24, 300.1.1.1')
  await page.getByLabel('Expires', { exact: true }).fill('2020-01-01T00:00')
  await make.click()
  assert.match(await faultAt(page, 'Allowed IP addresses'), /Entry 2 is no network such as 192/)
  assert.match(await faultAt(page, 'Expires'), /future/)
  assert.deepEqual(await faultsOf(page), [])
  await networks.fill('192.0.2.1/24 2001:db8::1')
  await page.getByLabel('Expires', { exact: true }).fill('2099-01-01T09:30')
  await page.getByText('Time zone: Asia/Tokyo').waitFor()
  await make.click()
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  // The next key starts without limits.
  assert.equal(await networks.inputValue(), '')
  const [made] = (await get('api-keys')).filter(({ name }: { name: string }) => name === 'Shop')
  assert.deepEqual(
    [made.domain_ids, made.allowed_ips, made.expires_at],
    [[domain.id], ['192.0.2.1/24', '2001:db8::1/128'], '2099-01-01T00:30:00.000Z'],
  )
  const row = page.getByRole('row', { name: /^Shop / })
  await row.getByText('full access · 1 domain · 2 networks · until Jan 1, 2099').waitFor()
  await row.getByRole('link', { name: 'Shop', exact: true }).click()

  await page.getByRole('heading', { name: 'Shop', exact: true }).waitFor()
  const save = page.getByRole('button', { name: 'Save', exact: true })
  assert.ok(await save.isDisabled())
  assert.equal(await page.getByLabel('Expires', { exact: true }).inputValue(), '2099-01-01T09:30')
  await page.getByLabel('Name', { exact: true }).fill('Shop of old')
  await page.getByLabel('Expires', { exact: true }).fill('')
  await networks.fill('nowhere')
  await save.click()
  assert.match(await faultAt(page, 'Allowed IP addresses'), /Entry 1 is no network/)
  assert.deepEqual(await faultsOf(page), [])
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  const asks = page.getByRole('dialog', { name: 'Unsaved changes' })
  await asks.getByRole('button', { name: 'Stay', exact: true }).click()
  await networks.fill('')
  await page.getByLabel('Permissions', { exact: true }).selectOption('some')
  await save.click()
  await page.getByText('Saved. Takes effect within seconds.').waitFor()
  await page.getByRole('heading', { name: 'Shop of old', exact: true }).waitFor()
  const kept = await get(`api-keys/${made.id}`)
  assert.deepEqual(
    [kept.name, kept.scopes, kept.domain_ids, kept.allowed_ips, kept.expires_at],
    ['Shop of old', ['send'], [domain.id], [], null],
  )
  assert.ok(await save.isDisabled())

  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate' })
  await dialog.getByLabel('The current one stops working', { exact: true }).selectOption({ label: 'after 3 days' })
  assert.deepEqual(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByText('Your key, shown only once.').waitFor()
  const { previous_valid_until: until } = await get(`api-keys/${made.id}`)
  assert.ok(Date.parse(until) - Date.now() > 71 * 3_600_000)
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('requests that use it are refused.').waitFor()
  assert.equal(await save.count(), 0)
  assert.deepEqual(here.faults, [])
})

test("an endpoint's name and address can be changed on its page, and a period is replayed in the time zone shown", async () => {
  const who = await dashboard.owner()
  const given = { url: 'https://hooks.example.org/in', name: 'Hook', events: ['email.bounced'] }
  const hook = (await call(who.api_key, 'POST', '/api/v1/customer/webhooks', given)).body.data
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Tokyo' })
  const { page } = here
  await dashboard.open(page, `/webhooks/${hook.id}`)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const address = page.getByLabel('URL', { exact: true })
  assert.ok(await save.isDisabled())
  await address.fill('http://hooks.example.org/in')
  await save.click()
  assert.match(await faultAt(page, 'URL'), /notifications can go to/)
  assert.deepEqual(await faultsOf(page), [])
  await address.fill('https://hooks.example.org/other')
  await page.getByLabel('Name', { exact: true }).fill('Hook of old')
  await save.click()
  await page.getByRole('heading', { name: 'Hook of old', exact: true }).waitFor()
  assert.ok(await save.isDisabled())
  const kept = (await call(who.api_key, 'GET', `/api/v1/customer/webhooks/${hook.id}`)).body.data
  assert.deepEqual([kept.name, kept.url, kept.events], ['Hook of old', `${given.url.slice(0, -2)}other`, given.events])
  const told = page.waitForRequest(/\/replay$/)
  await page.getByLabel('From', { exact: true }).fill('2026-03-01T09:00')
  await page.getByLabel('To', { exact: true }).fill('2026-03-01T10:00')
  await page.getByRole('button', { name: 'Replay events', exact: true }).click()
  assert.equal((await told).postDataJSON().from, '2026-03-01T00:00:00.000Z')
  assert.deepEqual(here.faults, [])
})

test("an account's profile and retention can be changed; a shorter retention asks for confirmation", async () => {
  const who = await dashboard.owner()
  const profile = async () => (await call(who.api_key, 'GET', '/api/v1/customer/profile')).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  const account = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Account', exact: true }) })
  const keep = account.getByRole('button', { name: 'Save', exact: true })
  await page.getByLabel('Company', { exact: true }).fill('Post & Horn Ltd')
  await page.getByLabel('Account email', { exact: true }).fill('office@localhost@')
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Nowhere')
  await page.getByLabel('Disposable address threshold', { exact: true }).fill('7')
  // As in a browser that checks addresses less strictly: the service reports the error.
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  await keep.click()
  assert.match(await faultAt(page, 'Account email'), /no email address/)
  assert.match(await faultAt(page, 'Time zone'), /no time zone/)
  assert.match(await faultAt(page, 'Disposable address threshold'), /at most 1\.$/)
  assert.deepEqual(await faultsOf(page), [])
  await page.getByLabel('Account email', { exact: true }).fill('office@shop.example')
  await page.getByLabel('Time zone', { exact: true }).fill('Europe/Vienna')
  await page.getByLabel('Disposable address threshold', { exact: true }).fill('0.7')
  await keep.click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const { company, email, timezone, disposable_confidence_threshold: threshold } = await profile()
  assert.deepEqual(
    [company, email, timezone, threshold],
    ['Post & Horn Ltd', 'office@shop.example', 'Europe/Vienna', 0.7],
  )

  const kept = page
    .locator('section')
    .filter({ has: page.getByRole('heading', { name: 'Email retention', exact: true }) })
  const days = kept.getByLabel('Days', { exact: true })
  await days.fill('30')
  // Neither pressing the key nor the first button changes anything.
  await days.press('Enter')
  await kept.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Email data older than 30 days will be deleted within a day.').waitFor()
  assert.equal((await profile()).retention_days, 90)
  await page.getByRole('button', { name: 'Shorten retention', exact: true }).click()
  await kept.locator('button[type=submit][aria-disabled=true]').waitFor()
  assert.equal((await profile()).retention_days, 30)
  await days.fill('9999')
  await days.press('Enter')
  assert.match(await faultAt(page, 'Days'), /3650/)
  assert.deepEqual(here.faults, [])
})

test('a contact can be added, changed, unsubscribed and erased, and its proof of consent is shown', async () => {
  const who = await dashboard.owner()
  const path = '/api/v1/customer/contacts'
  const contacts = async (query = '') => (await call(who.api_key, 'GET', path + query)).body.data
  const consent = { source_url: 'https://shop.example/join', consent_text: 'Yes, write to me', timestamp: null }
  await call(who.api_key, 'POST', path, { email: 'reader@example.net', consent, double_opt_in: false, tags: ['old'] })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/contacts')
  const add = page.getByRole('button', { name: 'Add', exact: true })
  await page.getByLabel('Email address', { exact: true }).fill('new@example.net')
  await page.getByLabel('Ask for confirmation by email', { exact: true }).uncheck()
  await add.click()
  await page.getByText('new@example.net subscribed.').waitFor()
  assert.deepEqual(await faultsOf(page), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByLabel('Tag', { exact: true }).fill('old')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.locator('main').getByText('1 entry', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'reader@example.net', exact: true }).click()
  await page.getByText('Yes, write to me', { exact: true }).waitFor()
  await page.getByText('https://shop.example/join', { exact: true }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Reader')
  await page.getByLabel('Tags', { exact: true }).fill('new, of the fair')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const [changed] = await contacts('?search=reader')
  assert.deepEqual([changed.name, changed.tags], ['Reader', ['new', 'of the fair']])
  await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unsubscribe', exact: true }).click()
  await page.getByText('Asked for no more email. None is sent.').waitFor()
  assert.deepEqual(await faultsOf(page), [])
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByRole('button', { name: 'Erase address', exact: true }).click()
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
  await page.getByRole('link', { name: 'new@example.net', exact: true }).waitFor()
  assert.equal((await contacts()).length, 1)
  const { body } = await call(who.api_key, 'GET', '/api/v1/customer/unsubscribes')
  assert.deepEqual(body.data, [])
  await page.getByRole('link', { name: 'Erasures', exact: true }).click()
  await page.getByText('reader@example.net', { exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('contacts are imported as they were exported, and a tag with a comma stays one tag when a name is changed', async () => {
  const who = await dashboard.owner()
  const path = '/api/v1/customer/contacts'
  const known = { email: 'known@example.net', double_opt_in: false, tags: ['a, b', 'c'] }
  await call(who.api_key, 'POST', path, known)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/contacts?import=1')
  const list = 'email,tags\nknown@example.net,x\nnew@example.net,"one,""two, 2"""\nnobody@,\n'
  await page.getByLabel('Or paste addresses', { exact: true }).fill(list)
  await page.getByText('Email each one to ask for confirmation').click()
  await page.getByRole('button', { name: 'Import 3', exact: true }).click()
  await page.getByText('2 of 3 done, 1 failed').waitFor()
  await page.getByRole('link', { name: 'known@example.net', exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Known')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const { body } = await call(who.api_key, 'GET', path)
  assert.deepEqual(
    body.data.map(({ email, name, tags }: { email: string; name: string; tags: string[] }) => [email, name, tags]),
    [
      ['new@example.net', null, ['one', 'two, 2']],
      ['known@example.net', 'Known', ['a, b', 'c']],
    ],
  )
  assert.deepEqual(here.faults, [])
})

test('a scheduled email can be rescheduled on its page, which shows the time', async () => {
  const who = await dashboard.owner()
  const planned = new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + 86_400_000)
  const sent = await call(who.test_api_key, 'POST', '/api/v1/send', {
    ...{ from: 'a@b.example', to: 'jo@example.net', subject: 'Later', text: 'Hi' },
    scheduled_at: planned.toISOString(),
  })
  const email = `/emails/${sent.body.data.email_id}`
  await using here = await dashboard.visit(who, { timezoneId: 'UTC' })
  const { page } = here
  await dashboard.open(page, email)
  const at = page.getByLabel('Send at', { exact: true })
  const move = page.getByRole('button', { name: 'Reschedule', exact: true })
  assert.equal(await at.inputValue(), planned.toISOString().slice(0, 16))
  assert.ok(await move.isDisabled())
  await at.fill('2099-01-01T09:30')
  await move.click()
  assert.match(await faultAt(page, 'Send at'), /30 days/)
  assert.deepEqual(await faultsOf(page), [])
  const moved = new Date(planned.getTime() + 86_400_000).toISOString()
  await at.fill(moved.slice(0, 16))
  await move.click()
  await page.locator('button[type=submit][aria-disabled=true]').getByText('Reschedule').waitFor()
  assert.equal((await call(who.api_key, 'GET', `/api/v1${email}`)).body.data.scheduled_at, moved)
  await page
    .getByRole('listitem')
    .filter({ hasText: /^○?Scheduled for .*, expires/ })
    .waitFor()
  assert.deepEqual(here.faults, [])
})

test('a deferred email explains the response, or that the server cannot be reached', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'Put off', text: 'Hi', sandbox_result: 'defer' }
  const sent = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  const email = `/emails/${sent.body.data.email_id}`
  const { body } = await waitFor('an attempt', async () => {
    const found = await call(who.api_key, 'GET', `/api/v1${email}`)
    return found.body.data.status === 'deferred' && found
  })
  await using here = await dashboard.visit(who)
  const { page } = here
  const shown = async (answer: object, more: object = {}): Promise<void> => {
    const [attempt] = body.data.attempts
    const data = { ...body.data, last_response: 'x', attempts: [{ ...attempt, ...answer }], ...more }
    await page.unroute(`**/api/v1${email}`)
    await page.route(`**/api/v1${email}`, (route) => route.fulfill({ json: { data } }))
    await dashboard.open(page, email)
  }
  const full = 'The email account that you tried to reach is over quota'
  await shown({ smtp_code: 452, enhanced_code: '4.2.2', response: `452 4.2.2 ${full}` })
  await page.getByText('The mailbox exists but is full.').waitFor()
  await shown({ smtp_code: 451, enhanced_code: '4.7.1', response: '451 4.7.1 Greylisting in action, come back later' })
  await page.getByText('defers unknown senders (greylisting)').waitFor()
  await shown({ smtp_code: 451, enhanced_code: null, response: '451 Not now' })
  await page.getByText('most deferred email arrives within the hour').waitFor()
  const nobody = '4.4.1 no server answered'
  await shown({ outcome: 'error', smtp_code: null, enhanced_code: '4.4.1', response: nobody })
  await page.getByText('No receiving server could be reached').waitFor()
  await page.getByText('check port 25 of this machine').waitFor()
  await page.getByText(/^Next attempt/).waitFor()
  await shown({ outcome: 'error', smtp_code: 421, enhanced_code: '4.7.0', response: '421 4.7.0 Too many connections' })
  await page.getByText('The receiving server deferred it.').waitFor()
  const due = new Date(Date.now() - 3_600_000).toISOString()
  await shown({ smtp_code: 452, enhanced_code: '4.2.2', response: `452 4.2.2 ${full}` }, { next_attempt_at: due })
  await page.getByText('delivery to this destination is paused').waitFor()
  const failed = { event_id: 'f', event: 'email.failed', timestamp: due, data: { reason: 'tls_required' } }
  await shown({ outcome: 'error' }, { status: 'failed', next_attempt_at: null, events: [failed] })
  await page.getByText('send with tls_policy opportunistic').waitFor()
  assert.deepEqual(here.faults, [])
})

test('domains are compared, and each figure of a domain leads to its emails', async () => {
  const who = await dashboard.owner()
  const [shop, news] = await Promise.all(
    ['shop.example', 'news.example'].map(
      async (domain) => (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain })).body.data,
    ),
  )
  for (const [from, subject] of [
    ['a@shop.example', 'Of the shop'],
    ['a@news.example', 'Of the news'],
  ])
    await call(who.test_api_key, 'POST', '/api/v1/send', { from, subject, to: 'jo@example.net', text: 'Hi' })
  await using here = await dashboard.visit(who)
  const { page } = here
  // Sandbox emails are not counted.
  const counted = { sent: 400, delivered: 390, bounces: 10, spam_complaints: 0, unique_opens: 0 }
  await page.route(/\/stats\/outbound(\/domains)?\?/, async (route) => {
    const { data, ...answer } = await (await route.fetch()).json()
    const others = { ...counted, sent: 100, delivered: 100, bounces: 0, domain_id: news.id }
    const listed = [{ ...counted, domain_id: shop.id }, others]
    await route.fulfill({ json: { ...answer, data: Array.isArray(data) ? listed : { ...data, ...counted } } })
  })
  await dashboard.open(page, '/domains')
  const figures = page.getByRole('table', { name: 'Figures by domain' })
  await figures.getByRole('row', { name: /^shop\.example 400 97\.5.% .*too high: 2\.5.%/ }).waitFor()
  await figures.getByRole('row', { name: /^news\.example 100 100.% 0.%/ }).waitFor()
  assert.deepEqual(await faultsOf(page), [])
  await page.setViewportSize({ width: 1280, height: 900 })
  await figures.getByRole('link', { name: 'shop.example', exact: true }).click()
  await page.getByText(/400 emails from shop\.example in the last 30 days were delivered/).waitFor()
  assert.equal(await page.getByLabel('Domain', { exact: true }).inputValue(), shop.id)
  assert.deepEqual(await faultsOf(page), [])
  await page.getByRole('heading', { name: 'Health across all domains', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Of the shop', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Of the news', exact: true }).count(), 0)
  await page.getByRole('link', { name: '400', exact: true }).click()
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  // Like the figure, its list excludes the sandbox.
  await page.getByLabel('Sandbox', { exact: true }).selectOption('')
  await page.getByRole('link', { name: 'Of the shop', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Of the news', exact: true }).count(), 0)
  await page.getByLabel('Domain', { exact: true }).selectOption('news.example')
  await page.getByRole('link', { name: 'Of the news', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Of the shop', exact: true }).count(), 0)
  assert.deepEqual(here.faults, [])
})

test('the health page says how far each rate is from its target and what to do, and links to what it counts', async () => {
  const who = await dashboard.owner()
  const { body } = await call(who.api_key, 'GET', '/api/v1/customer/health-score')
  const rates = { sent: 136, delivered: 126, bounced: 8, complained: 0 }
  const bounce = { value: 0.0515, warning: 0.02, critical: 0.1 }
  const delivery = { value: 0.9265, warning: 0.98, critical: 0.85 }
  const found = (code: string, evidence: object) => {
    return { code, severity: 'warning', message: `${code} so far`, evidence: { ...evidence, ...rates } }
  }
  const health = {
    ...body.data,
    ...{ score: 71, grade: 'C', previous_score: 80, metrics: { ...body.data.metrics, ...rates } },
    components: [{ name: 'bounce', weight: 25, score: 61, ...bounce }],
    findings: [found('low_delivery', delivery), found('high_bounces', bounce)],
  }
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.route('**/customer/health-score', (route) => route.fulfill({ json: { data: health } }))
  await dashboard.open(page, '/health')
  await page.getByText('71 of 100 points, down from 80, based on 136 emails sent').waitFor()
  // As on the overview: 0.9265 rounded again would be 92.7 %.
  await page.getByText(/It is 92\.6.%: 98\.0.% earns full points, 85\.0.% none\./).waitFor()
  await page.getByRole('row', { name: /^Bounced, hard or soft 5\.1.% 2\.0.% 10\.0.%/ }).waitFor()
  assert.deepEqual(await faultsOf(page), [])
  await page.getByRole('link', { name: 'Hard bounces', exact: true }).click()
  await page.getByRole('heading', { name: 'Bounces', exact: true }).waitFor()
  assert.match(page.url(), /\?(?=.*type=hard)(?=.*from=\d{4}-\d\d-\d\d)/)
  assert.deepEqual(here.faults, [])
})

test('a list shows all of its columns on a tablet', async () => {
  const who = await dashboard.owner()
  const mail = {
    from: 'a@b.example',
    to: 'somebody.with.a.name@department.example.net',
    subject: 'A subject of some words',
  }
  await call(who.test_api_key, 'POST', '/api/v1/send', { ...mail, text: 'Hi' })
  await call(who.api_key, 'POST', '/api/v1/customer/api-keys', {
    name: 'A name of some words',
    expires_at: '2099-01-01T00:00:00Z',
  })
  await using here = await dashboard.visit(who, { viewport: { width: 768, height: 900 } })
  const { page } = here
  for (const [where, name] of [
    ['/emails', 'Emails'],
    ['/keys', 'API keys'],
  ] as const) {
    await dashboard.open(page, where)
    await page.getByRole('region', { name }).waitFor()
    const list = `document.querySelector('[role=region][aria-label="${name}"]')`
    const cut = await page.evaluate<number>(`${list}.scrollWidth - ${list}.clientWidth`)
    assert.equal(cut, 0, where)
  }
  assert.deepEqual(here.faults, [])
})

test('a suppression can have an end date and a note, an unsubscribe a reason', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Tokyo' })
  const { page } = here
  await dashboard.open(page, '/suppressions')
  const add = page.getByLabel('Email address', { exact: true })
  await add.fill('away@example.net')
  await page.getByLabel(/^Note/).fill('On leave')
  await page.getByLabel('Expires', { exact: true }).fill('2020-01-01T09:00')
  await page.getByRole('button', { name: 'Suppress', exact: true }).click()
  assert.match(await faultAt(page, 'Expires'), /It has passed\.$/)
  assert.deepEqual(await faultsOf(page), [])
  await page.getByLabel('Expires', { exact: true }).fill('2099-01-01T09:00')
  await page.getByRole('button', { name: 'Suppress', exact: true }).click()
  await page.getByText('away@example.net suppressed.').waitFor()
  await page.getByRole('heading', { name: 'Suppressed addresses', exact: true }).click()
  await page.keyboard.press('/')
  assert.equal(await page.evaluate<string>('document.activeElement.name'), 'search')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('row', { name: /away@example\.net manual On leave .* Jan 1, 2099/ }).waitFor()
  const [one] = (await call(who.api_key, 'GET', '/api/v1/customer/suppressions')).body.data
  assert.deepEqual([one.details, one.expires_at], ['On leave', '2099-01-01T00:00:00.000Z'])
  await dashboard.open(page, '/unsubscribes')
  await add.fill('enough@example.net')
  await page.getByLabel('Reason, if known', { exact: true }).fill('By telephone')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('row', { name: /enough@example\.net manual By telephone/ }).waitFor()
  assert.deepEqual(here.faults, [])
})
