// The dashboard in a real browser: every page with data and without, what strangers wrote in every field, and nothing that
// leaves the machine. POSTHORN_SHOTS=<folder> keeps a picture of each page, light, dark and at a phone's width.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { Secret, TOTP } from 'otpauth'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { scratch } from './ground.ts'
import { type Account, type Posthorn, startPosthorn } from './posthorn.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'
const PAGES =
  '/ /emails /inbox /templates /contacts /domains /tracking-domains /health /suppressions /unsubscribes /bounces /validation /risk /webhooks /keys /smtp /usage /settings'.split(
    ' ',
  )
const OPERATOR_PAGES = [
  '/operator/queues',
  '/operator/accounts',
  '/operator/machines',
  '/operator/plans',
  '/operator/log',
]
const MAX_FIRST_LOAD_BYTES = 200_000
const CORPORA = process.env['POSTHORN_CORPORA']
const SHOTS = process.env['POSTHORN_SHOTS']
const PAYLOADS = 120

const stack = new AsyncDisposableStack()
let posthorn: Posthorn
let browser: Browser

interface Owner extends Account {
  readonly dashboard_password: string
  readonly email: string
}

before(async () => {
  const folder = stack.use(await scratch('dashboard')).path
  posthorn = stack.use(await startPosthorn(folder, { POSTHORN_RATE_LIMITS: 'off' }))
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS.split(' ') })
  stack.defer(() => browser.close())
})
after(() => stack.disposeAsync())

let owners = 0
async function owner({ operator = false } = {}): Promise<Owner> {
  const email = `person${++owners}@posthorn.test`
  const made = await posthorn.cli('account', 'create', '--email', email, '--name', 'Post & Horn', '--json')
  if (operator) await posthorn.cli('operator', 'grant', email)
  return { ...(JSON.parse(made) as Owner), email }
}

interface Visit extends AsyncDisposable {
  readonly page: Page
  /** What must not be: errors of scripts, policy violations, requests to others, dialogs. */
  readonly faults: readonly string[]
}

async function visit(who: Owner | null, options: Parameters<Browser['newContext']>[0] = {}): Promise<Visit> {
  const context: BrowserContext = await browser.newContext(options)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`${page.url()}: a dialog says ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    // A frame told to go to javascript: is counted as a request too; it asks nobody, and what it did would be seen above.
    const asksNobody = ['data:', 'about:', 'blob:', 'javascript:'].includes(protocol)
    if (!asksNobody && host !== new URL(posthorn.url).host) faults.push(`a request to ${request.url()}`)
  })
  await page.exposeFunction('violated', (what: string) => faults.push(`${page.url()}: policy: ${what}`))
  await page.addInitScript({
    content: `if (window === window.top) document.addEventListener('securitypolicyviolation', (event) =>
      window.violated(event.violatedDirective + ' ' + event.blockedURI))`,
  })
  if (who !== null) {
    await page.goto(posthorn.url)
    await page.getByLabel('Email').fill(who.email)
    await page.getByLabel('Password').fill(who.dashboard_password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

async function open(page: Page, where: string): Promise<void> {
  await page.goto(posthorn.url + where)
  await page.locator('h1').first().waitFor()
  // What is still loading keeps its place with a skeleton. The network is never idle: a stream of events stays open.
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
}

async function seriousFaults(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${page.url()}: ${id}: ${nodes[0]?.html.slice(0, 200) ?? ''}`)
}

