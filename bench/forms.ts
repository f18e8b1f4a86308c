// Storing accepted emails: one transaction of pipelined statements, or the same work as one statement (ADR 0004).
//
//   npm run bench -- forms [--group 16] [--groups 400] [--rounds 5]
//
// The single statement is built from the modules' own: each becomes a part of one WITH, with its parameters renumbered. Both
// forms store the same rows, in turns on one connection; time is from the first byte to the commit, CPU is that of its backend.

import path from 'node:path'
import { append } from '../src/modules/events/index.ts'
import { enqueue } from '../src/modules/outbox/index.ts'
import { connect, type Db, type Statement, statement } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { scratch } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { cpuSeconds, median, receipt } from './fixture.ts'
import { emailOf, eventOf } from './fixture-email.ts'
import { commandLine } from './fixture-options.ts'

const { group: GROUP, groups: GROUPS, rounds: ROUNDS } = commandLine({ group: 16, groups: 400, rounds: 5 })
const WARM_UP = 50
const backendPid = statement('bench_pid', 'select pg_backend_pid() as pid')
const makeSite = statement('bench_site', `insert into site (name) values ('dest.test') returning id`)

await using folder = await scratch('bench-forms')
await using posthorn = await startPosthorn(folder.path, { POSTHORN_ROLES: 'api' })
const { account_id: accountId } = await posthorn.account()
const socket = path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'run')
const url = `postgres://posthorn@localhost/posthorn?host=${encodeURIComponent(socket)}`
const database = connect({ url, maxConnections: 1, onError: (error) => console.error(error) })
const { id: siteId = 0 } = (await database.system.one<{ id: number }>(makeSite)) ?? {}
const { pid = 0 } = (await database.system.one<{ pid: number }>(backendPid)) ?? {}
const { subject, html, text } = receipt()
const bytes = Buffer.from(html + text)
const domainId = systemIds().next()

type Write = (db: Db) => Promise<void>

function group(): Write {
  const emails = Array.from({ length: GROUP }, () => emailOf(accountId, domainId, subject, bytes.length))
  const events = emails.map((email) => eventOf(email, 'email.sent'))
  const bodies = emails.map(({ id }) => ({ id, accountId, stretches: [bytes] }))
  return async (db) => {
    await Promise.all([enqueue(db, emails, bodies, new Map([['dest.test', siteId]])), append(db, events)])
  }
}

/** What `write` would send, as one statement. */
async function merged(write: Write): Promise<{ readonly what: Statement; readonly params: readonly unknown[] }> {
  const parts: string[] = []
  const params: unknown[] = []
  const note = ({ text: sql }: Statement, own: readonly unknown[] = []): Promise<never> => {
    const offset = params.length
    parts.push(`p${parts.length} as (${sql.replaceAll(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)})`)
    params.push(...own)
    return Promise.resolve(0 as never)
  }
  await write({ query: note, one: note, execute: note })
  return { what: statement('bench_one_statement', `with ${parts.join(', ')} select 1`), params }
}

const FORMS = {
  pipelined: (write: Write) => database.transaction(write),
  'one statement': async (write: Write) => {
    const { what, params } = await merged(write)
    await database.system.execute(what, params)
  },
}

const figures = Object.keys(FORMS).map((name) => ({ name, ms: [] as number[], cpuUs: [] as number[] }))
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, form] of Object.entries(FORMS)) {
    const cpu = cpuSeconds(pid)
    const start = performance.now()
    const groups = round < 0 ? WARM_UP : GROUPS
    for (let i = 0; i < groups; i++) await form(group())
    const figure = figures.find((one) => one.name === name)
    if (round < 0 || figure === undefined) continue
    figure.ms.push((performance.now() - start) / groups)
    figure.cpuUs.push(((cpuSeconds(pid) - cpu) / groups / GROUP) * 1e6)
  }
}

const rows = figures.map(({ name, ms, cpuUs }) => ({
  name,
  ms_per_group: Number(median(ms).toFixed(3)),
  backend_us_per_mail: Number(median(cpuUs).toFixed(1)),
}))
console.table(rows)
console.log(JSON.stringify({ group: GROUP, groups: GROUPS, rounds: ROUNDS, rows }))
await database.close()
