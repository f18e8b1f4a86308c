// The dashboard in a real browser: every page with and without data, and what people do there. POSTHORN_SHOTS=<folder> saves a
// screenshot of each page: empty, light, dark and at a phone's width.

import assert from 'node:assert/strict'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { type Dashboard, type Owner, seriousFaults, settled, startDashboard, type Visit } from './dashboard.ts'
import { freePort, waitFor } from './fixture.ts'

const PAGES =
  '/ /emails /events /inbox /templates /templates/new /contacts /contacts?import=1 /contacts/erasures /domains /tracking-domains /health /suppressions /suppressions?import=1 /unsubscribes /bounces /validation /risk /webhooks /keys /smtp /usage /settings'.split(
    ' ',
  )
const OPERATOR_PAGES = '/operator/queues /operator/accounts /operator/machines /operator/plans /operator/log'.split(' ')
const SHOTS = process.env['POSTHORN_SHOTS']
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }
const AT_ONCE = 3
const HIDDEN_MS = 31_000

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  // The webhooks of this test go to this machine.
  dashboard = stack.use(await startDashboard('dashboard', { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' }))
  if (SHOTS !== undefined) await mkdir(SHOTS, { recursive: true })
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

test('every page opens without data and with it, light, dark and on a phone, and axe finds nothing serious', async () => {
  const [empty, full] = await Promise.all([dashboard.owner(), dashboard.owner({ operator: true })])
  const one = await furnish(full)
  const found: string[] = []
  const nobody = await dashboard.visit(null)
  await dashboard.open(nobody.page, '/')
  found.push(...(await seriousFaults(nobody.page)), ...nobody.faults)
  await nobody[Symbol.asyncDispose]()
  await inTurns(empty, PAGES, async (page, where) => {
    await page.setViewportSize(PHONE)
    await dashboard.open(page, where)
    found.push(...(await seriousFaults(page)), ...(await tooWide(page)))
    await shoot(page, 'empty', where)
  })
  const all = [...PAGES, ...one.map(([where]) => where), ...OPERATOR_PAGES, `/operator/accounts/${full.account_id}`]
  const names = new Map(one)
  await inTurns(full, all, async (page, where) => {
    const name = names.get(where) ?? where.replace(full.account_id, 'one')
    await page.setViewportSize(DESKTOP)
    await page.emulateMedia({ colorScheme: 'light' })
    await dashboard.open(page, where)
    found.push(...(await seriousFaults(page)))
    await shoot(page, 'light', name)
    await page.emulateMedia({ colorScheme: 'dark' })
    found.push(...(await seriousFaults(page, ['color-contrast'])))
    await shoot(page, 'dark', name)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize(PHONE)
    found.push(...(await tooWide(page)))
    await shoot(page, 'phone', name)
  })
  assert.deepEqual([...new Set(found)], [])

  async function inTurns(who: Owner, pages: readonly string[], look: (page: Page, where: string) => Promise<void>) {
    const left = [...pages]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        await using here = await dashboard.visit(who)
        for (let where = left.shift(); where !== undefined; where = left.shift()) await look(here.page, where)
        found.push(...here.faults)
      }),
    )
  }
})

async function tooWide(page: Page): Promise<readonly string[]> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  return width > 0 ? [`${page.url()}: ${width} px too wide`] : []
}

async function shoot(page: Page, round: string, where: string): Promise<void> {
  if (SHOTS === undefined) return
  const name = `${round}${where.replaceAll(/[/?=]/g, '_')}.png`
  await page.screenshot({ path: path.join(SHOTS, name), fullPage: true })
}

