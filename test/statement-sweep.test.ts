// Every database statement fails once in every place where it occurs: in acceptance, claims, results, hits, what follows the
// log, and webhook deliveries. First a mail runs its full course undisturbed, and the test records which statements occur,
// each with those before it in its transaction. Then, in each round, every kind of transaction fails at another statement
// while mails run their course. Whatever fails, each mail comes once and each fact is told once.
//
// The short form takes the last place of each kind and one in its middle; SWEEP=long takes all of them with each fault.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { type DatabaseProxy, databaseProxy, type Fault, type SeenStatement } from './world/database-proxy.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { plain, smtpSession } from './world/submission.ts'
import { type WebhookReceiver, webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld, type World } from './world/world.ts'

const WITHIN_MS = 60_000
const IS_LONG = process.env['SWEEP'] === 'long'
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0'
const FAULTS: readonly Fault[] = ['after', { state: '57014' }, 'before', { state: '40P01' }, { state: '53200' }]
/** Statements that belong to no mail: they run as long as the service does, or once after its start. */
const ASIDE = /^(select 1|listen|machines_|(tracking|domains|validation|bounces|transport)_recall_|rollback|begin$)/
const TO = statement('test_to', 'select id, status from email where recipient = $1')

interface Story {
  readonly to: string
  readonly door: 'rest' | 'smtp'
  readonly wanted: readonly string[]
}

interface Fixture extends AsyncDisposable {
  readonly world: World
  readonly mx: Receiver
  readonly proxy: DatabaseProxy
  readonly hook: WebhookReceiver
}

