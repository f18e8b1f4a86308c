// The database is stopped while readers open mails, follow links and unsubscribe, 500 times a second. Every request is
// answered, every hit becomes one event once the database is back, and a recipient who unsubscribed meanwhile gets no waiting
// mail. POSTHORN_OUTAGE_SECONDS is the length of the outage, by default 6 for CI.

import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, scratch, waitFor } from './fixture.ts'
import { startPostgres } from './postgres.ts'
import { type Posthorn, startPosthorn } from './posthorn.ts'

const OUTAGE_MS = Number(process.env['POSTHORN_OUTAGE_SECONDS'] ?? 6) * 1_000
const BEFORE_MS = 2_000
const AFTER_MS = 3_000
const HITS_A_SECOND = 500
const TICK_MS = 10
const ANSWER_WITHIN_MS = 5_000
const MAILS = 100
const LEAVERS = 10
const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'

interface Asked {
  readonly status: number
  readonly ms: number
}

/** Tracking paths in the mails of the inbox, by purpose. */
async function pathsOf(
  posthorn: Posthorn,
  key: string,
  tag: string,
): Promise<{ readonly o: string[]; readonly c: string[]; readonly u: string[] }> {
  const messages = Array.from({ length: MAILS }, (_, i) => ({
    from: 'news@shop.test',
    to: `${tag}${i}@dest.test`,
    subject: tag,
    html: '<body><a href="https://target.test/">x</a><a href="{{unsubscribe}}">out</a></body>',
    tag,
    tracking_enabled: true,
  }))
  await posthorn.call(key, 'POST', '/api/v1/send/batch', { messages })
  const inbox = await waitFor('deliveries', async () => {
    const { body } = await posthorn.call(key, 'GET', `/api/v1/inbox?subject=${tag}&limit=1000`)
    return body.data.length === MAILS ? (body.data as { id: string; to: string }[]) : null
  })
  const indexOf = ({ to }: { to: string }): number => Number(/\d+(?=@)/.exec(String(to))?.[0])
  inbox.sort((a, b) => indexOf(a) - indexOf(b))
  const paths = { o: [] as string[], c: [] as string[], u: [] as string[] }
  for (const { id } of inbox) {
    const { body } = await posthorn.call(key, 'GET', `/api/v1/inbox/${id}`)
    const html: string = (body.data ?? body).html
    for (const kind of ['o', 'c', 'u'] as const) {
      paths[kind].push(new RegExp(`/track/${kind}/[\\w-]+`).exec(html)?.[0] ?? '')
    }
  }
  return paths
}

