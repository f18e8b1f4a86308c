// Nobody is offered what their role may not do: each control that a viewer or a developer sees is used, and none of the
// resulting calls is forbidden.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, type Owner, seriousFaults, startDashboard, type Visit } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard
let owner: Owner
let things: Readonly<
  Record<'bounced' | 'scheduled' | 'captured' | 'domain' | 'hook' | 'template' | 'contact' | 'key', string>
>

before(async () => {
  dashboard = stack.use(await startDashboard('roles'))
  owner = await dashboard.owner()
  things = await furnished(owner)
})
after(() => stack.disposeAsync())

/** An account with one of each kind of object. */
async function furnished({ api_key: key, test_api_key: testKey }: Owner): Promise<typeof things> {
  const made = async (where: string, body: object, by = key): Promise<string> => {
    const answer = await dashboard.posthorn.call(by, 'POST', `/api/v1/${where}`, body)
    assert.ok(answer.status < 300, `${where}: ${JSON.stringify(answer.body)}`)
    return answer.body.data.id ?? answer.body.data.email_id
  }
  const mail = { from: 'a@shop.example', subject: 'A mail', text: 'Hi' }
  const bounced = await made('send', { ...mail, to: 'bounce@sandbox.test' }, testKey)
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const scheduled = await made('send', { ...mail, to: 'jo@example.net', scheduled_at: later }, testKey)
  await made('customer/suppressions', { email: 'gone@example.net' })
  await made('customer/unsubscribes', { email: 'left@example.net' })
  await made('customer/tracking-domains', { domain: 'links.shop.example' })
  const ids = {
    domain: await made('customer/domains', { domain: 'shop.example' }),
    hook: await made('customer/webhooks', { url: 'https://hooks.example.org/in', name: 'Hook', events: ['*'] }),
    template: await made('templates', { name: 'Welcome', subject: 'Hi', text: 'Hi {{name}}' }),
    contact: await made('customer/contacts', { email: 'jo@example.net', double_opt_in: false }),
    key: await made('customer/api-keys', { name: 'Shop', mode: 'live' }),
  }
  const call = (where: string) => dashboard.posthorn.call(testKey, 'GET', `/api/v1/${where}`)
  await waitFor('the bounce', async () => (await call(`emails/${bounced}`)).body.data.status === 'bounced')
  await made('send', { ...mail, to: 'jo@example.net' }, testKey)
  const captured = await waitFor('a captured mail', async () => (await call('inbox')).body.data[0]?.id)
  return { bounced, scheduled, captured, ...ids }
}

async function visitAs(role: 'viewer' | 'developer', of = owner): Promise<Visit> {
  await using visit = await dashboard.visit(of)
  const email = `${role}.${of.email}`
  const added = await visit.context.request.post(`${dashboard.posthorn.url}/api/v1/users`, {
    data: { email, role },
    headers: { origin: dashboard.posthorn.url },
  })
  const { password } = (await added.json()).data
  return await dashboard.visit({ ...of, email, dashboard_password: password })
}

function pathsOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('nav[aria-label=Main] a')].map((a) => a.getAttribute('href'))`,
  )
}

/** Uses each control of the pages. @returns their number, and the calls that were forbidden */
async function useAll(page: Page, paths: readonly string[]): Promise<{ used: number; forbidden: readonly string[] }> {
  const forbidden: string[] = []
  page.on('response', (response) => {
    const request = response.request()
    if (response.status() === 403 && request.method() !== 'GET')
      forbidden.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  let used = 0
  for (const where of paths) {
    await dashboard.open(page, where)
    const count = await page.locator(CONTROLS).count()
    for (let i = 0; i < count; i++) {
      // The API checks required fields too, so an empty form is submitted as it is.
      await page.evaluate(`document.querySelectorAll('form').forEach((form) => { form.noValidate = true })`)
      const control = page.locator(CONTROLS).nth(i)
      if (!(await control.isVisible())) continue
      await control.click()
      used++
      const yes = page.locator('dialog[open] button').last()
      if (await yes.isVisible()) await yes.click()
      if (new URL(page.url()).pathname !== where) await dashboard.open(page, where)
    }
  }
  return { used, forbidden }
}

const CONTROLS = 'main button:not([aria-disabled=true], :disabled), main input[type=checkbox]:enabled'

test('a viewer can read everything and sees no control that would be refused', async () => {
  await using here = await visitAs('viewer')
  const { page } = here
  await dashboard.open(page, '/')
  const places = await pathsOf(page)
  assert.ok(places.includes('/webhooks') && places.includes('/domains'))
  for (const out of ['/keys', '/smtp', '/validation', '/risk']) assert.ok(!places.includes(out), out)
  const { bounced, scheduled, captured, domain, hook, template, contact } = things
  const details = [`/emails/${bounced}`, `/emails/${scheduled}`, `/inbox/${captured}`, `/domains/${domain}`]
  const more = [`/webhooks/${hook}`, `/templates/${template}`, `/contacts/${contact}`, '/suppressions?import=1']
  const walked = [...places.filter((path) => path !== '/docs' && path !== '/settings'), ...details, ...more]
  const { used, forbidden } = await useAll(page, walked)
  assert.deepEqual(forbidden, [])
  assert.ok(used > 30, `${used} controls`)

  // Values that may not be changed are still shown.
  await dashboard.open(page, `/templates/${template}`)
  assert.equal(await page.getByLabel('Subject', { exact: true }).inputValue(), 'Hi')
  assert.ok(await page.getByLabel('Subject', { exact: true }).isDisabled())
  await dashboard.open(page, '/settings')
  assert.ok(await page.getByLabel('Time zone', { exact: true }).isDisabled())
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0)
  assert.ok(await page.getByLabel('Refuse disposable addresses', { exact: true }).isDisabled())
  assert.ok(await page.getByLabel('Current password', { exact: true }).isEnabled())
  for (const where of ['/validation', '/risk', '/templates/new', '/keys', `/keys/${things.key}`, '/smtp']) {
    await dashboard.open(page, where)
    await page.getByText('Your role does not allow this.').waitFor()
  }
  // Opened by a link from an operator: no controls, and no forbidden requests.
  for (const where of ['/operator/accounts', '/operator/queues', `/operator/accounts/${owner.account_id}`]) {
    await dashboard.open(page, where)
    const main = page.getByRole('main')
    await main.getByText('Only an operator of this installation can see this page.').waitFor()
    assert.equal(await main.getByRole('button').count(), 0)
    assert.deepEqual(await main.getByRole('link').allInnerTexts(), ['Go to the overview'])
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('key')
  await page.getByText('No results.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('a viewer of a new account is not told to add what they may not add', async () => {
  await using here = await visitAs('viewer', await dashboard.owner())
  for (const where of ['/domains', '/webhooks', '/templates', '/contacts', '/suppressions']) {
    await dashboard.open(here.page, where)
    const said = await here.page.getByText(/^(?:No \w+ yet|No suppressed addresses)/).innerText()
    assert.doesNotMatch(said, /\b(?:add|import|bring|create|use)\b/i, where)
  }
})

test('a developer can do everything except create keys', async () => {
  await using here = await visitAs('developer')
  const { page } = here
  const { used, forbidden } = await useAll(page, ['/keys', `/keys/${things.key}`, '/smtp', '/risk', '/validation'])
  assert.deepEqual(forbidden, [])
  assert.ok(used > 2, `${used} controls`)
  await dashboard.open(page, `/keys/${things.key}`)
  assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled())
  await dashboard.open(page, '/domains')
  await page.getByLabel(/^Domain, such as/).fill('other.example')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('heading', { name: 'other.example', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('every page says that the account is suspended, as long as it is', async () => {
  const of = await dashboard.owner()
  await using here = await dashboard.visit(of)
  const { page } = here
  const notice = page.getByText('This account is suspended.')
  await dashboard.open(page, '/suppressions')
  assert.equal(await notice.count(), 0)
  await dashboard.posthorn.cli('account', 'suspend', of.email)
  // It is known from the first refusal.
  await waitFor('the refusal', async () => {
    await page.getByLabel('Email address', { exact: true }).fill('gone@example.net')
    await page.getByRole('button', { name: 'Suppress', exact: true }).click()
    return (await notice.count()) === 1 ? true : undefined
  })
  // The page asks before it is left with what was refused.
  await page.getByLabel('Email address', { exact: true }).fill('')
  for (const where of ['/', '/settings']) {
    await dashboard.open(page, where)
    await notice.waitFor()
  }
  await dashboard.posthorn.cli('account', 'resume', of.email)
  await dashboard.open(page, '/')
  assert.equal(await notice.count(), 0)
})

test('an operator sees all limits of a plan on a phone, turns a feature of an account on, and back to its plan', async () => {
  const operator = await dashboard.owner({ operator: true })
  const { posthorn } = dashboard
  const made = ['--email', 'small@posthorn.test', '--name', 'Small', '--plan', 'starter', '--json']
  const small = JSON.parse(await posthorn.cli('account', 'create', ...made))
  const limits = async () => (await posthorn.call(small.api_key, 'GET', '/api/v1/customer/limits')).body.data
  await using here = await dashboard.visit(operator, { viewport: { width: 390, height: 844 } })
  const { page } = here
  await dashboard.open(page, '/operator/plans')
  const starter = page.getByRole('row').filter({ hasText: 'starter' })
  for (const limit of ['Validations 100', 'Content checks 1,000', 'Risk previews 0', 'Webhooks 1'])
    await starter.getByText(limit, { exact: true }).waitFor()
  await dashboard.open(page, `/operator/accounts/${small.account_id}`)
  await page
    .getByRole('row')
    .filter({ hasText: 'Validations per month' })
    .getByText('Used 0', { exact: true })
    .waitFor()
  const risk = page.getByRole('row').filter({ hasText: 'Risk assessment' })
  await risk.getByText('off from plan').waitFor()
  await risk.getByRole('button', { name: 'Turn on', exact: true }).click()
  await risk.getByText('on custom').waitFor()
  assert.equal((await limits()).features.risk, true)
  await risk.getByRole('button', { name: 'Reset to plan', exact: true }).click()
  await risk.getByText('off from plan').waitFor()
  assert.equal((await limits()).features.risk, false)
  assert.deepEqual([here.faults, await seriousFaults(page)], [[], []])
  await dashboard.open(page, '/operator/queues')
  const destination = page.getByRole('textbox', { name: 'Destination', exact: true })
  await destination.fill('nowhere')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByText('No emails are waiting for a matching destination.').waitFor()
  await page.goBack()
  await waitFor('the field of the page before', async () =>
    (await destination.inputValue()) === '' ? true : undefined,
  )
})
