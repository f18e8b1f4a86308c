// A service that is away for a while: pages come back by themselves.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Dashboard, startDashboard } from './dashboard.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('away'))
})
after(() => stack.disposeAsync())

test('a page whose file could not be read loads by itself once the service answers', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/')
  // As while the service restarts: nothing answers.
  const { url } = dashboard.posthorn
  const isAway = (address: URL): boolean => address.href === `${url}/` || /assets\/lists/.test(address.pathname)
  await page.route(isAway, (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'Suppressions', exact: true }).click()
  await page.getByText('This page could not be loaded.').waitFor()
  await page.unroute(isAway)
  await page.getByText('No suppressed addresses.').waitFor({ timeout: 20_000 })
  assert.deepEqual(here.faults, [])
})

test('a page that could not be read is read again by itself once the service answers', async () => {
  await using here = await dashboard.visit(await dashboard.owner())
  const { page } = here
  await dashboard.open(page, '/')
  await page.route('**/api/v1/**', (route) => route.abort('connectionrefused'))
  await page.getByRole('link', { name: 'SMTP', exact: true }).click()
  await page.getByText('The service did not answer.').waitFor()
  await page.unroute('**/api/v1/**')
  await page.getByText('Implicit TLS').waitFor()
  assert.deepEqual(here.faults, [])
})

test('what a proxy answers in place of the source of an email is told as such', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'jo@example.net', subject: 'Hi', text: 'Hi' }
  const sent = await dashboard.posthorn.call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.route('**/api/v1/emails/*/raw', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad Gateway</html>' }),
  )
  await dashboard.open(page, `/emails/${sent.body.data.email_id}`)
  await page.getByRole('button', { name: 'Source', exact: true }).click()
  await page.getByText('The server answered 502').waitFor()
  assert.deepEqual(here.faults, [])
})
