// What ten million events cost: every page of an account, first and deep, and what retention blocks when a third is deleted.
//
//   npm run bench -- history [--events 10000000] [--days 90] [--calls 40] [--keep FOLDER] [--only seed | pages | retention]
//
// There are eight accounts (fixture-history.ts). The one with half of the history and the one with a fortieth request pages, with
// nothing else running, after a start. `first` is the first call of a page, p50 and p95 are over all calls. Then retention is
// set to two thirds of the days, for the second account to half, and its job runs next to ten sends and five pages a second,
// while the locks of the database are sampled every 50 ms (fixture-locks.ts). With --keep the history stays in the folder, and
// the parts can run one by one; retention deletes its third once. Needs root, bind9, postfix (smtp-sink) and 2.3 GB per
// million events.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemGround } from '../src/composition/ground.ts'
import { forgetWhatIsOld } from '../src/composition/retention.ts'
import { readConfig } from '../src/config.ts'
import { connect, type Database, statement } from '../src/platform/db.ts'
import { firstIdAt } from '../src/platform/ids.ts'
import { scratch, waitFor } from '../test/peers/fixture.ts'
import type { Account } from '../test/peers/posthorn.ts'
import { type Deep, startDeep } from './fixture-deep.ts'
import { DAY_MS, fillHistory, SHARES } from './fixture-history.ts'
import { type Locks, watchLocks } from './fixture-locks.ts'
import { commandLine } from './fixture-options.ts'
import { percentile } from './fixture-world.ts'

const {
  events: EVENTS,
  days: DAYS,
  calls: CALLS,
  keep: KEEP,
  only: ONLY,
} = commandLine({ events: 10_000_000, days: 90, calls: 40, keep: '', only: '' })
const JOB = 'bench-retention'
const SENDS_EVERY_MS = 100
const PAGES_EVERY_MS = 200
/** Time limit for the calls of one page, however many are left: a slow page shows soon. */
const MOST_MS = 8_000
const LIST_BAR_MS = 300
const STATISTICS_BAR_MS = 20

const SIDES = [
  ['half', 0],
  ['fortieth', -1],
] as const
const KEEPS = statement(
  'bench_history_keeps',
  'update account set retention_days = $2 where $1::uuid is null or account_id = $1',
)
const MIDDLE = statement(
  'bench_history_middle',
  `select (select id from bounce where account_id = $1 and bounced_at < $2 order by bounced_at desc limit 1) as bounce,
     (select id from inbox where account_id = $1 order by id offset 5000 limit 1) as mail,
     (select recipient from email where account_id = $1 and id < $3 and open_count > 0 order by id desc limit 1) as recipient,
     (select domain_id from email where account_id = $1 and id < $3 and domain_id is not null order by id desc limit 1) as domain,
     (select id from email where account_id = $1 and id < $3 and status = 3 order by id desc limit 1) as email`,
)
const SIZE = statement(
  'bench_history_size',
  `select count(*)::int as events, count(distinct account_id)::int as accounts, pg_database_size(current_database())::float8 / 1e9 as gb
   from event`,
)