test('every page opens without data and with it, light, dark and on a phone, and axe finds nothing serious', async () => {
  const who = await owner({ operator: true })
  const signIn = await visit(null)
  await open(signIn.page, '/')
  const found = [...(await seriousFaults(signIn.page))]
  await signIn[Symbol.asyncDispose]()
  const rounds = [
    { name: 'phone-empty', filled: false, options: { viewport: { width: 375, height: 740 } } },
    { name: 'light', filled: true, options: { colorScheme: 'light' as const } },
    { name: 'dark', filled: false, options: { colorScheme: 'dark' as const } },
    { name: 'phone', filled: false, options: { viewport: { width: 375, height: 740 } } },
  ]
  for (const { name, filled, options } of rounds) {
    if (filled) await furnish(who)
    await using here = await visit(who, options)
    const ofOperator = name === 'phone-empty' ? [] : [...OPERATOR_PAGES, `/operator/accounts/${who.account_id}`]
    for (const where of [...PAGES, ...ofOperator]) {
      await open(here.page, where)
      // What axe finds on the second phone round it has found before: that one looks at the width alone.
      if (name !== 'phone') found.push(...(await seriousFaults(here.page)))
      const width = await here.page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
      if (width > 0) found.push(`${where} ${name}: ${width} px too wide`)
      const file = `${name}${where.replaceAll('/', '_').replace(who.account_id, 'one')}.png`
      if (SHOTS !== undefined) await here.page.screenshot({ path: path.join(SHOTS, file), fullPage: true })
    }
    assert.deepEqual(here.faults, [], name)
  }
  assert.deepEqual([...new Set(found)], [])
})

async function furnish({ api_key: live, test_api_key: key }: Owner): Promise<void> {
  const mail = {
    from: 'Shop <hello@shop.example>',
    to: 'jo@example.net',
    subject: 'Order',
    html: '<p>Hi</p>',
    text: 'Hi',
  }
  for (let i = 0; i < 3; i++) await posthorn.call(key, 'POST', '/api/v1/send', { ...mail, subject: `Order ${i}` })
  const add = (where: string, body: object): Promise<unknown> => posthorn.call(live, 'POST', `/api/v1${where}`, body)
  await add('/customer/domains', { domain: 'shop.example' })
  await add('/customer/tracking-domains', { domain: 'links.shop.example' })
  await add('/customer/suppressions', { email: 'gone@example.net' })
  await add('/customer/unsubscribes', { email: 'enough@example.net' })
  await add('/customer/webhooks', { url: 'https://hooks.example.org/in', name: 'Hook', events: ['*'] })
  await add('/templates', { name: 'Welcome', subject: 'Hello {{name}}', text: 'Hello {{name}}' })
}

test('from the first sign-in to a verified story: a domain, a mail and what became of it, a second factor', async () => {
  const who = await owner()
  await using here = await visit(who)
  const { page } = here
  await open(page, '/domains')
  await page.getByLabel(/Domain, such as/).fill('mail.example.org')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'mail.example.org' }).waitFor()
  for (const purpose of ['SPF', 'DKIM', 'DMARC', 'OWNERSHIP'])
    await page
      .getByText(new RegExp(`^${purpose}`))
      .first()
      .waitFor()

  const mail = { from: 'a@mail.example.org', to: 'jo@example.net', subject: 'The story', html: '<p>Hi</p>' }
  await posthorn.call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await open(page, '/emails')
  await page.getByRole('link', { name: 'The story' }).click()
  await page.getByText('Attempt 1 was delivered').waitFor()
  await page.frameLocator('iframe').getByText('Hi').waitFor()

  await open(page, '/settings')
  await page.getByRole('button', { name: 'Set up' }).click()
  const secret = await page.locator('form pre').innerText()
  await page.getByLabel('Code').fill(new TOTP({ secret: Secret.fromBase32(secret.trim()) }).generate())
  await page.getByRole('button', { name: 'Turn on' }).click()
  const codes = (await page.getByRole('status').locator('pre').innerText()).trim().split('\n')
  assert.equal(codes.length, 10)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await page.getByLabel('Email').fill(who.email)
  await page.getByLabel('Password').fill(who.dashboard_password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel(/Code of the authenticator/).fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('an operator sets the dashboard up by the token, makes an account, looks into it and leaves, and holds a destination back', async () => {
  const { address } = JSON.parse(await posthorn.cli('operator', 'token', '--json')) as { address: string }
  await using here = await visit(null)
  const { page } = here
  await page.goto(posthorn.url + new URL(address).pathname + new URL(address).hash)
  await page.getByLabel('Email', { exact: true }).fill('first@posthorn.test')
  await page.getByLabel('Password', { exact: true }).fill('a long password')
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('link', { name: 'Accounts', exact: true }).click()
  await page.getByRole('button', { name: 'New account', exact: true }).click()
  await page.getByLabel('Address of the owner', { exact: true }).fill('owner@customer.example')
  await page.getByLabel('Name of the account', { exact: true }).fill('Customer')
  await page.getByRole('button', { name: 'Make', exact: true }).click()
  const secrets = await page.getByRole('status').locator('pre').innerText()
  const [key = ''] = /ph_test_\S+/.exec(secrets) ?? []
  await posthorn.call(key, 'POST', '/api/v1/send', {
    from: 'a@b.example',
    to: 'jo@held.example',
    subject: 's',
    text: 't',
  })
  await page.getByRole('link', { name: 'Customer', exact: true }).click()
  await page.getByRole('button', { name: 'Open as owner', exact: true }).click()
  await page.getByText('You look into').waitFor()
  await page.getByRole('button', { name: 'Leave', exact: true }).click()
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor()
  await posthorn.cli('queue', 'pause', 'held.example')
  await page.getByRole('link', { name: 'Queues', exact: true }).click()
  await page.getByText('paused since').waitFor()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText('paused since').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'What was done', exact: true }).click()
  await page.getByText('looked in as owner').waitFor()
  await page.getByText('resumed a destination').waitFor()
  assert.deepEqual(here.faults, [])
})

