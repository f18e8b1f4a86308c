import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { until } from '../../../test/world/accounts-fixture.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { statement } from '../../platform/db.ts'
import { append, type FollowedEvent, type FollowOptions, follow, type NewEvent, type Share } from './index.ts'
import { eventStreams, STALLED_MS } from './stream.ts'

function event(world: World, over: Partial<NewEvent> = {}): NewEvent {
  const { clock, ids } = world.rooms.ground
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId: world.account.accountId,
    domainId: null,
    emailId: null,
    type: 'suppression.created',
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data: { email: 'a@x.test' },
    facts: null,
    ...over,
  }
}

interface Message {
  readonly id: string
  readonly event: string | null
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape
  readonly data: any
}

/** Reads messages until `until` returns true or the stream ends. */
async function read(
  world: World,
  {
    key = world.account.apiKey,
    after = null as string | null,
    until = (_: Message[]) => false,
    onOpen = async () => {},
  },
): Promise<{ messages: Message[]; status: number; ended: boolean }> {
  const reply = await fetch(`${world.url}/api/v1/events/stream`, {
    headers: { 'x-api-key': key, ...(after !== null && { 'last-event-id': after }) },
    signal: AbortSignal.timeout(60_000),
  })
  if (reply.status !== 200) return { messages: [await reply.json()] as never, status: reply.status, ended: true }
  await onOpen()
  const messages: Message[] = []
  let text = ''
  for await (const chunk of reply.body ?? []) {
    text += Buffer.from(chunk).toString()
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => line.split(/: (.*)/s) as [string, string]),
      )
      text = text.slice(end + 2)
      const data = fields.get('data')
      messages.push({
        id: fields.get('id') ?? '',
        event: fields.get('event') ?? null,
        data: data === undefined ? null : JSON.parse(data),
      })
    }
    if (until(messages)) return { messages, status: 200, ended: false }
  }
  return { messages, status: 200, ended: true }
}

test('the list has filters, pages and cursors, and shows an account only its own events', async () => {
  await using world = await startWorld()
  const domainId = await world.verifiedDomain('shop.example')
  for (const [i, tag] of ['one', 'two', 'two'].entries()) {
    const to = `ann${i}@x.test`
    const sent = await world.api.post('/api/v1/send', { from: 'a@shop.example', to, subject: 's', text: 't', tag })
    assert.equal(sent.status, 202, JSON.stringify(sent.body))
  }
  const { body } = await world.api.get('/api/v1/events?event=email.sent')
  assert.equal(body.pagination.total, 3)
  assert.deepEqual(
    body.data.map((one: { data: { recipient: string } }) => one.data.recipient),
    ['ann2@x.test', 'ann1@x.test', 'ann0@x.test'],
  )
  const total = async (query: string): Promise<number> =>
    (await world.api.get(`/api/v1/events?${query}`)).body.pagination.total
  const sent = 'event=email.sent'
  assert.equal(await total(`${sent}&tag=two`), 2)
  assert.equal(await total(`${sent}&recipient=ANN1@x.test`), 1)
  assert.equal(await total(`${sent}&domain_id=${domainId}`), 3)
  assert.equal(await total(`${sent}&email_id=${body.data[0].email_id}`), 1)
  assert.equal(await total(`${sent}&from=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`), 0)
  const walked: string[] = []
  for (let query = `${sent}&limit=1`; query !== ''; ) {
    const page = (await world.api.get(`/api/v1/events?${query}`)).body
    walked.push(page.data[0].event_id)
    query = page.pagination.next_cursor === null ? '' : `${sent}&limit=1&cursor=${page.pagination.next_cursor}`
  }
  assert.deepEqual(
    walked,
    body.data.map((one: { event_id: string }) => one.event_id),
  )
  const trial = { from: 'a@shop.example', to: 'ann@x.test', subject: 's', text: 't' }
  assert.equal((await world.account.testApi.post('/api/v1/send', trial)).status, 202)
  assert.equal(await total(sent), 4)
  assert.equal(await total(`${sent}&include_sandbox=false`), 3)
  const other = await world.newAccount()
  assert.equal((await other.api.get('/api/v1/events')).body.pagination.total, 0)
  for (const query of ['event=none', 'limit=0', 'cursor=x', 'recipient=x', 'from=x', 'domain_id=x']) {
    assert.equal((await world.api.get(`/api/v1/events?${query}`)).body.code, 'invalid_parameter', query)
  }
})

