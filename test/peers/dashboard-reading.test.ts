// Reading emails: with embedded images and attachments, one after the other in the order of their list, and the lists that
// stopped them.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, type Owner, seriousFaults, startDashboard } from './dashboard.ts'
import { waitFor } from './fixture.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('reading'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

/** Resolves when it is delivered. */
async function send({ test_api_key: key }: Owner, mail: object): Promise<string> {
  const body = { from: 'a@b.example', to: 'jo@example.net', subject: 'Hi', text: 'Hi', html: '<p>Hi</p>', ...mail }
  const sent = await call(key, 'POST', '/api/v1/send', body)
  assert.equal(sent.status, 202, JSON.stringify(sent.body))
  const id = sent.body.data.email_id
  await waitFor(
    'its delivery',
    async () => (await call(key, 'GET', `/api/v1/emails/${id}`)).body.data.status === 'delivered' || undefined,
  )
  return id
}

const titled = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 1 }).waitFor()
const beside = (page: Page, name: 'Newer' | 'Older') => page.getByRole('link', { name, exact: true })

/** An image of one pixel. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an email is shown with its embedded images, and its attachments are saved unchanged', async () => {
  const who = await dashboard.owner()
  const stranger = Buffer.from('<script>parent.alert(1)</script>\r\nÄ\0')
  const id = await send(who, {
    html: '<p style="background: url(cid:dot)">Look: <img alt="dot" src="cid:dot"></p>',
    attachments: [
      { filename: 'dot.png', content: PICTURE, content_type: 'image/png', content_id: 'dot', disposition: 'inline' },
      { filename: 'Seite für Jo.html', content: stranger.toString('base64'), content_type: 'text/html' },
    ],
  })
  const [captured] = (await call(who.test_api_key, 'GET', '/api/v1/inbox')).body.data
  await using here = await dashboard.visit(who, { acceptDownloads: true })
  const { page } = here
  for (const where of [`/inbox/${captured.id}`, `/emails/${id}`]) {
    await dashboard.open(page, where)
    const picture = page.frameLocator('iframe').getByAltText('dot', { exact: true })
    const width = () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
    await waitFor(`the picture of ${where}`, async () => (await width()) === 1 || undefined)
    const files = page.getByRole('list', { name: 'Attachments', exact: true })
    for (const [name, bytes] of [
      ['Seite für Jo.html', stranger],
      ['dot.png', Buffer.from(PICTURE, 'base64')],
    ] as const) {
      const coming = page.waitForEvent('download')
      await files.getByRole('button', { name: `Download ${name}`, exact: true }).click()
      const saved = await coming
      assert.equal(saved.suggestedFilename(), name)
      assert.deepEqual(await readFile(await saved.path()), bytes, `${where}: ${name}`)
    }
    assert.equal(new URL(page.url()).pathname, where)
    assert.equal(await page.getByRole('alert').count(), 0)
  }
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('emails can be read one after the other in the order of their list, also across its pages', async () => {
  const who = await dashboard.owner()
  // A page of the list has 50 emails.
  for (let number = 1; number <= 26; number++) {
    await Promise.all([
      send(who, { subject: `Order ${number}`, tag: 'order' }),
      send(who, { subject: `Order ${number}b`, tag: 'order' }),
    ])
    if (number % 13 === 0) await send(who, { subject: `News ${number}`, tag: 'news' })
  }
  const where = '/api/v1/emails?tag=order&limit=100'
  const { data } = (await call(who.api_key, 'GET', where)).body
  const subjects: readonly string[] = data.map(({ subject }: { subject: string }) => subject)
  assert.equal(subjects.length, 52)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/emails?tag=order')
  await page.getByRole('link', { name: subjects[48] ?? '', exact: true }).click()
  await titled(page, subjects[48] ?? '')
  for (const place of [49, 50, 51]) {
    await beside(page, 'Older').waitFor()
    await page.keyboard.press('j')
    await titled(page, subjects[place] ?? '')
  }
  await beside(page, 'Newer').waitFor()
  assert.equal(await beside(page, 'Older').count(), 0, 'the last one')
  assert.match(new URL(page.url()).search, /^\?tag=order&page=(?:%22)?2(?:%22)?$/)
  await page.reload()
  await titled(page, subjects[51] ?? '')
  for (const place of [50, 49]) {
    await beside(page, 'Newer').click()
    await titled(page, subjects[place] ?? '')
  }
  await page.keyboard.press('k')
  await titled(page, subjects[48] ?? '')
  assert.equal(new URL(page.url()).search, '?tag=order')
  await dashboard.open(page, '/emails?tag=news')
  await page.getByRole('link', { name: 'News 26', exact: true }).click()
  await titled(page, 'News 26')
  await beside(page, 'Older').click()
  await titled(page, 'News 13')
  await beside(page, 'Newer').waitFor()
  assert.equal(await beside(page, 'Older').count(), 0)
  assert.deepEqual(await seriousFaults(page), [])
  assert.deepEqual(here.faults, [])
})

test('captured emails are read in the filtered order of their list, and deleting one returns to it', async () => {
  const who = await dashboard.owner()
  for (const subject of ['Bill 1', 'Note', 'Bill 2']) await send(who, { subject })
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, '/inbox?subject=Bill')
  await page.getByRole('link', { name: 'Bill 2', exact: true }).click()
  await titled(page, 'Bill 2')
  await beside(page, 'Older').waitFor()
  await page.keyboard.press('j')
  await titled(page, 'Bill 1')
  await beside(page, 'Newer').waitFor()
  assert.equal(await beside(page, 'Older').count(), 0)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await titled(page, 'Inbox')
  await page.getByRole('link', { name: 'Bill 2', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Bill 1', exact: true }).waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).search, '?subject=Bill')
  assert.deepEqual(here.faults, [])
})

test('an email that no longer matches its filter keeps its place while reading on', async () => {
  const who = await dashboard.owner()
  for (const subject of ['One', 'Two', 'Three']) await send(who, { subject })
  await using here = await dashboard.visit(who)
  const { page } = here
  let gone: string | null = null
  await page.route('**/api/v1/emails?*', async (route) => {
    const answer = await (await route.fetch()).json()
    answer.data = answer.data.filter(({ subject }: { subject: string }) => subject !== gone)
    await route.fulfill({ json: answer })
  })
  await dashboard.open(page, '/emails?status=delivered')
  await page.getByRole('link', { name: 'Two', exact: true }).click()
  await titled(page, 'Two')
  await beside(page, 'Older').waitFor()
  gone = 'Two'
  const told = page.waitForResponse(/\/api\/v1\/emails\?/)
  await send(who, { subject: 'Four' })
  await told
  assert.equal(await beside(page, 'Newer').count(), 1)
  await beside(page, 'Older').click()
  await titled(page, 'One')
  await beside(page, 'Newer').click()
  await titled(page, 'Three')
  assert.deepEqual(here.faults, [])
})