/** Puts data on every page. @returns the paths of detail pages, each with the name of its screenshot */
async function furnish({ api_key: live, test_api_key: key }: Owner): Promise<readonly [where: string, name: string][]> {
  const mail = {
    from: 'Shop <hello@shop.example>',
    to: 'jo@example.net',
    html: '<h1>Thank you</h1><p>Your order is on its way: <a href="https://shop.example/1">look</a></p>',
    text: 'Thank you',
  }
  const post = async (who: string, where: string, body: object) =>
    (await call(who, 'POST', `/api/v1${where}`, body)).body.data
  const sent = await Promise.all(
    [0, 1, 2].map((i) => post(key, '/send', { ...mail, subject: `Your order ${i}`, tag: 'order' })),
  )
  const long = 'somebody.with.a.name.that.fills.a.whole.line.of.a.phone'
  const bounced = await post(key, '/send', { ...mail, to: `bounce+${long}@sandbox.test`, subject: 'Lost' })
  const domain = await post(live, '/customer/domains', { domain: 'shop.example' })
  await post(live, '/customer/tracking-domains', { domain: 'links.shop.example' })
  await post(live, '/customer/tracking-domains', { domain: `${long}.shop.example` })
  await post(live, '/customer/suppressions', { email: 'gone@example.net' })
  await post(live, '/customer/unsubscribes', { email: 'enough@example.net' })
  const contact = await post(live, '/customer/contacts', {
    email: 'reader@example.net',
    name: 'Reader',
    double_opt_in: false,
  })
  const url = 'https://hooks.example.org/in'
  const hook = await post(live, '/customer/webhooks', { url, name: 'Hook', events: ['*'] })
  const text = 'Hello {{name}}'
  const template = await post(live, '/templates', { name: 'Welcome', subject: text, text, html: `<p>${text}</p>` })
  const bound = { name: 'Bound', scopes: ['send'], domain_ids: [domain.id], allowed_ips: ['192.0.2.0/24'] }
  const bounded = await post(live, '/customer/api-keys', { ...bound, expires_at: '2099-01-01T00:00:00Z' })
  const counted = '/api/v1/stats/outbound/providers?include_sandbox=true'
  await waitFor('the figures', async () => (await call(key, 'GET', counted)).body.totals.attempts >= 4)
  const captured = await waitFor('captured mail', async () => (await call(key, 'GET', '/api/v1/inbox')).body.data[0])
  return [
    ['/?sandbox=1', '/overview'],
    [`/emails/${sent[0].email_id}`, '/emails/one'],
    [`/emails/${bounced.email_id}`, '/emails/bounced'],
    [`/inbox/${captured.id}`, '/inbox/one'],
    [`/domains/${domain.id}`, '/domains/one'],
    [`/webhooks/${hook.id}`, '/webhooks/one'],
    [`/keys/${bounded.id}`, '/keys/one'],
    [`/contacts/${contact.id}`, '/contacts/one'],
    [`/templates/${template.id}`, '/templates/one'],
  ]
}