test('the recipient filter also finds events about only the address, and none of other recipients', async () => {
  await using world = await startWorld()
  for (const email of ['Ann@x.test', 'bob@x.test']) {
    assert.equal((await world.api.post('/api/customer/unsubscribes', { email })).status, 201)
    const listed = await world.api.post('/api/v1/customer/suppressions', { email, reason: 'manual' })
    assert.equal(listed.status, 201, JSON.stringify(listed.body))
  }
  const about = async (recipient: string, api = world.api): Promise<readonly string[]> => {
    const { data, pagination } = (await api.get(`/api/v1/events?recipient=${recipient}`)).body
    assert.equal(pagination.total, data.length)
    return data.map((one: { event: string; data: { email: string } }) => `${one.event} ${one.data.email}`).sort()
  }
  assert.deepEqual(await about('ANN@x.test'), ['email.unsubscribed ann@x.test', 'suppression.created ann@x.test'])
  assert.deepEqual(await about('nobody@x.test'), [])
  assert.deepEqual(await about('ann@x.test', (await world.newAccount()).api), [])
})

test('a follower of some types skips the others, and one that needs no data gets none', async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const event = (type: NewEvent['type'], number: number): NewEvent => ({
    eventId: `018f0000-0000-7000-8000-00000000000${number}`,
    at: new Date(),
    accountId: world.account.accountId,
    domainId: null,
    emailId: null,
    type,
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data: { number },
    facts: { recipient: 'r', from: 'f', from_name: null, subject: 's', message_id: 'm', metadata: null },
  })
  const types = ['domain.verified'] as const
  for (const number of [1, 2, 3, 4]) {
    await append(database.system, [event('email.sent', number), event(types[0], number + 4)].slice(number % 2))
  }
  const heard = async (options: Omit<FollowOptions, 'effect' | 'limit'>, limit = 1_000) => {
    const events: FollowedEvent[] = []
    const effect = async (_: unknown, some: readonly FollowedEvent[]): Promise<void> => void events.push(...some)
    let all = 0
    for (let taken = limit; taken === limit; all += taken) taken = await follow(database, { ...options, limit, effect })
    return { all, events }
  }
  // Open transactions of other tests on the same server hold a follower back: it reads below the oldest one.
  let whole = await heard({ name: 'test whole' })
  for (let tries = 0; whole.events.filter(({ facts }) => facts?.subject === 's').length < 6 && tries < 1_200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const more = await heard({ name: 'test whole' })
    whole = { all: whole.all + more.all, events: [...whole.events, ...more.events] }
  }
  assert.equal(whole.events.filter(({ facts }) => facts?.subject === 's').length, 6)
  for (const limit of [1_000, 2]) {
    const some = await heard({ name: `test some ${limit}`, types }, limit)
    assert.equal(some.all, whole.all)
    assert.deepEqual(
      some.events,
      whole.events.filter(({ type }) => type === 'domain.verified'),
    )
    assert.equal((await heard({ name: `test some ${limit}`, types }, limit)).all, 0)
  }
  const bare = await heard({ name: 'test bare', dataOf: types })
  assert.deepEqual(
    bare.events.map(({ eventId }) => eventId),
    whole.events.map(({ eventId }) => eventId),
  )
  for (const { type, data, facts } of bare.events) {
    assert.equal(facts, null)
    assert.equal(Object.keys(data).length > 0, type === 'domain.verified')
  }
})

const RENUMBER = statement(
  'test_renumber',
  'update event set xid = (8 + array_position($1::uuid[], event_id))::text::xid8 where event_id = any($1::uuid[])',
)

test('a follower reads transactions in numeric order: 10 after 9, wherever a stretch ends', async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const events = Array.from({ length: 6 }, () => event(world))
  for (const one of events) await append(database.system, [one])
  const ids = events.map(({ eventId }) => eventId)
  assert.equal(await database.system.execute(RENUMBER, [ids]), ids.length)
  for (const types of [undefined, ['suppression.created'] as const]) {
    for (const limit of [2, 3, 1_000]) {
      const heard: string[] = []
      const options = {
        name: `test order ${limit} ${types}`,
        limit,
        ...(types && { types }),
        effect: async (_: unknown, some: readonly FollowedEvent[]) =>
          void heard.push(...some.map(({ eventId }) => eventId).filter((id) => ids.includes(id))),
      }
      for (let taken = 1; taken > 0; ) taken = await follow(database, options)
      assert.deepEqual(heard, ids)
    }
  }
  const most: number[] = []
  const heard: string[] = []
  const name = 'test order fitting'
  const share = async (_: unknown, some: readonly FollowedEvent[]): Promise<Share> => ({
    ...{ apart: new Set(), fits: Math.min(2, some.length) },
  })
  const effect = async (_: unknown, some: readonly FollowedEvent[]): Promise<void> => {
    most.push(some.length)
    heard.push(...some.map(({ eventId }) => eventId).filter((id) => ids.includes(id)))
  }
  for (let taken = 1; taken > 0; ) taken = await follow(database, { name, limit: 4, share, effect })
  assert.deepEqual(heard, ids)
  assert.equal(Math.max(...most), 2)
})

