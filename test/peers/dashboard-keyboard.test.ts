// The dashboard for people without a pointer or with a screen reader: where the focus goes when its element disappears, which
// changes are announced, and that the focused element is always visible.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, type Owner, seriousFaults, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1280, height: 800 }

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('keyboard'))
})
after(() => stack.disposeAsync())

function post({ api_key: key }: Owner, where: string, body: object) {
  return dashboard.posthorn.call(key, 'POST', `/api/v1${where}`, body)
}

/** Waits until the focused element has this label or text. */
async function focused(page: Page, name: string | RegExp): Promise<void> {
  const look = `{
    const at = document.activeElement
    at.ariaLabel ?? at.labels?.[0]?.innerText ?? (at === document.body ? 'nothing' : at.innerText)
  }`
  let last = ''
  await waitFor(`the focus on ${name}`, async () => {
    last = await page.evaluate<string>(look)
    return (typeof name === 'string' ? last === name : name.test(last)) || undefined
  }).catch((error: unknown) => {
    throw new Error(`the focus is on ${last}`, { cause: error })
  })
}

function press(page: Page, name: string | RegExp): Promise<void> {
  return page
    .getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) })
    .first()
    .press('Enter')
}

test('the menu on a phone closes with Escape, and when the focus leaves it for the page', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { viewport: PHONE })
  const { page } = here
  await dashboard.open(page, '/emails')
  const column = page.getByRole('navigation', { name: 'Main', exact: true })
  await press(page, 'Menu')
  await page.keyboard.press('Tab')
  await focused(page, 'Overview')
  await page.keyboard.press('Escape')
  await column.waitFor({ state: 'hidden' })
  await focused(page, 'Menu')
  await press(page, 'Menu')
  await column.getByRole('button', { name: 'Sign out', exact: true }).focus()
  await page.keyboard.press('Tab')
  await column.waitFor({ state: 'hidden' })
  await focused(page, /^Subject/)
  assert.deepEqual(here.faults, [])
})

test('on a phone the focused element is not covered by the bar, and a focused date field is outlined', async () => {
  const who = await dashboard.owner()
  for (let i = 0; i < 20; i++) await post(who, '/customer/suppressions', { email: `gone${i}@example.net` })
  await using here = await dashboard.visit(who, { viewport: PHONE })
  const { page } = here
  await dashboard.open(page, '/suppressions')
  await page.getByRole('row').nth(19).waitFor()
  const isCovered = `{
    const { top } = document.activeElement.getBoundingClientRect()
    top < document.querySelector('header').getBoundingClientRect().bottom
  }`
  await page.getByRole('button', { name: 'More filters', exact: true }).focus()
  for (const name of ['Suppressed addresses', 'Remove']) {
    await page.keyboard.press('Tab')
    await focused(page, name)
    assert.equal(await page.evaluate<boolean>(isCovered), false, name)
  }
  await page.getByLabel(/^Note/).focus()
  const outline = 'getComputedStyle(document.activeElement).outlineStyle'
  // Month, day, year, hour, minute, AM or PM, and the calendar button.
  for (let part = 0; part < 7; part++) {
    await page.keyboard.press('Tab')
    await focused(page, 'Expires')
    assert.equal(await page.evaluate<string>(outline), 'solid', `part ${part}`)
  }
  assert.deepEqual(here.faults, [])
})

test('the entry selected with the arrow keys in the palette is in view, and an empty result is announced', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { viewport: { width: 640, height: 400 } })
  const { page } = here
  await dashboard.open(page, '/')
  await page.keyboard.press('Control+k')
  const chosen = page.getByRole('option', { selected: true })
  const list = await page.getByRole('listbox').boundingBox()
  for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowDown')
  const box = await chosen.boundingBox()
  assert.ok(list !== null && box !== null && box.y + box.height <= list.y + list.height, JSON.stringify({ list, box }))
  await page.getByRole('combobox').fill('nothing is called this')
  await page.getByRole('status').getByText('No results.', { exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('a refused form focuses its first wrong field, and a button keeps the focus while it works', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  await dashboard.open(page, '/suppressions')
  const address = page.getByLabel('Email address', { exact: true })
  await address.fill('away@example.net')
  await page.getByLabel('Expires', { exact: true }).fill('2020-01-01T09:00')
  await press(page, 'Suppress')
  await focused(page, 'Expires')
  await page.getByLabel('Expires', { exact: true }).fill('2099-01-01T09:00')
  await press(page, 'Suppress')
  await page.getByText('away@example.net suppressed.').waitFor()
  await focused(page, 'Suppress')
  await dashboard.open(page, '/settings')
  const company = page.getByLabel('Company', { exact: true })
  await company.fill('Post & Horn')
  await company.press('Enter')
  await page.getByText('Saved.', { exact: true }).waitFor()
  await focused(page, 'Company')
  const patched: string[] = []
  page.on('request', (request) => patched.push(request.method()))
  await company.press('Enter')
  await press(page, 'Save')
  await focused(page, 'Save')
  assert.ok(!patched.includes('PATCH'), 'there was nothing to save')
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('a dialog takes the focus and returns it; when a focused row is removed, its list gets the focus', async () => {
  const who = await dashboard.owner()
  for (const email of ['one@example.net', 'two@example.net']) await post(who, '/customer/suppressions', { email })
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  await dashboard.open(page, '/suppressions')
  await page.getByRole('row', { name: /two@example\.net/ }).waitFor()
  await press(page, 'Remove')
  const question = page.getByRole('dialog')
  await focused(page, 'Cancel')
  assert.ok((await question.getAttribute('aria-describedby')) !== null)
  await page.keyboard.press('Escape')
  await focused(page, 'Remove')
  for (const next of ['Suppressed addresses', /^Suppressions/]) {
    await press(page, 'Remove')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await focused(page, next)
  }
  assert.deepEqual(here.faults, [])
})

test('the number of results of a filter and a copy are announced; filters that are revealed get the focus', async () => {
  const who = await dashboard.owner()
  for (const email of ['one@example.net', 'two@example.net'])
    await post(who, '/customer/contacts', { email, double_opt_in: false })
  await using here = await dashboard.visit(who, { viewport: PHONE })
  const { page } = here
  const told = (text: string) => page.locator('[aria-live]').getByText(text, { exact: true }).waitFor()
  await dashboard.open(page, '/contacts')
  await press(page, 'More filters')
  await focused(page, 'Tag')
  await page.getByRole('search').getByLabel('Address', { exact: true }).fill('one')
  await page.keyboard.press('Enter')
  await told('1 entry')
  await page.getByRole('search').getByLabel('Address', { exact: true }).fill('three')
  await page.keyboard.press('Enter')
  await told('0 entries')
  await dashboard.open(page, '/smtp')
  await press(page, 'Copy the username')
  await told('Copied')
  assert.deepEqual(here.faults, [])
})

test('single-key shortcuts can be turned off, and stay off', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who, { viewport: DESKTOP })
  const { page } = here
  await dashboard.open(page, '/')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts', exact: true })
  await press(page, 'Shortcuts')
  await list.getByLabel('Use the shortcuts without Ctrl', { exact: true }).uncheck()
  await page.keyboard.press('Escape')
  await focused(page, 'Shortcuts')
  await page.reload()
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  for (const key of ['g', 'e', '?']) await page.keyboard.press(key)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  assert.equal(await list.count(), 0)
  assert.equal(new URL(page.url()).pathname, '/')
  assert.deepEqual(here.faults, [])
})
