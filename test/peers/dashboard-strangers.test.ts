// Text from strangers: XSS payload lists in every field, and in the responses of mail servers and webhook receivers, are shown
// as text. Also the performance budget of the pages with 10,000 emails.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type Dashboard, startDashboard } from './dashboard.ts'
import { freePort, waitFor } from './fixture.ts'

const CORPORA = process.env['POSTHORN_CORPORA']
const PAYLOADS = Number(process.env['POSTHORN_PAYLOADS'] ?? 90)
const OWN_PAYLOADS = [
  '<script>violated("script")</script>',
  '<img src=x onerror=violated("img")>',
  '"><svg onload=violated("svg")>',
  "javascript:violated('link')",
  '<iframe src="javascript:violated(1)"></iframe>',
  '<a href="https://evil.example/?">x</a><img src="https://evil.example/p.gif">',
  '{{constructor.constructor("violated(1)")()}}',
  '\u202Emoc.elpmaxe\u202C',
]
const EMAILS = 10_000
const BATCH = 500
const MAX_FIRST_LOAD_BYTES = 200_000
const MAX_TASK_MS = 200
/** On a busy machine tasks take longer, so the best of this many runs counts. */
const TIMES = 4
const AT_ONCE = 6

const stack = new AsyncDisposableStack()
let dashboard: Dashboard
let payloads: readonly string[] = OWN_PAYLOADS
let webhookPort = 0

before(async () => {
  if (CORPORA !== undefined) payloads = [...OWN_PAYLOADS, ...(await fromCorpora(CORPORA))]
  const [relayPort, hookPort] = [await freePort(), await freePort()]
  webhookPort = hookPort
  let told = 0
  const receiver = createServer((request, answer) => {
    const said = payloads[told++ % payloads.length] ?? ''
    request
      .resume()
      .on('end', () => answer.writeHead(told % 2 === 0 ? 500 : 200, { 'content-type': 'text/html' }).end(said))
  }).listen(hookPort, '127.0.0.1')
  const relay = net.createServer(talk).listen(relayPort, '127.0.0.1')
  stack.defer(() => {
    receiver.closeAllConnections()
    receiver.close()
    relay.close()
  })
  dashboard = stack.use(
    await startDashboard('strangers', {
      POSTHORN_DELIVERY: `relay:127.0.0.1:${relayPort}`,
      POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    }),
  )
})
after(() => stack.disposeAsync())

async function fromCorpora(folder: string): Promise<readonly string[]> {
  const files = ['JHADDIX_XSS', 'RSNAKE_XSS', 'XSS_Polyglots', 'BRUTELOGIC-XSS-STRINGS', 'xss_alert']
  const lists = await Promise.all(files.map((name) => readFile(path.join(folder, 'xss', `${name}.txt`), 'utf8')))
  const naughty = JSON.parse(await readFile(path.join(folder, 'naughty/blns.json'), 'utf8')) as string[]
  const all = [...lists.flatMap((text) => text.split('\n')), ...naughty].map((one) => one.trim()).filter(Boolean)
  const step = Math.max(1, Math.floor(all.length / PAYLOADS))
  return all.filter((_, i) => i % step === 0)
}

const lineOf = (payload: string): string => payload.replaceAll(/[\r\n\0]/g, ' ').slice(0, 180)

/** Removes invisible characters before comparing. */
const plain = (text: string): string => text.replaceAll(/[^!-~]/g, '')

/** A mail server that refuses every recipient with the payload whose number is in the address. */
function talk(socket: net.Socket): void {
  socket.on('error', () => undefined)
  socket.write('220 <b>relay</b> ESMTP\r\n')
  let rest = ''
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, number = '0', kind = 'hard'] = /^RCPT TO:<p(\d+)-(\w+)@/i.exec(line) ?? []
      const said = lineOf(payloads[Number(number)] ?? '')
      if (/^RCPT/i.test(line)) socket.write(`${kind === 'soft' ? '451 4.7.1' : '550 5.1.1'} ${said}\r\n`)
      else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else socket.write('250 fine\r\n')
    }
  })
}