const AHEAD = statement('test_ahead', `update follower set at = now() + interval '30 days' where name = $1`)

test('a follower that read events of a clock weeks ahead misses none of the later ones', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database } = world.rooms
  const name = 'test ahead'
  const heard: string[] = []
  const effect = async (_: unknown, some: readonly FollowedEvent[]): Promise<void> =>
    void heard.push(...some.map(({ eventId }) => eventId))
  await append(database.system, [event(world)])
  const take = async (wanted: number): Promise<void> => {
    for (const end = performance.now() + 20_000; heard.length < wanted; ) {
      if (performance.now() > end) throw new Error(`it heard ${heard.length} events and not ${wanted}`)
      await follow(database, { name, limit: 100, effect })
    }
  }
  await take(1)
  assert.equal(await database.system.execute(AHEAD, [name]), 1)
  const later = [event(world), event(world)]
  await append(database.system, later)
  await take(3)
  assert.deepEqual(
    heard.slice(1),
    later.map(({ eventId }) => eventId),
  )
})

const LOCK = statement('test_lock', 'select name from follower where name = $1 for update')

test('a follower with nothing to read takes no lock: an idle service writes nothing for it', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database } = world.rooms
  let heard = 0
  const effect = async (_: unknown, some: readonly FollowedEvent[]): Promise<void> => void (heard += some.length)
  const take = (): Promise<number> => follow(database, { name: 'test idle', limit: 100, effect })
  await append(database.system, [event(world)])
  for (const end = performance.now() + 20_000; heard === 0; ) {
    assert.ok(performance.now() < end, 'the event was never read')
    await take()
  }
  await database.transaction(async (db) => {
    assert.equal((await db.query(LOCK, ['test idle'])).length, 1)
    assert.equal(await take(), 0)
  })
})

test('a stream shows new events, and a client that reconnects misses nothing and gets nothing twice', async () => {
  await using world = await startWorld()
  const { database } = world.rooms
  const other = await world.newAccount()
  const first = [event(world), event(world)]
  const live = await read(world, {
    until: (messages) => messages.length === 3,
    onOpen: () => append(database.system, [...first, event(world, { accountId: other.accountId })]),
  })
  assert.deepEqual(
    live.messages.slice(1).map(({ data }) => data.event_id),
    first.map(({ eventId }) => eventId),
  )
  const missed = Array.from({ length: 1_200 }, () => event(world))
  for (let i = 0; i < missed.length; i += 100) await append(database.system, missed.slice(i, i + 100))
  const late = [event(world)]
  let told = false
  const resumed = await read(world, {
    after: live.messages[1]?.id ?? '',
    until: (messages) => {
      if (messages.length > 1_200 && !told) {
        told = true
        void append(database.system, late)
      }
      return messages.length > 1_202
    },
  })
  assert.deepEqual(
    resumed.messages.slice(1).map(({ data }) => data.event_id),
    [first[1], ...missed, ...late].map((one) => one?.eventId),
  )
  assert.equal((await read(world, { after: 'x' })).status, 400)
})

test('the streams of an account are bounded, and end with the key and with the service', async () => {
  const world = await startWorld()
  const opened = async (options: { key?: string } = {}): Promise<{ readonly read: ReturnType<typeof read> }> => {
    const isOpen = Promise.withResolvers<void>()
    const reading = read(world, { ...options, onOpen: async () => isOpen.resolve() })
    await isOpen.promise
    return { read: reading }
  }
  const open = await Promise.all(Array.from({ length: 5 }, () => opened()))
  const sixth = await read(world, {})
  assert.equal(sixth.status, 429)
  assert.equal((sixth.messages[0] as unknown as { code: string }).code, 'rate_limit_exceeded')
  const other = await world.newAccount()
  const theirs = await opened({ key: other.testApiKey })
  const otherKeys = (await other.api.get('/api/v1/customer/api-keys')).body.data as { id: string; mode: string }[]
  await other.api.delete(`/api/v1/customer/api-keys/${otherKeys.find(({ mode }) => mode === 'sandbox')?.id}`)
  world.clock.advance(5_000)
  assert.equal((await theirs.read).ended, true)
  await world[Symbol.asyncDispose]()
  for (const one of open) assert.equal((await one.read).ended, true)
})

/** Some 5 KB each. @returns their ids */
async function appendLarge(world: World, count: number): Promise<readonly string[]> {
  const events = Array.from({ length: count }, () =>
    event(world, { data: { email: 'a@x.test', details: 'x'.repeat(5_000) } }),
  )
  for (let i = 0; i < count; i += 250) await append(world.rooms.database.system, events.slice(i, i + 250))
  return events.map(({ eventId }) => eventId)
}