async function withDatabase<T>(deep: Deep, name: string, work: (database: Database) => Promise<T>): Promise<T> {
  const url = `${deep.adminUrl}&application_name=${name}`
  const database = connect({
    url,
    maxConnections: 4,
    answerWithinMs: 600_000,
    onError: (error) => console.error(error),
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** The accounts of a folder, in the order of their shares; creates its history if there is none. */
async function historyOf(folder: string, deep: Deep): Promise<readonly Account[]> {
  const file = path.join(folder, 'history.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Account[]
  const accounts = [deep.account]
  while (accounts.length < SHARES.length) accounts.push(await deep.posthorn.account(`Account ${accounts.length}`))
  const text = `Grüezi\n\n${'Your order has been shipped and will arrive on Tuesday. '.repeat(10)}\n`
  const { subject, to, from } = JSON.parse(deep.body)
  const { api_key: key } = deep.account
  const sent = await deep.posthorn.call(key, 'POST', '/api/v1/send', { subject, to, from, text, tag: 'rare' })
  const model = sent.body.data.email_id
  const one = async () =>
    (await deep.posthorn.call(key, 'GET', `/api/v1/emails/${model}`)).body.data.status === 'delivered'
  await waitFor('the model', one)
  await deep.settle(60_000)
  await deep.restart('api')
  const events = await fillHistory(deep, accounts, model, { events: EVENTS, days: DAYS })
  console.error(`${events} events`)
  writeFileSync(file, JSON.stringify(accounts))
  return accounts
}

type Page = readonly [name: string, ...paths: readonly [string, ...string[]]]

const since = (days: number): string => new Date(Date.now() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
const REPORTS = ['', '/sends', '/bounces', '/spam', '/opens', '/opens/platforms', '/clicks', '/providers']

/** All pages to request, for one account. */
async function pagesOf(
  deep: Deep,
  { account_id: id }: Account,
): Promise<{ lists: Page[]; statistics: Page[]; overview: Page }> {
  const then = new Date(Date.now() - (DAYS / 2) * DAY_MS)
  const middle = await withDatabase(deep, 'bench', ({ system }) =>
    system.one<Record<'bounce' | 'mail' | 'recipient' | 'domain' | 'email', string | null>>(MIDDLE, [
      id,
      then,
      firstIdAt(then),
    ]),
  )
  const { bounce, mail, recipient, domain, email } = middle ?? raise('nothing in the middle')
  const deepEvents = `cursor=${then.getTime()}000.${firstIdAt(then)}`
  const span = `from=${then.toISOString()}&to=${new Date(then.getTime() + 7 * DAY_MS).toISOString()}`
  const campaign = `tag=campaign ${then.toISOString().slice(5, 10)}`
  const emails = (name: string, query: string): Page[] => [
    [`emails${name}`, `/emails?limit=50${query}`],
    [`emails${name}, deep`, `/emails?limit=50${query}&cursor=${email}`],
  ]
  const events = (name: string, query: string): Page[] => [
    [`events${name}`, `/events?limit=50${query}`],
    [`events${name}, deep`, `/events?limit=50${query}&${deepEvents}`],
  ]
  const bounces = (name: string, query: string): Page[] => [
    [`bounces${name}`, `/customer/bounces?limit=50${query}`],
    ...(bounce === null
      ? []
      : ([[`bounces${name}, deep`, `/customer/bounces?limit=50${query}&cursor=${bounce}`]] as Page[])),
  ]
  const lists: Page[] = [
    ...emails('', ''),
    ['emails, offset 5,000', '/emails?limit=50&offset=5000'],
    ...['delivered', 'bounced', 'complained', 'queued'].flatMap((status) => emails(` ${status}`, `&status=${status}`)),
    ...emails(' to one', `&recipient=${recipient}`),
    ...emails(' of a domain', `&domain_id=${domain}`),
    ...emails(' of a tag', '&tag=receipt'),
    ...emails(' of a campaign', `&${campaign}`),
    ...emails(' of a rare tag', '&tag=rare'),
    ['emails of a week', `/emails?limit=50&${span}`],
    ['one email', `/emails/${email}`],
    ...events('', ''),
    ['events, offset 5,000', '/events?limit=50&offset=5000'],
    ...['sent', 'opened', 'clicked', 'complained', 'canceled'].flatMap((type) =>
      events(` ${type}`, `&event=email.${type}`),
    ),
    ...events(' to one', `&recipient=${recipient}`),
    ...events(' of a domain', `&domain_id=${domain}`),
    ...events(' of a tag', '&tag=receipt'),
    ...events(' of a campaign', `&${campaign}`),
    ...events(' of a rare tag', '&tag=rare'),
    ...events(' of a new domain', `&domain_id=${firstIdAt(then)}`),
    ...events(' clicked, of a tag', '&event=email.clicked&tag=receipt'),
    ...events(' of an email', `&email_id=${email}`),
    ['events of a week', `/events?limit=50&${span}`],
    ['events clicked, of a week', `/events?limit=50&event=email.clicked&${span}`],
    ...bounces('', ''),
    ...bounces(' hard', '&type=hard'),
    ...bounces(' to one', `&recipient=${recipient}`),
    ...['unsubscribes', 'suppressions'].flatMap((list): Page[] => [
      [list, `/customer/${list}?limit=50`],
      [`${list}, page 50`, `/customer/${list}?limit=50&page=50`],
      [`${list}, searched`, `/customer/${list}?limit=50&search=user4711`],
    ]),
    ['inbox', '/inbox?limit=50'],
    ...(mail === null ? [] : ([['inbox, deep', `/inbox?limit=50&cursor=${mail}`]] as Page[])),
    ['inbox, by subject', '/inbox?limit=50&subject=Bestellung 4711'],
  ]
  const statistics = [7, 30, 90].flatMap((days) =>
    REPORTS.map(
      (name): Page => [
        `${name === '' ? 'totals' : name.slice(1)}, ${days} days`,
        `/stats/outbound${name}?from_date=${since(days)}`,
      ],
    ),
  )
  const range = `from_date=${since(30)}&timezone=Europe/Zurich`
  const overview: Page = [
    'overview',
    ...(['', '/sends', '/bounces', '/spam', '/providers', '/opens', '/clicks'].map(
      (name) => `/stats/outbound${name}?${range}`,
    ) as [string]),
    `/customer/bounces?limit=100&from=${since(30)}T00:00:00Z`,
    '/customer/health-score',
    '/emails?limit=8',
  ]
  return { lists, statistics, overview }
}

async function ask(deep: Deep, { api_key: key }: Account, where: string): Promise<void> {
  const { status, body } = await deep.posthorn.call(key, 'GET', `/api/v1${where}`)
  if (status !== 200) throw new Error(`${where}: ${status} ${JSON.stringify(body)}`)
}

interface Row {
  readonly page: string
  readonly first: number
  readonly p50: number
  readonly p95: number
  readonly failed?: number
}

/** Milliseconds until all paths of a page are answered. */
async function timesOf(deep: Deep, account: Account, [page, ...paths]: Page): Promise<Row> {
  const took: number[] = []
  let failed = 0
  const end = performance.now() + MOST_MS
  while (took.length < CALLS && performance.now() < end) {
    const began = performance.now()
    await Promise.all(paths.map((where) => ask(deep, account, where))).catch(() => failed++)
    took.push(performance.now() - began)
  }
  const p50 = tenth(percentile(took, 0.5))
  const p95 = tenth(percentile(took, 0.95))
  return { page, first: tenth(took[0] ?? 0), p50, p95, ...(failed > 0 && { failed }) }
}

interface Beside {
  readonly sends: number
  readonly refused: number
  readonly send_p95: number
  readonly send_max: number
  readonly page_p95: number
  readonly page_max: number
}

/** Sends and requests pages at a steady rate. @returns a function that ends it and returns their times in milliseconds */
function lightLoad(deep: Deep, lists: readonly Page[]): () => Promise<Beside> {
  const sends: number[] = []
  const pages: number[] = []
  let refused = 0
  let running = true
  const paced = async (everyMs: number, took: number[], work: (i: number) => Promise<void>): Promise<void> => {
    const under = new Set<Promise<void>>()
    for (let i = 0; running; i++) {
      const began = performance.now()
      const one = work(i)
        .then(() => void took.push(performance.now() - began))
        .catch(() => void refused++)
        .finally(() => under.delete(one))
      under.add(one)
      await delay(everyMs)
    }
    await Promise.all(under)
  }
  const send = async (): Promise<void> => {
    const { status } = await deep.posthorn.call(deep.account.api_key, 'POST', '/api/v1/send', deep.body)
    if (status !== 202) throw new Error(`${status}`)
  }
  const work = [
    paced(SENDS_EVERY_MS, sends, send),
    paced(PAGES_EVERY_MS, pages, (i) => ask(deep, deep.account, lists[i % lists.length]?.[1] ?? '')),
  ]
  return async () => {
    running = false
    await Promise.all(work)
    const most = (took: readonly number[]): number => Math.round(Math.max(0, ...took))
    return {
      ...{ sends: sends.length, refused, send_p95: Math.round(percentile(sends, 0.95)), send_max: most(sends) },
      ...{ page_p95: Math.round(percentile(pages, 0.95)), page_max: most(pages) },
    }
  }
}

type Forgot = Locks &
  Beside & { readonly seconds: number; readonly retries: number; readonly before: number; readonly after: number }

async function forget(deep: Deep, accounts: readonly Account[], lists: readonly Page[]): Promise<Forgot> {
  return withDatabase(deep, JOB, async (database) => {
    const { system } = database
    const events = async (): Promise<number> => (await system.one<{ events: number }>(SIZE))?.events ?? 0
    const before = await events()
    await system.execute(KEEPS, [null, Math.round((DAYS * 2) / 3)])
    await system.execute(KEEPS, [accounts[1]?.account_id, Math.round(DAYS / 2)])
    const ground = systemGround(readConfig({}))
    const endLoad = lightLoad(deep, lists)
    await delay(3_000)
    const endWatch = await watchLocks(deep.adminUrl, JOB)
    const began = performance.now()
    let retries = 0
    for (let over = false; !over; ) {
      over = await forgetWhatIsOld({ database, ground }, AbortSignal.timeout(3_600_000)).then(
        () => true,
        (error: unknown) => {
          if (!String(error).includes('lock timeout') || ++retries > 100) throw error
          return false
        },
      )
    }
    const seconds = Math.round((performance.now() - began) / 1_000)
    const locks = await endWatch()
    const beside = await endLoad()
    return { seconds, retries, before, after: await events(), ...locks, ...beside }
  })
}

function tenth(value: number): number {
  return Number(value.toFixed(1))
}

function raise(what: string): never {
  throw new Error(what)
}

const over = (rows: readonly Row[], bar: number): string =>
  rows
    .filter(({ p95 }) => p95 > bar)
    .map(({ page, p95 }) => `${page} ${p95}`)
    .join(', ') || 'none'

async function main(): Promise<void> {
  await using house = await scratch('bench-history')
  const folder = KEEP === '' ? house.path : KEEP
  await mkdir(folder, { recursive: true })
  await using deep = await startDeep(folder)
  const accounts = await historyOf(folder, deep)
  if (ONLY === 'seed') return
  const size = await withDatabase(deep, 'bench', ({ system }) => system.one<Record<string, number>>(SIZE))
  const told: object[] = [size ?? {}]
  for (const [name, account] of ONLY === 'retention'
    ? []
    : SIDES.map(([name, at]) => [name, accounts.at(at)] as const)) {
    if (account === undefined) throw new Error('there is no account')
    await deep.restart()
    const { lists, statistics, overview } = await pagesOf(deep, account)
    const rowsOf = async (pages: readonly Page[]): Promise<readonly Row[]> => {
      const rows: Row[] = []
      for (const page of pages) rows.push(await timesOf(deep, account, page))
      console.table(rows)
      return rows
    }
    const rows = {
      lists: await rowsOf(lists),
      statistics: await rowsOf(statistics),
      overview: await rowsOf([overview]),
    }
    console.log(`${name}: lists with a p95 over ${LIST_BAR_MS} ms: ${over(rows.lists, LIST_BAR_MS)}`)
    console.log(
      `${name}: statistics with a p95 over ${STATISTICS_BAR_MS} ms: ${over(rows.statistics, STATISTICS_BAR_MS)}`,
    )
    told.push({ account: name, ...rows })
  }
  if (ONLY === 'pages') return console.log(JSON.stringify(told))
  const { lists: busiest } = await pagesOf(deep, deep.account)
  const forgot = await forget(deep, accounts, busiest)
  console.table([forgot])
  console.log(JSON.stringify([...told, forgot]))
}

await main()
