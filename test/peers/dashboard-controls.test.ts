// What the API lets a program set, a person can set too: keys, endpoints, the account, contacts. Each control is told what is
// wrong with it, and what was set stands.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, seriousFaults, startDashboard } from './dashboard.ts'

const WIDTHS = [390, 768, 1280]

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('controls'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

/** What is wrong with the page as it stands, at each width. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    if (over > 0) found.push(`${page.url()} at ${width} px is ${over} px too wide`)
  }
  return [...found, ...(await seriousFaults(page))]
}

/** What stands at a field about what is wrong with it. */
async function faultAt(page: Page, label: string): Promise<string> {
  const field = page.getByLabel(label, { exact: true })
  await page.locator('[aria-invalid=true]').first().waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true', label)
  const [id = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ')
  return page.locator(`[id="${id}"]`).innerText()
}

test('a key is bound when it is made, and otherwise later: domains, networks, end, name', async () => {
  const who = await dashboard.owner()
  const get = async (where: string) => (await call(who.api_key, 'GET', `/api/v1/customer/${where}`)).body.data
  const domain = (await call(who.api_key, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })).body.data
  await using here = await dashboard.visit(who, { timezoneId: 'Asia/Tokyo' })
  const { page } = here
  await dashboard.open(page, '/keys')
  const make = page.getByRole('button', { name: 'Make a key', exact: true })
  const networks = page.getByLabel('Used from these addresses alone', { exact: true })
  await page.getByLabel(/^Name, such as/).fill('Shop')
  await page.getByLabel('For mail from', { exact: true }).selectOption('some')
  // None of them would be all of them.
  assert.ok(await make.isDisabled())
  await page.getByLabel('shop.example', { exact: true }).check()
  await networks.fill('192.0.2.1/24, 300.1.1.1')
  await page.getByLabel('Until', { exact: true }).fill('2020-01-01T00:00')
  await make.click()
  assert.match(await faultAt(page, 'Used from these addresses alone'), /entry 2 is no network such as 192/)
  assert.match(await faultAt(page, 'Until'), /future/)
  assert.deepEqual(await faultsOf(page), [])
  await networks.fill('192.0.2.1/24 2001:db8::1')
  await page.getByLabel('Until', { exact: true }).fill('2099-01-01T09:30')
  await page.getByText('Time zone: Asia/Tokyo').waitFor()
  await make.click()
  await page.getByText('The key, shown this once.').waitFor()
  // Bounds of one key are not meant for the next.
  assert.equal(await networks.inputValue(), '')
  const [made] = (await get('api-keys')).filter(({ name }: { name: string }) => name === 'Shop')
  assert.deepEqual(
    [made.domain_ids, made.allowed_ips, made.expires_at],
    [[domain.id], ['192.0.2.1/24', '2001:db8::1/128'], '2099-01-01T00:30:00.000Z'],
  )
  const row = page.getByRole('row', { name: /^Shop / })
  await row.getByText('everything · 1 domain · 2 networks').waitFor()
  await row.getByRole('link', { name: 'Shop', exact: true }).click()

  await page.getByRole('heading', { name: 'Shop', exact: true }).waitFor()
  const save = page.getByRole('button', { name: 'Save', exact: true })
  assert.ok(await save.isDisabled())
  assert.equal(await page.getByLabel('Until', { exact: true }).inputValue(), '2099-01-01T09:30')
  await page.getByLabel('Name', { exact: true }).fill('Shop of old')
  await page.getByLabel('Until', { exact: true }).fill('')
  await networks.fill('nowhere')
  await save.click()
  assert.match(await faultAt(page, 'Used from these addresses alone'), /entry 1 is no network/)
  assert.deepEqual(await faultsOf(page), [])
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
  const asks = page.getByRole('dialog', { name: 'Not saved' })
  await asks.getByRole('button', { name: 'Stay', exact: true }).click()
  await networks.fill('')
  await page.getByLabel('It may', { exact: true }).selectOption('some')
  await save.click()
  await page.getByText('Kept: it holds within seconds.').waitFor()
  await page.getByRole('heading', { name: 'Shop of old', exact: true }).waitFor()
  const kept = await get(`api-keys/${made.id}`)
  assert.deepEqual(
    [kept.name, kept.scopes, kept.domain_ids, kept.allowed_ips, kept.expires_at],
    ['Shop of old', ['send'], [domain.id], [], null],
  )
  assert.ok(await save.isDisabled())

  await page.getByRole('button', { name: 'Rotate', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate' })
  await dialog.getByLabel('The present one works', { exact: true }).selectOption({ label: 'for three days more' })
  assert.deepEqual(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByText('The key, shown this once.').waitFor()
  const { previous_valid_until: until } = await get(`api-keys/${made.id}`)
  assert.ok(Date.parse(until) - Date.now() > 71 * 3_600_000)
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('whoever uses it is refused.').waitFor()
  assert.equal(await save.count(), 0)
  assert.deepEqual(here.faults, [])
})