test(`a database outage of ${OUTAGE_MS / 1_000} s loses no hit and counts none twice`, {
  timeout: 240_000,
}, async (t) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await scratch('hits')).path
  const postgres = stack.use(await startPostgres(folder))
  const port = await freePort()
  const posthorn = stack.use(
    await startPosthorn(folder, {
      DATABASE_URL: postgres.url,
      POSTHORN_HTTP_PORT: String(port),
      POSTHORN_RATE_LIMITS: 'off',
      POSTHORN_LOG_LEVEL: 'error',
    }),
  )
  const { test_api_key: key } = await posthorn.account()
  const [opened, clicked] = [await pathsOf(posthorn, key, 'opens'), await pathsOf(posthorn, key, 'clicks')]
  // Accepted now, due during the outage: a recipient who unsubscribes before it is sent must not get it.
  const scheduledAt = new Date(Date.now() + BEFORE_MS + OUTAGE_MS / 2 + 1_000).toISOString()
  const later = await posthorn.call(key, 'POST', '/api/v1/send/batch', {
    messages: Array.from({ length: LEAVERS * 2 }, (_, i) => ({
      from: 'news@shop.test',
      to: `opens${i}@dest.test`,
      subject: 'later',
      text: 't',
      scheduled_at: scheduledAt,
    })),
  })
  assert.equal(later.body.summary.accepted, LEAVERS * 2, JSON.stringify(later.body).slice(0, 400))
  await delay(2_500)

  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  stack.defer(() => agent.destroy())
  const ask = (path: string, method = 'GET'): Promise<Asked> =>
    new Promise((done, fail) => {
      const began = performance.now()
      const asked = request(
        { host: '127.0.0.1', port, path, method, agent, headers: { 'user-agent': DESKTOP } },
        (reply) => {
          reply.resume().on('end', () => done({ status: reply.statusCode ?? 0, ms: performance.now() - began }))
        },
      )
      asked.on('error', fail)
      asked.end()
    })
  const sent = { opens: 0, clicks: 0 }
  const answers: Promise<Asked>[] = []
  const until = performance.now() + BEFORE_MS + OUTAGE_MS + AFTER_MS
  const readers = async (): Promise<void> => {
    const began = performance.now()
    for (let hits = 0; performance.now() < until; ) {
      for (; hits < ((performance.now() - began) * HITS_A_SECOND) / 1_000; hits++) {
        const isOpen = hits % 2 === 0
        answers.push(ask((isOpen ? opened.o : clicked.c)[(hits >> 1) % MAILS] ?? ''))
        sent[isOpen ? 'opens' : 'clicks']++
      }
      await delay(TICK_MS)
    }
  }
  const nemesis = async (): Promise<void> => {
    await delay(BEFORE_MS)
    await postgres.stop()
    await delay(OUTAGE_MS / 3)
    const left = await Promise.all(opened.u.slice(0, LEAVERS).map((path) => ask(path, 'POST')))
    assert.deepEqual(new Set(left.map(({ status }) => status)), new Set([200]))
    assert.equal((await ask(opened.u[0] ?? '')).status, 200)
    await delay((OUTAGE_MS * 2) / 3)
    await postgres.start()
  }
  await Promise.all([readers(), nemesis()])
  const done = await Promise.all(answers)
  const slowest = Math.max(...done.map(({ ms }) => ms))
  t.diagnostic(`${done.length} hits, slowest answer ${Math.round(slowest)} ms`)
  assert.deepEqual(new Set(done.map(({ status }) => status)), new Set([200, 302]))
  assert.ok(slowest < ANSWER_WITHIN_MS)

  const events = async (event: string, tag: string): Promise<{ event_id: string; email_id: string }[]> => {
    const found: { event_id: string; email_id: string }[] = []
    for (let cursor = ''; ; ) {
      const { body } = await posthorn.call(key, 'GET', `/api/v1/events?event=${event}&tag=${tag}&limit=1000${cursor}`)
      found.push(...body.data)
      if (body.pagination.next_cursor === null) return found
      cursor = `&cursor=${encodeURIComponent(body.pagination.next_cursor)}`
    }
  }
  for (const [event, tag, wanted] of [
    ['email.opened', 'opens', sent.opens],
    ['email.clicked', 'clicks', sent.clicks],
  ] as const) {
    const found = await waitFor(
      `${wanted} ${event}`,
      async () => {
        const all = await events(event, tag)
        return all.length >= wanted ? all : null
      },
      60_000,
    )
    assert.equal(found.length, wanted)
    assert.equal(new Set(found.map(({ event_id: id }) => id)).size, wanted)
  }

  const fates = await waitFor('the scheduled mails', async () => {
    const { body } = await posthorn.call(key, 'GET', '/api/v1/emails?search=later&limit=100')
    const mails = body.data as { to: string | string[]; status: string; subject: string }[]
    return mails.every(({ status }) => status === 'delivered' || status === 'suppressed') ? mails : null
  })
  const leavers = new Set(Array.from({ length: LEAVERS }, (_, i) => `opens${i}@dest.test`))
  assert.equal(fates.length, LEAVERS * 2)
  for (const { to, status } of fates) {
    assert.equal(status, leavers.has(String(to)) ? 'suppressed' : 'delivered', String(to))
  }
})
