// What is shown once is not lost by leaving the page.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from './dashboard.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('secrets', { POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true' }))
})
after(() => stack.disposeAsync())

const asks = (page: Page) => page.getByRole('dialog', { name: 'Not copied yet' })

async function go(page: Page, to: string): Promise<void> {
  await page.getByRole('link', { name: to, exact: true }).click()
}

test('a new key is not lost by leaving the page, until it was copied', async () => {
  await using here = await dashboard.visit(await dashboard.owner(), { permissions: ['clipboard-write'] })
  const { page } = here
  await dashboard.open(page, '/keys')
  await page.getByLabel(/^Name, such as/).fill('Shop')
  await page.getByRole('button', { name: 'Create key', exact: true }).click()
  await page.getByText('Your key, shown only once.').waitFor()
  await go(page, 'Usage')
  await asks(page).getByText('You have not copied the key yet. It cannot be shown again.').waitFor()
  await asks(page).getByRole('button', { name: 'Stay', exact: true }).click()
  assert.match(page.url(), /\/keys$/)
  const closing = page.waitForEvent('dialog')
  await page.evaluate('void setTimeout(() => location.reload())')
  assert.equal((await closing).type(), 'beforeunload')
  await page.getByText('Your key, shown only once.').waitFor()
  await page.getByRole('button', { name: 'Copy the key', exact: true }).click()
  await page.getByRole('button', { name: /^Copied/ }).waitFor()
  await go(page, 'Usage')
  await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
  assert.deepEqual(
    here.faults.filter((fault) => !fault.includes('a dialog says')),
    [],
  )
})

test('new keys stay in view while others are made, rotated and revoked, until each is stored', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/keys')
  const create = async (name: string): Promise<void> => {
    await page.getByLabel(/^Name, such as/).fill(name)
    await page.getByRole('button', { name: 'Create key', exact: true }).dblclick()
    await page.getByRole('link', { name, exact: true }).waitFor()
  }
  const act = async (name: string, doing: string): Promise<void> => {
    await page
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .getByRole('button', { name: doing, exact: true })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: doing, exact: true }).click()
  }
  const shown = page.getByRole('main').locator('pre')
  await create('Gone')
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  await create('Shop')
  const [first = ''] = await shown.allInnerTexts()
  await act('Gone', 'Revoke')
  await page.getByText('“Gone” revoked.').waitFor()
  assert.deepEqual(await shown.allInnerTexts(), [first])
  await create('Blog')
  await page.getByText('The key “Blog”, shown only once.').waitFor()
  const [, second = ''] = await shown.allInnerTexts()
  await act('Shop', 'Rotate')
  await page.getByText('The new secret is shown above.').waitFor()
  const [kept, renewed = ''] = await shown.allInnerTexts()
  assert.equal(kept, second)
  assert.notEqual(renewed, first, 'of one key the newest secret only')
  await act('Blog', 'Revoke')
  await page.getByText('“Blog” revoked.').waitFor()
  assert.deepEqual(await shown.allInnerTexts(), [renewed], 'what is revoked need not be stored')
  await go(page, 'Usage')
  await asks(page).getByText('You have not copied the key yet.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('the secret of a new endpoint is shown on its page, once, and kept by saying so', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/webhooks')
  await page.getByLabel('Name', { exact: true }).fill('CRM')
  await page.getByLabel('URL', { exact: true }).fill('http://127.0.0.1:9/crm')
  await page.getByRole('button', { name: 'Add for all events', exact: true }).click()
  await page.getByText('The signing secret, shown only once.').waitFor()
  assert.match(await page.getByRole('status').locator('pre').innerText(), /^whsec_/)
  await go(page, 'Usage')
  await asks(page).getByRole('button', { name: 'Stay', exact: true }).click()
  await page.getByRole('button', { name: /^I have stored it/ }).click()
  await go(page, 'Webhooks')
  await go(page, 'CRM')
  await page.getByText(/^ends in /).waitFor()
  assert.equal(await page.getByText('The signing secret').count(), 0)
  assert.deepEqual(here.faults, [])
})

test('recovery codes and the test key of the first email ask too', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/')
  await page.getByRole('button', { name: 'Create a test key', exact: true }).click()
  await page.getByText('It is shown only once').waitFor()
  await go(page, 'Settings')
  await asks(page).getByText('You have not copied the test key yet.').waitFor()
  await asks(page).getByRole('button', { name: 'Leave without it', exact: true }).click()
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
  await page.route('**/api/v1/session/totp', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ json: { data: { recovery_codes: ['one', 'two'] } } })
      : route.continue(),
  )
  await page.getByRole('button', { name: 'Set up', exact: true }).click()
  await page.getByLabel('Code', { exact: true }).fill('123456')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.getByText('Recovery codes, shown only once').waitFor()
  await go(page, 'Usage')
  await asks(page).getByText('You have not copied the recovery codes yet.').waitFor()
  assert.deepEqual(here.faults, [])
})

test('the keys of new accounts stay in view while another is made and when the form is closed', async () => {
  await using here = await dashboard.visit(await dashboard.owner({ operator: true }))
  const { page } = here
  await dashboard.open(page, '/operator/accounts')
  const shown = page.getByRole('main').locator('pre')
  const create = async (name: string): Promise<void> => {
    await page.getByLabel('Owner email', { exact: true }).fill(`${name}@example.net`)
    await page.getByLabel('Account name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('link', { name, exact: true }).waitFor()
  }
  await page.getByRole('button', { name: 'New account', exact: true }).click()
  await create('one')
  const [one = ''] = await shown.allInnerTexts()
  assert.match(one, /^live key +ph_live_/)
  await create('two')
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  const both = await shown.allInnerTexts()
  assert.deepEqual([both.length, both[0]], [2, one])
  await go(page, 'Usage')
  await asks(page).getByText('You have not copied the keys and the password yet.').waitFor()
  assert.deepEqual(here.faults, [])
})