test('what strangers wrote is shown as text: no script runs, nothing is asked of another host', async (t) => {
  if (CORPORA === undefined) return t.skip('POSTHORN_CORPORA is not set')
  const who = await owner()
  const files = [
    'JHADDIX_XSS.txt',
    'RSNAKE_XSS.txt',
    'XSS_Polyglots.txt',
    'BRUTELOGIC-XSS-STRINGS.txt',
    'xss_alert.txt',
  ]
  const lists = await Promise.all(files.map((name) => readFile(path.join(CORPORA, 'xss', name), 'utf8')))
  const naughty = JSON.parse(await readFile(path.join(CORPORA, 'naughty/blns.json'), 'utf8')) as string[]
  const all = [...lists.flatMap((text) => text.split('\n')), ...naughty]
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const step = Math.max(1, Math.floor(all.length / PAYLOADS))
  const payloads = all.filter((_, i) => i % step === 0)
  let stored = 0
  for (const payload of payloads) {
    const line = payload.replaceAll(/[\r\n\0]/g, ' ').slice(0, 180)
    const mail = {
      from: 'a@shop.example',
      from_name: line,
      to: 'jo@example.net',
      subject: line,
      html: payload,
      text: payload,
      tag: line.slice(0, 60),
      metadata: { note: payload },
    }
    const sent = await posthorn.call(who.test_api_key, 'POST', '/api/v1/send', mail)
    // Not every one of them is a tag.
    const again = { ...mail, tag: 'x' }
    const kept = sent.status === 202 ? sent : await posthorn.call(who.test_api_key, 'POST', '/api/v1/send', again)
    if (kept.status === 202) stored++
    await posthorn.call(who.api_key, 'POST', '/api/v1/templates', {
      name: line.slice(0, 90),
      subject: line,
      text: payload,
    })
    await posthorn.call(who.api_key, 'POST', '/api/v1/customer/api-keys', { name: line.slice(0, 90) })
  }
  assert.ok(stored > payloads.length / 2, `${stored} of ${payloads.length} are stored`)
  await using here = await visit(who)
  const { page } = here
  for (const where of [
    '/',
    '/emails',
    '/emails?page=2',
    '/inbox',
    '/inbox?page=2',
    '/templates',
    '/templates?page=2',
    '/keys',
  ]) {
    await open(page, where)
  }
  const { body } = await posthorn.call(who.test_api_key, 'GET', '/api/v1/emails?limit=40')
  for (const { id } of body.data as { id: string }[]) {
    await page.goto(`${posthorn.url}/emails/${id}`)
    await page.getByText('What happened').waitFor()
  }
  assert.deepEqual(here.faults, [])
})

test('the first load is small', async () => {
  const who = await owner()
  await using here = await visit(who)
  const { page } = here
  const sizes = await page.evaluate<number[]>(
    `performance.getEntriesByType('resource').map(({ transferSize }) => transferSize)`,
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(bytes > 20_000 && bytes < MAX_FIRST_LOAD_BYTES, `${bytes} bytes`)
})