const call = (...given: Parameters<Dashboard['posthorn']['call']>) => dashboard.posthorn.call(...given)

async function forEach<T>(items: readonly T[], work: (item: T, i: number) => Promise<unknown>): Promise<void> {
  const left = items.map((item, i) => [item, i] as const)
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await work(...next)
    }),
  )
}

test('text from strangers is shown as text: no script runs, and no other host is contacted', async (t) => {
  if (CORPORA === undefined) t.diagnostic('POSTHORN_CORPORA is not set: with a few payloads of our own')
  const who = await dashboard.owner()
  const { api_key: live, test_api_key: key } = who
  const post = (where: string, body: object, as = live) => call(as, 'POST', `/api/v1${where}`, body)
  await call(live, 'PATCH', '/api/v1/customer/profile', {
    enforce_sender_verification: false,
    block_disposable_emails: false,
  })
  const hookUrl = `http://127.0.0.1:${webhookPort}/in`
  const { body: hook } = await post('/customer/webhooks', { url: hookUrl, name: '<b>hook</b>', events: ['*'] })
  await post('/customer/domains', { domain: 'shop.example' })
  let [stored, real] = [0, 0]
  await forEach(payloads, async (payload, i) => {
    const line = lineOf(payload)
    const mail = {
      ...{ from: 'a@shop.example', from_name: line, subject: line, html: payload, text: payload },
      ...{ tag: 'x', metadata: { note: payload } },
    }
    const to = `p${i}-${i % 5 === 0 ? 'soft' : 'hard'}@example.net`
    const [sandbox, out] = await Promise.all([
      post('/send', { ...mail, to: 'jo@example.net' }, key),
      post('/send', { ...mail, to }),
    ])
    if (sandbox.status === 202) stored++
    if (out.status === 202) real++
    const name = line.slice(0, 90)
    await post('/templates', { name, subject: line, text: payload, html: payload })
    await post('/customer/api-keys', { name })
    await post('/customer/suppressions', { email: `s${i}@example.net`, details: payload })
    await post('/customer/unsubscribes', { email: `u${i}@example.net`, reason: payload })
    await post('/customer/contacts', { email: `c${i}@example.net`, name, source: name, double_opt_in: false })
  })
  assert.ok(stored > payloads.length / 2 && real > 5, `${stored} and ${real} of ${payloads.length} mails are stored`)
  await waitFor(
    'all attempts',
    async () => (await call(live, 'GET', '/api/v1/emails?status=queued&limit=1')).body.pagination.total === 0,
    60_000,
  )

  await using here = await dashboard.visit(who, { userAgent: '<img src=x onerror=violated("agent")>' })
  const { page } = here
  const lists =
    '/ /emails /emails?page=2 /emails?page=3 /inbox /inbox?page=2 /templates /templates?page=2 /keys /keys?page=2 /suppressions /suppressions?page=2 /unsubscribes /contacts /bounces /bounces?page=2 /settings /health /webhooks'
  for (const where of [...lists.split(' '), `/webhooks/${hook.data.id}`, `/webhooks/${hook.data.id}?page=2`])
    await dashboard.open(page, where)
  const shown = await page.getByRole('table', { name: 'Deliveries' }).innerText()
  assert.ok(
    payloads.some((one) => one.length > 10 && shown.includes(one)),
    'what a receiver answered is shown',
  )

  const [bounced, deferred, captured, templates] = await Promise.all(
    ['/emails?status=bounced&limit=12', '/emails?status=deferred&limit=6', '/inbox?limit=8', '/templates?limit=8'].map(
      async (where) =>
        (await call(where.startsWith('/inbox') ? key : live, 'GET', `/api/v1${where}`)).body.data as {
          id: string
          last_response?: string
        }[],
    ),
  )
  assert.ok((bounced?.length ?? 0) > 3 && (deferred?.length ?? 0) > 0, 'mail servers answered')
  for (const { id, last_response: said } of [...(bounced ?? []), ...(deferred ?? [])]) {
    await dashboard.open(page, `/emails/${id}`)
    const answer = plain(said ?? '')
    assert.ok(plain(await page.locator('main').innerText()).includes(answer), `the answer ${answer}`)
    const dialogues = page.getByText(/^SMTP transcript, /)
    if ((await dialogues.count()) > 0) await dialogues.first().click()
    for (const view of ['Headers', 'Links', 'Source'])
      await page.getByRole('button', { name: view, exact: true }).click()
    await page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
  }
  for (const { id } of captured ?? []) await dashboard.open(page, `/inbox/${id}`)
  for (const { id } of templates ?? []) {
    const filled = page.waitForResponse(/\/templates\/preview$/)
    await dashboard.open(page, `/templates/${id}`)
    assert.equal((await filled).status(), 200)
    await page.locator('iframe').waitFor()
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('script')
  await page.getByRole('option').first().waitFor()
  assert.deepEqual(here.faults, [])
  // What a page of ours might do by mistake, the browser refuses: no text becomes markup.
  const refused = page.evaluate("document.createElement('p').innerHTML = '<b>x</b>'")
  await assert.rejects(refused, /TrustedHTML/)
})

test('the first load is small, and with 10,000 emails no page blocks the browser', async (t) => {
  const who = await dashboard.owner()
  const mails = Array.from({ length: EMAILS }, (_, i) => ({
    ...{
      from: 'a@shop.example',
      to: `jo${i}@example.net`,
      subject: `Order ${i}`,
      text: 'Hi',
      tag: i % 2 ? 'order' : 'note',
    },
  }))
  const batches = Array.from({ length: EMAILS / BATCH }, (_, i) => mails.slice(i * BATCH, (i + 1) * BATCH))
  await forEach(batches, async (messages) => {
    const { body } = await call(who.test_api_key, 'POST', '/api/v1/send/batch', { messages })
    assert.ok(body.data.every(({ success }: { success: boolean }) => success))
  })
  await using here = await dashboard.visit(who)
  const { page } = here
  await page.addInitScript({
    content: `window.tasks = [];
      new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.tasks.push(duration) })
        .observe({ type: 'longtask', buffered: true })`,
  })
  const bytes: number[] = []
  const longest: number[] = []
  for (let i = 0; i < TIMES && (i === 0 || Math.min(...longest) > MAX_TASK_MS); i++) {
    await dashboard.open(page, '/')
    if (i === 0)
      bytes.push(
        ...(await page.evaluate<number[]>(
          `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(({ transferSize }) => transferSize)`,
        )),
      )
    await page.evaluate('window.tasks = []')
    await page.getByRole('link', { name: 'Emails', exact: true }).click()
    await page.getByText(`${EMAILS.toLocaleString('en-US')} entries`).waitFor()
    await page.getByRole('button', { name: 'Older', exact: true }).click()
    // Also said to screen readers.
    await page.getByText('page 2 of').first().waitFor()
    await page.getByLabel('Subject, recipient or message ID', { exact: true }).fill('Order 9999')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('link', { name: 'Order 9999', exact: true }).waitFor()
    await page.mouse.wheel(0, 4_000)
    longest.push(Math.max(0, ...(await page.evaluate<number[]>('window.tasks'))))
  }
  const sum = bytes.reduce((all, one) => all + one, 0)
  t.diagnostic(`first load ${sum} bytes, longest tasks ${longest.map(Math.round).join(', ')} ms`)
  assert.ok(sum > 20_000 && sum < MAX_FIRST_LOAD_BYTES, `${sum} bytes`)
  assert.ok(Math.min(...longest) <= MAX_TASK_MS, `the longest task took ${longest.join(', ')} ms`)
  assert.deepEqual(here.faults, [])
})