async function fixture(): Promise<Fixture> {
  const stack = new AsyncDisposableStack()
  const mx = stack.use(await startReceiver())
  const hook = stack.use(await webhookReceiver())
  const later = Promise.withResolvers<DatabaseProxy>()
  const ways = stack.use(new AsyncDisposableStack())
  const world = stack.use(
    await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port), POSTHORN_PUBLIC_URL: 'https://posthorn.test' },
      way: async (url) => {
        const proxy = ways.use(await databaseProxy(url))
        later.resolve(proxy)
        return proxy.url
      },
    }),
  )
  await world.verifiedDomain('shop.example')
  const made = await world.api.post('/api/v1/customer/webhooks', { url: hook.url, events: ['*'] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const owned = stack.move()
  return { world, mx, hook, proxy: await later.promise, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = AbortSignal.timeout(WITHIN_MS)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Repeats the request until it is accepted, as a client does. Every answer but a 2xx must be a temporary refusal. */
async function send(world: World, { to, door }: Story): Promise<void> {
  const html = '<a href="https://target.test/">one</a> <a href="{{unsubscribe}}">out</a>'
  await until(`${to} is accepted`, async () => {
    if (door === 'smtp') return submit(world, to, html)
    const mail = { from: 'a@shop.example', to, subject: 's', html, stream: 'broadcast', tracking_enabled: true }
    const { status, body } = await world.api.post('/api/v1/send', mail, { 'idempotency-key': to })
    assert.ok([202, 409, 500, 503].includes(status), JSON.stringify(body))
    assert.doesNotMatch(JSON.stringify(body), /refused by the test|\.ts:/)
    return status === 202
  })
}

async function submit(world: World, to: string, html: string): Promise<boolean> {
  const smtp = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  const head = `From: a@shop.example\r\nTo: ${to}\r\nSubject: s\r\nX-Stream: broadcast\r\nX-Idempotency-Key: ${to}\r\n`
  const message = `${head}Content-Type: text/html\r\n\r\n${html}`
  try {
    const login = `AUTH PLAIN ${plain('apikey', world.account.apiKey)}`
    for (const line of ['EHLO client.test', login, 'MAIL FROM:<a@shop.example>', `RCPT TO:<${to}>`, 'DATA']) {
      const said = await smtp.ask(line)
      assert.match(said, /^(2|3|4)/, line)
      if (said.startsWith('4')) return false
    }
    const said = await smtp.ask(`${message}\r\n.`)
    assert.match(said, /^(250|451) /)
    return said.startsWith('250')
  } finally {
    smtp.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the tests read answers
async function emailTo(world: World, to: string): Promise<any> {
  const [row] = await world.rooms.database.system.query<{ id: string }>(TO, [to]).catch(() => [])
  return row === undefined ? null : (await world.api.get(`/api/v1/emails/${row.id}`)).body.data
}

async function isDelivered(world: World, to: string): Promise<boolean> {
  return (await emailTo(world, to))?.status === 'delivered'
}

/** A person opens and clicks, or unsubscribes, some seconds after delivery. */
async function react({ world, mx }: Fixture, { to, wanted }: Story): Promise<void> {
  const mail = mx.messages.find(({ recipients: [first] }) => first === to)?.data.toString() ?? ''
  const text = mail.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const isLeaving = wanted.includes('email.unsubscribed')
  const path = (isLeaving ? /\/track\/u\/[\w-]+/ : /\/track\/c\/[\w-]+/).exec(text)?.[0]
  assert.ok(path !== undefined, mail)
  await until(`${path} is taken`, async () => {
    const reply = await fetch(world.url + path, {
      method: isLeaving ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { 'user-agent': CHROME, 'content-type': 'application/x-www-form-urlencoded' },
      ...(isLeaving && { body: 'List-Unsubscribe=One-Click' }),
    })
    await reply.arrayBuffer()
    return reply.status === (isLeaving ? 200 : 302)
  })
}

/** Runs mails through their full course, until all events are told. */
async function goThrough(h: Fixture, stories: readonly Story[]): Promise<void> {
  const { world, hook } = h
  await Promise.all(stories.map((story) => send(world, story)))
  let waits = 0
  for (const { to } of stories) {
    await until(`${to} is delivered`, () => {
      // Work postponed by a failed statement becomes due again.
      if (++waits % 200 === 0) world.clock.advance(7 * 60_000)
      return isDelivered(world, to)
    })
  }
  world.clock.advance(10_000)
  await Promise.all(stories.map((story) => react(h, story)))
  let looks = 0
  await until('every event is told', async () => {
    // Hits are judged some seconds after they came; work that a worker lost through a fault is claimed again after its lease.
    world.clock.advance(++looks % 25 === 0 ? 61_000 : 1_000)
    const emails = await Promise.all(stories.map(({ to }) => emailTo(world, to)))
    const told = new Set(hook.received.map(({ body }) => body.event_id))
    return stories.every(({ wanted }, i) => {
      const events = (emails[i]?.events ?? []) as { event: string; event_id: string }[]
      return events.length >= wanted.length && events.every(({ event_id }) => told.has(event_id))
    })
  })
}

async function assertWhole({ world, mx, hook }: Fixture, stories: readonly Story[]): Promise<void> {
  const facts = new Map<string, string>()
  for (const { to, wanted } of stories) {
    const rows = await world.rooms.database.system.query<{ id: string }>(TO, [to])
    assert.equal(rows.length, 1, `${to} is one email`)
    assert.equal(mx.messages.filter(({ recipients: [first] }) => first === to).length, 1, `${to} came once`)
    const { events, attempts } = await emailTo(world, to)
    const names: string[] = events.map(({ event }: { event: string }) => event)
    const putOff = Array.from({ length: attempts.length - 1 }, () => 'email.deferred')
    assert.deepEqual(names.sort(), [...wanted, ...putOff].sort(), to)
    for (const { event, event_id } of events) facts.set(event_id, `${event} ${to}`)
  }
  const told = new Map(
    hook.received.map(({ body }) => [body.event_id, `${body.event} ${body.recipient ?? body.data?.recipient}`]),
  )
  assert.deepEqual([...told.keys()].sort(), [...facts.keys()].sort())
}

const WANTED = [
  ['rest', ['email.sent', 'email.delivered', 'email.opened', 'email.clicked']],
  ['smtp', ['email.sent', 'email.delivered', 'email.unsubscribed']],
] as const

interface Round {
  readonly fault: Fault
  /** The places that fail, given those of one kind of transaction. */
  readonly placesOf: (kind: readonly string[]) => readonly string[]
}

const SHARES = [1, 0.4]
function shortRounds(): readonly Round[] {
  return SHARES.map((share, n) => ({
    fault: FAULTS[n] ?? 'before',
    placesOf: (kind) => [kind[Math.floor((kind.length - 1) * share)] ?? ''],
  }))
}

function longRounds(kinds: readonly (readonly string[])[]): readonly Round[] {
  const most = Math.max(...kinds.map(({ length }) => length))
  return FAULTS.flatMap((fault) =>
    Array.from({ length: most }, (_, n) => ({ fault, placesOf: (kind: readonly string[]) => kind.slice(n, n + 1) })),
  )
}

const placeOf = ({ transaction, name }: SeenStatement): string => [...transaction, name].join(' ')

test('whichever statement fails, each mail comes once and each fact is told once', async () => {
  await using h = await fixture()
  const { proxy } = h
  let count = 0
  const all: Story[] = []
  const round = async (): Promise<void> => {
    count++
    const stories = WANTED.map(([door, wanted]) => ({ to: `${door}${count}@example.net`, door, wanted }))
    all.push(...stories)
    await goThrough(h, stories)
  }
  const places = new Map<string, Set<string>>()
  proxy.fault = (seen) => {
    if (ASIDE.test(seen.name) || seen.transaction.some((name) => ASIDE.test(name))) return null
    const kind = seen.transaction[0] ?? seen.name
    places.set(kind, (places.get(kind) ?? new Set()).add(placeOf(seen)))
    return null
  }
  await round()
  await round()
  const kinds = [...places.values()].map((one) => [...one])
  assert.ok(kinds.length > 20 && kinds.some((one) => one.length > 5), 'the statements are seen')
  const came = { of: 0, not: 0 }
  for (const { fault, placesOf } of IS_LONG ? longRounds(kinds) : shortRounds()) {
    const armed = new Set(kinds.flatMap(placesOf))
    came.of += armed.size
    proxy.fault = (seen) => (armed.delete(placeOf(seen)) ? fault : null)
    await round()
    came.not += armed.size
  }
  proxy.fault = () => null
  await assertWhole(h, all)
  assert.ok(came.not < came.of / 4, `of ${came.of} statements ${came.not} did not come again`)
})