test('from the first sign-in on: a domain is verified, an email is followed to its end, a second factor is set up', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(null)
  const { page } = here
  await dashboard.open(page, '/')
  const signIn = async (): Promise<void> => {
    await page.getByLabel('Email', { exact: true }).fill(who.email)
    await page.getByLabel('Password', { exact: true }).fill(who.dashboard_password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await signIn()
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  await dashboard.open(page, '/domains')
  await page.getByLabel(/Domain, such as/).fill('mail.example.org')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'mail.example.org' }).waitFor()
  for (const purpose of ['SPF', 'DKIM', 'DMARC', 'Ownership'])
    await page
      .getByText(new RegExp(`^${purpose}`))
      .first()
      .waitFor()

  const link = '<a href="https://shop.example/1">Look</a>'
  const mail = { from: 'a@mail.example.org', to: 'jo@example.net', subject: 'The story', html: `<p>Hi ${link}</p>` }
  await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await dashboard.open(page, '/emails')
  await page.getByRole('link', { name: 'The story', exact: true }).click()
  await page.getByText('Attempt 1 delivered').waitFor()
  await page.frameLocator('iframe').getByText('Hi').waitFor()
  assert.equal(await page.locator('iframe').getAttribute('sandbox'), '')
  await page.getByRole('button', { name: 'Headers', exact: true }).click()
  await page.getByText('Message-ID', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Links', exact: true }).click()
  await page.getByText('https://shop.example/1', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.getByText('Subject: The story').waitFor()

  await dashboard.open(page, '/settings')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  const secret = await page.locator('form pre').innerText()
  await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret: Secret.fromBase32(secret.trim()) }).generate())
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  const codes = (await page.getByRole('status').locator('pre').innerText()).trim().split('\n')
  assert.equal(codes.length, 10)
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await signIn()
  await page.getByLabel(/Authentication or recovery code/).fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  await dashboard.open(page, '/settings')
  await page.getByLabel('Password, to turn it off', { exact: true }).fill(who.dashboard_password)
  await page.getByLabel('Authentication or recovery code', { exact: true }).fill(codes[1] ?? '')
  await page.getByRole('button', { name: 'Turn off', exact: true }).click()
  await page.getByRole('button', { name: 'Set up', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('an operator sets up the dashboard with the token, creates an account, opens it and leaves it, and pauses a destination', async () => {
  const { address } = JSON.parse(await dashboard.posthorn.cli('operator', 'token', '--json')) as { address: string }
  await using here = await dashboard.visit(null)
  const { page } = here
  await page.goto(dashboard.posthorn.url + new URL(address).pathname + new URL(address).hash)
  await page.getByLabel('Email', { exact: true }).fill('first@posthorn.test')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('link', { name: 'Accounts', exact: true }).click()
  await page.getByRole('button', { name: 'New account', exact: true }).click()
  await page.getByLabel('Owner email', { exact: true }).fill('owner@customer.example')
  await page.getByLabel('Account name', { exact: true }).fill('Customer')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const secrets = await page.getByRole('status').locator('pre').innerText()
  const [key = ''] = /ph_test_\S+/.exec(secrets) ?? []
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  await call(key, 'POST', '/api/v1/send', {
    from: 'a@b.example',
    to: 'jo@held.example',
    subject: 's',
    text: 't',
  })
  await page.getByRole('link', { name: 'Customer', exact: true }).click()
  await page.getByRole('button', { name: 'Open as owner', exact: true }).click()
  await page.getByText('You are viewing').waitFor()
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor()
  await dashboard.posthorn.cli('queue', 'pause', 'held.example')
  await page.getByRole('link', { name: 'Queues', exact: true }).click()
  await page.getByText('paused since').waitFor()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText('paused since').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Audit log', exact: true }).click()
  await page.getByText('opened the account as owner').waitFor()
  await page.getByText('resumed a destination').waitFor()
  assert.deepEqual(here.faults, [])
})

test('lists are imported and exported: bad lines are reported by number, and imported entries are listed', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/suppressions?import=1')
  const csv =
    'email;reason;details;Shop\nold1@example.net;complaint;from before;\nnonsense;;\nold2@example.net;no such;\n\nold3@example.net;;\nopen@example.net;;"5 inch\nold4@example.net;;\n'
  await page.getByLabel('CSV file', { exact: true }).setInputFiles({
    name: 'list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  })
  await page.getByText('Skipped, line 7: The line has a quote that is never closed.').waitFor()
  await page.getByText('Ignored columns: Shop.').waitFor()
  await page.getByText('Unrecognized reasons: “no such” (1).').waitFor()
  await page.getByRole('button', { name: 'Import 4', exact: true }).click()
  await page.getByText('3 of 6 done, 3 failed').waitFor()
  const faults = page.getByRole('table', { name: 'Failed lines' })
  assert.deepEqual(
    (await faults.getByRole('row').allInnerTexts()).slice(1).map((row) => Number.parseInt(row, 10)),
    [3, 4, 7],
  )
  const listed = page.getByRole('table', { name: 'Suppressed addresses' })
  await listed.getByText('old4@example.net').waitFor()
  await listed.getByText('complaint').waitFor()

  await dashboard.open(page, '/unsubscribes?import=1')
  await page.getByLabel('Or paste addresses', { exact: true }).fill('a@example.net\nb@example.net')
  await page.getByRole('button', { name: 'Import 2', exact: true }).click()
  await page.getByText('2 of 2 done').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export', exact: true }).click()
  const file = await readFile(await (await download).path(), 'utf8')
  assert.match(file, /^id,email,source,reason,sandbox,created_at\r\n[\w-]{36},a@example\.net,import,/)

  await dashboard.open(page, '/validation')
  await page.getByLabel('Or paste addresses', { exact: true }).fill('not an address\njo@@example.net\nnobody@invalid.')
  await page.getByText('2 addresses; no address in line 1').waitFor()
  await page.getByRole('button', { name: 'Validate 2', exact: true }).click()
  await page.getByText('2 of 2 done').waitFor({ timeout: 60_000 })
  const results = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download results', exact: true }).click()
  const rows = (await readFile(await (await results).path(), 'utf8')).trim().split('\r\n')
  assert.equal(rows.length, 3)
  assert.match(rows[1] ?? '', /^jo@@example\.net,false,/)
  assert.deepEqual(here.faults, [])
})

test('a webhook is tested, its response shown, a delivery replayed, its secret changed', async () => {
  const told: string[] = []
  const receiver = createServer((request, answer) => {
    told.push(String(request.headers['webhook-id'] ?? ''))
    request.resume().on('end', () => answer.end('said by the receiver'))
  })
  const port = await freePort()
  receiver.listen(port, '127.0.0.1')
  try {
    const who = await dashboard.owner()
    await using here = await dashboard.visit(who)
    const { page } = here
    await dashboard.open(page, '/webhooks')
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await page.getByLabel('URL', { exact: true }).fill(`http://127.0.0.1:${port}/in`)
    await page.getByRole('button', { name: 'Add for all events', exact: true }).click()
    await page.getByRole('button', { name: /^I have stored it/ }).click()
    await page.getByRole('button', { name: 'Send test', exact: true }).click()
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await deliveries.getByText('200 · said by the receiver').waitFor()
    // A test cannot be replayed; an event can.
    assert.equal(await deliveries.getByRole('button', { name: 'Replay', exact: true }).count(), 0)
    await call(who.api_key, 'POST', '/api/v1/customer/suppressions', { email: 'gone@example.net' })
    await deliveries.getByText('suppression.created').waitFor()
    await deliveries.getByRole('button', { name: 'Replay', exact: true }).first().click()
    await waitFor('the same event again', async () => told.length >= 3, 60_000)
    assert.equal(told[1], told[2])
    await page.getByRole('button', { name: 'Rotate secret', exact: true }).first().click()
    await page.getByRole('dialog', { name: 'Rotate secret' }).getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: /^I have stored it/ }).click()

    const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'Told of', text: 'Hi' }
    const sent = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
    await dashboard.open(page, `/emails/${sent.body.data.email_id}`)
    const heard = page.getByRole('table', { name: 'Deliveries to Mine' })
    await heard.getByRole('row', { name: /email\.delivered.*success.*200/ }).waitFor({ timeout: 60_000 })
    assert.deepEqual(here.faults, [])
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test("the overview shows each provider's responses by day, and a domain how to request TLS reports", async () => {
  const who = await dashboard.owner()
  const one = await furnish(who)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/?sandbox=1')
  const chart = page.getByRole('figure').filter({ hasText: 'Deliverability by provider' })
  const strip = chart.getByRole('listitem').filter({ hasText: 'Sandbox' })
  await strip.getByText('3 of 4 accepted', { exact: true }).waitFor()
  const box = await strip.locator('svg').boundingBox()
  assert.ok(box !== null && box.width > 200)
  await strip.locator('svg').hover({ position: { x: box.width - 3, y: 5 } })
  await chart.getByText(/^Sandbox, .+: (?:3 accepted, 0 deferred, 1 bounced, 0 blocked|no attempts)$/).waitFor()
  await chart.getByRole('button', { name: 'Table of deliverability by provider', exact: true }).click()
  await chart.getByRole('row', { name: 'Sandbox 4 3 0 1 0', exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.getByRole('button', { name: 'Table of Emails by day', exact: true }).click()
  const days = page.getByRole('figure').filter({ hasText: 'Emails by day' })
  await days.getByRole('columnheader', { name: 'delivered', exact: true }).waitFor()
  await days.getByRole('row').last().getByRole('link').click()
  await page.getByRole('heading', { name: 'Emails', exact: true }).waitFor()
  assert.match(page.url(), /\/emails\?from=(\d{4}-\d\d-\d\d)&to=\1$/)

  const [domain = ''] = one.find(([, name]) => name === '/domains/one') ?? []
  await dashboard.open(page, domain)
  for (const [title, name] of [
    ['TLS reports', '_smtp._tls.shop.example'],
    ['DMARC reports', '_dmarc.shop.example'],
  ] as const) {
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) })
    await section.getByText(name, { exact: true }).waitFor()
    await section.getByText('No reports yet.').waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('a template is created, changed, previewed with variables, and restored', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/templates/new')
  await page.getByLabel('Name', { exact: true }).fill('Welcome')
  await page.getByLabel('Subject', { exact: true }).fill('Hello {{name}}')
  const html = page.getByLabel('HTML', { exact: true })
  await html.fill('<p style="color:red">Hello {{name}}</p>')
  await page.getByLabel('name', { exact: true }).fill('Jo & Co')
  await page.frameLocator('iframe').getByText('Hello Jo & Co').waitFor()
  const frame = page.frames().find((one) => one.url().endsWith('/draft-frame'))
  assert.equal(await frame?.evaluate("getComputedStyle(document.querySelector('p')).color"), 'rgb(255, 0, 0)')
  await html.fill('<p style="color:red">Hello {{#name}}</p>')
  await page.getByText(/^The HTML .*name/).waitFor()
  await html.fill('<p style="color:red">Hello {{name}}</p>')
  await page.getByText(/^The HTML .*name/).waitFor({ state: 'detached' })
  await html.fill('<div style="height:3000px">{{name}}</div><p>The end</p>')
  await page.frameLocator('iframe').getByText('The end').waitFor()
  await frame?.evaluate('scrollTo(0, 2000)')
  await html.fill('<div style="height:3000px">{{name}}</div><p>The very end</p>')
  await page.frameLocator('iframe').getByText('The very end').waitFor()
  assert.equal(await frame?.evaluate('scrollY'), 2_000)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Version 1. Earlier versions').waitFor()
  await page.getByLabel('Subject', { exact: true }).fill('Good day {{name}}')
  await page.getByRole('button', { name: 'Save as new version', exact: true }).click()
  await page.getByText('Version 2. Earlier versions').waitFor()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Version 3. Earlier versions').waitFor()
  assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Hello {{name}}')
  assert.deepEqual(here.faults, [])
})

test('changes appear without a reload, also those from while the page was hidden', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  const send = async (subject: string): Promise<void> => {
    const mail = { from: 'a@b.example', to: 'jo@example.net', subject, text: 'Hi' }
    assert.equal((await call(who.test_api_key, 'POST', '/api/v1/send', mail)).status, 202)
  }
  await page.clock.install()
  await dashboard.open(page, '/emails')
  await page.getByTitle('Events arrive as they happen').waitFor()
  await send('The first')
  await page.getByRole('link', { name: 'The first', exact: true }).waitFor()
  await seen(page, 'hidden')
  await page.clock.fastForward(HIDDEN_MS)
  await page.getByTitle(/^No live connection/).waitFor()
  await send('The second')
  const again = page.waitForRequest(/events\/stream/)
  await seen(page, 'visible')
  assert.match((await again).headers()['last-event-id'] ?? '', /^\d+-\d+-\d+$/)
  await page.getByRole('link', { name: 'The second', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

/** Simulates that the page is hidden, or visible again. */
function seen(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  return page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))
  }`)
}

test('everything works by keyboard: skip link, pages, rows, the palette, and the focus at the top of a new page', async () => {
  const who = await dashboard.owner()
  for (const subject of ['One', 'Two'])
    await call(who.test_api_key, 'POST', '/api/v1/send', {
      from: 'a@b.example',
      to: 'jo@example.net',
      subject,
      text: 't',
    })
  await using here: Visit = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'Skip to content')
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await page.getByRole('heading', { name: 'Emails', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Two', exact: true }).waitFor()
  assert.equal(await page.evaluate('document.activeElement.id'), 'main')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  assert.equal(await focused(page), 'One')
  await page.keyboard.press('k')
  assert.equal(await focused(page), 'Two')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Two', exact: true }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('One')
  await page.getByRole('option', { name: /^One/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'One', exact: true }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  assert.deepEqual(await seriousFaults(page), [])
  await settled(page)
  assert.deepEqual(here.faults, [])
})

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent')
}

test('a person who is no contact is erased after a second thought', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/contacts/erasures')
  await page.getByLabel('Email address', { exact: true }).fill('nobody@example.net')
  assert.equal(await page.getByRole('button', { name: 'Erase', exact: true }).isDisabled(), true)
  await page.getByText('I know that this cannot be undone').click()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByText('nobody@example.net is being erased. 0 waiting emails were canceled.').waitFor()
  await page.getByText('pending').waitFor()
  assert.equal((await call(who.api_key, 'GET', '/api/v1/customer/erasures')).body.data[0].email, 'nobody@example.net')
  assert.deepEqual(here.faults, [])
})
