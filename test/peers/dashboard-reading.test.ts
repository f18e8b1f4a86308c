// Mails as they are read: with their pictures and their files.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { type Dashboard, type Owner, seriousFaults, startDashboard } from './dashboard.ts'
import { waitFor } from './ground.ts'

const stack = new AsyncDisposableStack()
let dashboard: Dashboard

before(async () => {
  dashboard = stack.use(await startDashboard('reading'))
})
after(() => stack.disposeAsync())

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

/** Once it is delivered. */
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

/** One dot. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('a mail is shown with the pictures it brings along, and its files are saved as they were sent', async () => {
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