test('an error about one email is not shown with the next one, and neither is a question about it', async () => {
  const who = await dashboard.owner()
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  for (const subject of ['One', 'Two']) {
    const mail = { from: 'a@b.example', to: 'jo@example.net', subject, text: 'Hi', scheduled_at: tomorrow }
    assert.equal((await call(who.test_api_key, 'POST', '/api/v1/send', mail)).status, 202)
  }
  await using here = await dashboard.visit(who)
  const { page } = here
  const refused = 'No, not this one.'
  const problem = { error: refused, code: 'not_cancelable', details: {}, request_id: 'r' }
  await page.route('**/api/v1/emails/*/cancel', (route) => route.fulfill({ status: 409, json: problem }))
  const cancel = () => page.locator('main').getByRole('button', { name: 'Cancel', exact: true }).first().click()
  await dashboard.open(page, '/emails')
  await page.getByRole('link', { name: 'Two', exact: true }).click()
  await titled(page, 'Two')
  await cancel()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel email', exact: true }).click()
  await page.getByText(refused).waitFor()
  await beside(page, 'Older').waitFor()
  await page.keyboard.press('j')
  await titled(page, 'One')
  assert.equal(await page.getByText(refused).count(), 0, 'the error')
  await cancel()
  await page.getByRole('dialog').waitFor()
  await page.goBack()
  await titled(page, 'Two')
  assert.equal(await page.getByRole('dialog').count(), 0, 'the question')
  assert.deepEqual(here.faults, [])
})

test('the sentence of a page is read from the list below it, which is asked for once', async () => {
  const who = await dashboard.owner()
  await call(who.api_key, 'POST', '/api/v1/customer/suppressions', { email: 'gone@example.net' })
  await using here = await dashboard.visit(who)
  const { page } = here
  for (const [where, list, sentence] of [
    ['/suppressions', '/customer/suppressions', '1 address is suppressed (1 manual): no email is sent there.'],
    ['/webhooks', '/customer/webhooks', 'Events sent to your own servers: signed, and retried until accepted.'],
    ['/keys', '/customer/api-keys', '1 live and 1 test keys work.'],
  ] as const) {
    const asked: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === `/api/v1${list}`) asked.push(request.url())
    })
    await dashboard.open(page, where)
    await page.getByText(sentence, { exact: true }).waitFor()
    assert.equal(asked.length, 1, asked.join(' '))
  }
  assert.deepEqual(here.faults, [])
})

test('a suppressed email names the list that its recipient is on, and links to it', async () => {
  const who = await dashboard.owner()
  const mail = {
    from: 'a@b.example',
    subject: 'Refused',
    text: 'Hi',
    to: ['no@example.net', 'gone@example.net', 'jo@example.net'],
  }
  await call(who.test_api_key, 'POST', '/api/v1/customer/unsubscribes', { email: 'no@example.net' })
  await call(who.test_api_key, 'POST', '/api/v1/customer/suppressions', { email: 'gone@example.net' })
  const { body } = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  const [no, gone] = body.data.recipients
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/emails/${no.email_id}`)
  await page.getByText('Because the recipient unsubscribed.').waitFor()
  await page.getByRole('link', { name: 'See when and how they unsubscribed', exact: true }).click()
  await page.getByRole('heading', { name: 'Unsubscribes', exact: true }).waitFor()
  await dashboard.open(page, `/emails/${gone.email_id}`)
  await page.getByRole('link', { name: 'See the suppression', exact: true }).click()
  await page.getByRole('heading', { name: 'Suppressions', exact: true }).waitFor()
  assert.deepEqual(here.faults, [])
})

test('the page of a bounced sandbox email leads to its suppression, which the list has on request alone', async () => {
  const who = await dashboard.owner()
  const mail = { from: 'a@b.example', to: 'bounce@sandbox.test', subject: 'Your order', text: 'On its way.' }
  const { body } = await call(who.test_api_key, 'POST', '/api/v1/send', mail)
  await using here = await dashboard.visit(who)
  const { page } = here
  await dashboard.open(page, `/emails/${body.data.email_id}`)
  await page.getByRole('link', { name: 'See the suppression', exact: true }).click()
  const row = page.getByRole('row', { name: 'bounce@sandbox.test · sandbox' })
  await row.waitFor()
  await page.getByLabel('Sandbox').selectOption({ label: 'excluded' })
  await page.getByText('Nothing matches these filters.').waitFor()
  await page.getByLabel('Sandbox').selectOption({ label: 'included' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Allow email' }).click()
  await page.getByText('Nothing matches these filters.').waitFor()
  assert.deepEqual(here.faults, [])
})
