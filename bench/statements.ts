// CPU of PostgreSQL for each statement in an email's life, from acceptance to the record of its delivery.
//
//   npm run bench -- statements [--group 16] [--groups 400]
//
// Runs the modules' own functions on one connection, one statement at a time, and measures the CPU time of that connection's
// backend around each. The figures exclude the savings of pipelining, and the background processes.

import path from 'node:path'
import { append, follow } from '../src/modules/events/index.ts'
import { claim, complete, enqueue, fetchQueuedEmails, joinAsNode } from '../src/modules/outbox/index.ts'
import { mayWeSend, noteDelivery } from '../src/modules/suppression/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Db, type Statement, statement } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { scratch } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { cpuSeconds, receipt } from './fixture.ts'
import { emailOf, eventOf } from './fixture-email.ts'
import { commandLine } from './fixture-options.ts'

const { group: GROUP, groups: GROUPS } = commandLine({ group: 16, groups: 400 })
const clock = systemClock()
const ids = systemIds()
const spent = new Map<string, { seconds: number; times: number }>()
const backendPid = statement('bench_pid', 'select pg_backend_pid() as pid')
const makeSite = statement('bench_site', `insert into site (name) values ('dest.test') returning id`)

function metered(db: Db, pid: number): Db {
  let before: Promise<unknown> = Promise.resolve()
  const meter = <T>({ name }: Statement, run: () => Promise<T>): Promise<T> => {
    const done = before.then(async () => {
      const start = cpuSeconds(pid)
      const result = await run()
      const one = spent.get(name) ?? { seconds: 0, times: 0 }
      spent.set(name, { seconds: one.seconds + cpuSeconds(pid) - start, times: one.times + 1 })
      return result
    })
    before = done.catch(() => undefined)
    return done
  }
  return {
    query: (what, some) => meter(what, () => db.query(what, some)),
    one: (what, some) => meter(what, () => db.one(what, some)),
    execute: (what, some) => meter(what, () => db.execute(what, some)),
  }
}

const dialogue = [
  'EHLO mail.posthorn.test',
  'MAIL FROM:<b+token@mail.posthorn.test>',
  'RCPT TO:<user@dest.test>',
  'DATA',
]

await using folder = await scratch('bench-statements')
await using posthorn = await startPosthorn(folder.path, { POSTHORN_ROLES: 'api' })
const { account_id: accountId } = await posthorn.account()
const socket = path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'run')
const url = `postgres://posthorn@localhost/posthorn?host=${encodeURIComponent(socket)}`
const database = connect({ url, maxConnections: 1, onError: (error) => console.error(error) })
const { subject, html, text } = receipt()
const bytes = Buffer.from(html + text)
const domainId = ids.next()
const { id: siteId = 0 } = (await database.system.one<{ id: number }>(makeSite)) ?? {}
const { epoch } = await joinAsNode(database.system, clock, 'bench')

async function way(): Promise<void> {
  const emails = Array.from({ length: GROUP }, () => emailOf(accountId, domainId, subject, bytes.length))
  await database.transaction(async (plain) => {
    const { pid = 0 } = (await plain.one<{ pid: number }>(backendPid)) ?? {}
    const db = metered(plain, pid)
    const asks = emails.map(() => ({ accountId, recipient: 'user@dest.test', sandbox: false }))
    await mayWeSend(db, asks, clock.now())
    const bodies = emails.map(({ id }) => ({ id, accountId, stretches: [bytes] }))
    await enqueue(db, emails, bodies, new Map([['dest.test', siteId]]))
    await append(
      db,
      emails.map((email) => eventOf(email, 'email.sent')),
    )
  })
  const claimed = await database.transaction(async (plain) => {
    const { pid = 0 } = (await plain.one<{ pid: number }>(backendPid)) ?? {}
    const db = metered(plain, pid)
    const ask = { epoch, limit: 300, cursor: null, free: new Map([[siteId, 1_000]]), defaultFree: 40, suspended: [] }
    const answer = await claim(db, { ...ask, now: clock.now() })
    await fetchQueuedEmails(db, answer.claimed, 65_536)
    return answer.claimed
  })
  await database.transaction(async (plain) => {
    const { pid = 0 } = (await plain.one<{ pid: number }>(backendPid)) ?? {}
    const db = metered(plain, pid)
    const now = clock.now()
    const detail = {
      mx: '127.0.0.1',
      ip: '127.0.0.1',
      port: 25,
      source_ip: null,
      tls: null,
      smtp_code: 250,
      enhanced_code: '2.0.0',
      response: '250 2.0.0 Ok',
      dialogue: dialogue.flatMap((line) => [
        { at: 1, side: 'client', text: line },
        { at: 2, side: 'server', text: '250 2.0.0 Ok' },
      ]),
      next_attempt_at: null,
      throttled_by: null,
    }
    await complete(
      db,
      epoch,
      claimed.map(({ id, fence }) => ({
        id,
        accountId,
        fence,
        status: 'delivered',
        next: null,
        at: now,
        smtpCode: 250,
        response: '250 2.0.0 Ok',
        sizeBytes: 10_000,
        attempt: { number: 1, startedAt: now, durationMs: 12, outcome: 'delivered', detail },
      })),
    )
    await append(
      db,
      emails.map((email) => eventOf(email, 'email.delivered')),
    )
    await noteDelivery(
      db,
      emails.map(({ id }) => ({ accountId, recipient: 'user@dest.test', sandbox: false, emailId: id })),
    )
  })
}

for (let i = 0; i < 30; i++) await way()
spent.clear()
for (let i = 0; i < GROUPS; i++) await way()
await follow(database, { name: 'bench', limit: 5_000, effect: async () => undefined })
const mails = GROUPS * GROUP
const rows = [...spent].map(([name, { seconds, times }]) => ({
  name,
  us_per_mail: Number(((seconds / mails) * 1e6).toFixed(1)),
  us_per_statement: Number(((seconds / times) * 1e6).toFixed(1)),
}))
console.table([
  ...rows,
  { name: 'together', us_per_mail: rows.reduce((sum, row) => sum + row.us_per_mail, 0), us_per_statement: 0 },
])
await database.close()
