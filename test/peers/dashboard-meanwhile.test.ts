// What is typed while the service still works on the text before it stays, and a browser whose clock is wrong does its work.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('meanwhile'))
})
after(() => stack.disposeAsync())

/** Holds the writes to a path. @returns lets them go */
async function hold(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (route.request().method() !== 'GET') await promise
    await route.continue()
  })
  return resolve
}

test('what is typed into a form while it is being saved stays there, and is saved next', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/settings')
  const letGo = await hold(page, '**/customer/profile')
  const company = page.getByLabel('Company', { exact: true })
  const email = page.getByLabel('Account email', { exact: true })
  const save = page.getByRole('button', { name: 'Save', exact: true }).first()
  await email.fill('Jo@SHOP.example')
  await save.click()
  await company.fill('Typed meanwhile')
  letGo()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const saved = async () =>
    (await dashboard.posthorn.call(who.api_key, 'GET', '/api/v1/customer/profile')).body.data as Record<string, string>
  const now = await saved()
  // The field that was saved is shown as the service keeps it.
  assert.deepEqual([await company.inputValue(), await email.inputValue()], ['Typed meanwhile', now['email']])
  await save.click()
  await waitFor('both saved', async () => ((await saved())['company'] === 'Typed meanwhile' ? true : undefined))
  assert.deepEqual(here.faults, [])
})

test('what is typed while a new template is being saved is on its page, not saved yet', async () => {
  const who = await dashboard.owner()
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/templates/new')
  const letGo = await hold(page, '**/api/v1/templates')
  for (const field of ['Name', 'Subject', 'Text']) await page.getByLabel(field, { exact: true }).fill('First')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByLabel('Text', { exact: true }).fill('Typed meanwhile')
  letGo()
  await page.getByText('Version 1. Earlier versions are kept.').waitFor()
  const text = page.getByLabel('Text', { exact: true })
  assert.equal(await text.inputValue(), 'Typed meanwhile')
  await page.getByRole('link', { name: 'Usage', exact: true }).click()
  await page.getByRole('dialog', { name: 'Unsaved changes' }).getByRole('button', { name: 'Stay', exact: true }).click()
  await page.getByRole('button', { name: 'Save as new version', exact: true }).click()
  await page.getByText('Version 2. Earlier versions are kept.').waitFor()
  const [{ text: kept }] = (await dashboard.posthorn.call(who.api_key, 'GET', '/api/v1/templates')).body.data
  assert.equal(kept, 'Typed meanwhile')
  assert.deepEqual(here.faults, [])
})

test('the next entry may be typed while one is being added', async () => {
  await using here = await dashboard.visit(await dashboard.owner({ operator: true }))
  const { page } = here
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  await dashboard.open(page, '/suppressions')
  const suppress = await hold(page, '**/customer/suppressions')
  await field('Email address').fill('one@example.net')
  await field('Note, such as who requested it').fill('By phone')
  await press('Suppress')
  await field('Email address').fill('two@example.net')
  await field('Expires').fill('2099-01-02T03:04')
  suppress()
  await page.getByText('one@example.net suppressed.').waitFor()
  assert.equal(await field('Email address').inputValue(), 'two@example.net')
  assert.equal(await field('Expires').inputValue(), '2099-01-02T03:04')
  assert.equal(await field('Note, such as who requested it').inputValue(), '')
  await press('Suppress')
  await page.getByText('two@example.net suppressed.').waitFor()

  await dashboard.open(page, '/keys')
  const create = await hold(page, '**/customer/api-keys')
  await field('Name, such as the app that uses it').fill('First')
  await press('Create key')
  await field('Allowed IP addresses').fill('192.0.2.1')
  create()
  await page.getByRole('link', { name: 'First', exact: true }).waitFor()
  assert.equal(await field('Allowed IP addresses').inputValue(), '192.0.2.1')
  await page.getByRole('button', { name: /^I have stored it/ }).click()

  await dashboard.open(page, '/operator/accounts')
  const open = await hold(page, '**/operator/accounts')
  await press('New account')
  await field('Owner email').fill('first@example.net')
  await field('Account name').fill('First shop')
  await press('Create')
  await field('Owner email').fill('second@example.net')
  open()
  await page.getByText('Shown only once.').waitFor()
  assert.equal(await field('Owner email').inputValue(), 'second@example.net')
  assert.equal(await field('Account name').inputValue(), '')
  assert.deepEqual(here.faults, [])
})

test('failed deliveries are replayed from a browser whose clock is an hour slow', async () => {
  const who = await dashboard.owner()
  const given = { name: 'Shop', url: 'https://hooks.example/in', events: ['*'] }
  const { id } = (await dashboard.posthorn.call(who.api_key, 'POST', '/api/v1/customer/webhooks', given)).body.data
  await using here = await dashboard.visit(who)
  const { page } = here
  const now = Date.now()
  const failed = {
    ...{ id: 'd', event_id: 'e', event: 'email.sent', status: 'failed', http_status: 500, error: null, email_id: null },
    ...{ response_body: 'no', attempt: 8, duration_ms: 3, next_attempt_at: null },
    created_at: new Date(now - 600_000).toISOString(),
  }
  await page.route('**/deliveries?**', async (route) => {
    const asked = new URL(route.request().url()).searchParams.get('status') ?? failed.status
    const data = asked === failed.status ? [failed] : []
    await route.fulfill({ json: { data, pagination: { total: data.length, limit: 50, offset: 0, next_cursor: null } } })
  })
  await page.clock.install({ time: now - 3_600_000 })
  await dashboard.open(page, `/webhooks/${id}`)
  await page.getByRole('button', { name: 'Replay all', exact: true }).click()
  await page.getByText('Replaying 0 events.').waitFor()
  assert.deepEqual(here.faults, [])
})