test('a client that reads gets megabytes of events in one stream, both those it missed and those that come', async () => {
  await using world = await startWorld()
  const before = await appendLarge(world, 1_000)
  const after: Promise<readonly string[]>[] = []
  const { messages, ended } = await read(world, {
    after: '1-0-1',
    until: (read) => {
      if (read.length > before.length && after.length === 0) after.push(appendLarge(world, 1_000))
      return read.length > before.length + 1_000
    },
  })
  assert.equal(ended, false)
  const ids = messages.slice(1).map(({ data }) => data.event_id)
  assert.deepEqual(ids, [...before, ...(await Promise.all(after)).flat()])
})

test('clients that read nothing count as open, until they are cut off after a minute', async () => {
  await using world = await startWorld()
  const { database, ground } = world.rooms
  const other = await world.newAccount()
  await appendLarge(world, 4_000)
  const ask = `GET /api/v1/events/stream HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.account.apiKey}\r\nlast-event-id: 1-0-1\r\n\r\n`
  const silent = Array.from({ length: 5 }, () => net.connect(Number(new URL(world.url).port), '127.0.0.1'))
  for (const socket of silent) {
    socket.on('error', () => undefined).write(ask)
    await once(socket, 'data')
    socket.pause()
  }
  const theirs = (): Promise<void> => append(database.system, [event(world, { accountId: other.accountId })])
  // The second one comes with a later turn than the first: everybody had a turn between them.
  await read(world, {
    key: other.apiKey,
    onOpen: theirs,
    until: (messages) => {
      if (messages.length === 2) void theirs()
      return messages.length === 3
    },
  })
  assert.equal((await read(world, {})).status, 429)
  for (let status = 429, end = performance.now() + 30_000; status === 429; ) {
    assert.ok(performance.now() < end, 'they are still open')
    await ground.clock.sleep(50, AbortSignal.timeout(30_000))
    world.clock.advance(STALLED_MS)
    status = (await read(world, { until: () => true })).status
  }
  for (const socket of silent) socket.destroy()
})

test('an open stream shows only the domains that its key has now', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  const kept = await world.verifiedDomain('kept.example')
  await world.verifiedDomain('left.example')
  const made = (await world.api.post('/api/v1/customer/api-keys', { name: 'reader', scopes: ['stats:read'] })).body.data
  const send = async (from: string, tag: string): Promise<void> => {
    const mail = { from, to: 'ann@sandbox.test', subject: 's', text: 't', tag }
    assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  }
  let tags: ReadonlySet<string> = new Set()
  const shown = (tag: string): Promise<unknown> => until(async () => tags.has(tag))
  const story = async (): Promise<void> => {
    await send('a@left.example', 'before')
    await shown('before')
    const change = await world.api.patch(`/api/v1/customer/api-keys/${made.id}`, { domain_ids: [kept] })
    assert.equal(change.status, 200, JSON.stringify(change.body))
    for (let n = 0; ; n++) {
      assert.ok(n < 20, 'the stream still shows the other domain')
      world.clock.advance(5_000)
      await send('a@left.example', `left ${n}`)
      await send('a@kept.example', `kept ${n}`)
      await shown(`kept ${n}`)
      if (!tags.has(`left ${n}`)) break
    }
    await send('a@left.example', 'after')
    await send('a@kept.example', 'last')
  }
  let told = Promise.resolve()
  await read(world, {
    key: made.key,
    onOpen: async () => {
      told = story()
    },
    until: (messages) => {
      tags = new Set(messages.flatMap(({ data }) => data?.tag ?? []))
      return tags.has('last')
    },
  })
  await told
  assert.equal(tags.has('after'), false)
})

test('the rights of all open streams are asked for together', async () => {
  await using world = await startWorld()
  const { database, ground } = world.rooms
  const streams = eventStreams({ database, ...ground, keptFacts: async () => new Map() })
  const everybodyAsked = Promise.withResolvers<void>()
  let asked = 0
  await streams.service.start()
  try {
    for (const mode of ['live', 'sandbox', 'live'] as const) {
      const { accountId } = world.account
      const principal = { accountId, keyId: null, mode, scopes: [], domainIds: null }
      const admitted = async (): Promise<typeof principal> => {
        if (++asked === 3) everybodyAsked.resolve()
        await everybodyAsked.promise
        return principal
      }
      await streams.open({ principal, after: null, signal: AbortSignal.timeout(60_000), admitted })
    }
    world.clock.advance(5_000)
    await until(async () => asked === 3, 20_000)
  } finally {
    everybodyAsked.resolve()
    await streams.service.stop(AbortSignal.timeout(10_000))
  }
})
