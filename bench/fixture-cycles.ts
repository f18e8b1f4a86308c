// Runs lives of emails through the tables as fast as the database allows: everything but SMTP and MIME, by the product's own
// modules in this process, over days of a simulated clock.
//
// A life: acceptance judges and writes the email; a claim leases it; its email is read; an answer is made up (a tenth is
// deferred once, a hundredth of the addresses does not exist and is suppressed); the recorder writes the result; the followers
// read the log. Each day creates the coming partitions and deletes old data, as the service does. The days end at the time
// when the folder's first part began, so everything written later is younger.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectRooms, type Rooms } from '../src/app.ts'
import { type Ground, systemGround } from '../src/composition/ground.ts'
import { forgetWhatIsOld } from '../src/composition/retention.ts'
import { readConfig } from '../src/config.ts'
import { recorderOf } from '../src/modules/delivery/record-results.ts'
import { conclusionOf, endedWithoutAttempt } from '../src/modules/delivery/results.ts'
import type { AttemptReport, Verdict } from '../src/modules/delivery/types.ts'
import { ensureEventPartitions, followerLags } from '../src/modules/events/index.ts'
import {
  type ClaimAnswer,
  type Claimed,
  claim,
  databaseTime,
  ensureOutboxPartitions,
  fetchQueuedEmails,
  joinAsNode,
  leaveAsNode,
  promote,
  type QueuedEmail,
  RENEW_EVERY_MS,
  renewLease,
  takeOver,
} from '../src/modules/outbox/index.ts'
import { draftOf } from '../src/modules/sending/draft.ts'
import type { Incoming } from '../src/modules/sending/index.ts'
import { readSendRequest } from '../src/modules/sending/request.ts'
import { ensureWebhookPartitions } from '../src/modules/webhooks/index.ts'
import { isPassing, statement } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { startAll, stopAll } from '../src/platform/lifecycle.ts'
import { openStore } from '../src/platform/store.ts'
import { waitFor } from '../test/peers/fixture.ts'
import { DESTINATIONS, SENDER } from './fixture-deep.ts'

const DAY_MS = 86_400_000
const AT_ONCE = 500
/** Emails accepted and not ended: above this, acceptance waits. */
const MOST_UNDER_WAY = 8_000
const CLAIMED_AT_ONCE = 600
const PLACES = 20
const PROMOTE_EVERY_MS = 500
const DELIVERERS = 2
const ADDRESSES = 500_000
const MAX_BODY_BYTES = 65_536
const NOBODY = 1_000_000
const TEXT = `Grüezi\n\n${'Your order has been shipped and will arrive on Tuesday. '.repeat(10)}\n`

/** The progress of a folder's cycles; stored in it between the parts. */
export interface Cycled {
  readonly beganAt: string
  readonly perDay: number
  readonly days: number
  readonly asked: number
  /** Emails that were accepted: the cycles. The others went to addresses suppressed by then. */
  readonly accepted: number
  readonly suppressed: number
  readonly delivered: number
  readonly deferred: number
  readonly bounced: number
  readonly seconds: number
}

// The cursors stand at today, and look back no further than a few days.
const FOLLOW_FROM = statement('bench_follow_from', 'update follower set at = least(at, $1)')

export interface CyclesOptions {
  /** A folder that a service has used (fixture-deep.ts) and that none is using. */
  readonly folder: string
  readonly accountId: string
  /** Total over all parts. */
  readonly cycles: number
  readonly perDay: number
  /** Length of this part. */
  readonly seconds: number
}

/** Continues a folder's cycles. @returns their progress */
export async function cycle(options: CyclesOptions): Promise<Cycled> {
  const file = path.join(options.folder, 'cycles.json')
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Cycled) : beginning(options)
  const after = await part(options, before)
  writeFileSync(file, JSON.stringify(after))
  return after
}

function beginning({ cycles, perDay }: CyclesOptions): Cycled {
  const none = { asked: 0, accepted: 0, suppressed: 0, delivered: 0, deferred: 0, bounced: 0, seconds: 0 }
  return { beganAt: new Date().toISOString(), perDay, days: Math.ceil(cycles / perDay), ...none }
}

async function part(options: CyclesOptions, before: Cycled): Promise<Cycled> {
  const { accountId, cycles, seconds } = options
  const began = performance.now()
  const first = Date.parse(before.beganAt) - before.days * DAY_MS
  const count = { ...before }
  const timeNow = (): number => first + (count.asked / before.perDay) * DAY_MS
  await using rooms = await openRooms(options.folder, timeNow)
  const { database, ground } = rooms
  await database.system.execute(FOLLOW_FROM, [new Date(timeNow())])
  const incoming = await model(rooms, accountId)
  const { submit } = rooms.sending.acceptance
  const underWay = (): number => count.accepted - count.suppressed - count.delivered - count.bounced
  let day = 0
  let accepting = true

  const turnDay = async (): Promise<void> => {
    const today = Math.floor(timeNow() / DAY_MS)
    if (today === day) return
    day = today
    await ensureOutboxPartitions(database.system, ground.clock.now())
    await ensureEventPartitions(database.system, ground.clock.now())
    await ensureWebhookPartitions(database.system, ground.clock.now())
    try {
      await forgetWhatIsOld({ database, ground }, AbortSignal.timeout(60_000))
    } catch (error) {
      // A table was locked for too long: it is retried the next day, as the service retries an hour later.
      if (!isPassing(error)) throw error
    }
  }
  const accept = async (): Promise<void> => {
    while (count.accepted < cycles && performance.now() - began < seconds * 1_000) {
      await turnDay()
      while (underWay() > MOST_UNDER_WAY) await delay(5)
      const messages = Array.from({ length: AT_ONCE }, (_, i) => addressed(incoming, numberOf(count.asked + i)))
      const call = { accountId, messages, strict: false, idempotency: null, answerOf: () => null }
      const result = await submit(call)
      if (result.kind !== 'done') throw new Error('no answer was stored')
      for (const outcome of result.outcomes) {
        if (outcome.kind === 'accepted') count.accepted++
        else if (outcome.error.status !== 422) throw outcome.error
      }
      count.asked += AT_ONCE
    }
    accepting = false
  }
  const work = [accept(), deliver({ rooms, count, isOver: () => !accepting })]
  await Promise.all(work)
  await waitFor(
    'the followers',
    async () => {
      const lags = await followerLags(database.system, ground.clock.now())
      return lags.every(({ lagSeconds }) => lagSeconds === 0)
    },
    120_000,
  )
  return { ...count, seconds: count.seconds + (performance.now() - began) / 1_000 }
}

interface OpenRooms extends AsyncDisposable, Pick<Rooms, 'database' | 'ground' | 'sending' | 'followers'> {}

/** The service's modules, its database and the followers of the log, with a given clock. */
async function openRooms(folder: string, timeNow: () => number): Promise<OpenRooms> {
  const stack = new AsyncDisposableStack()
  const config = readConfig({
    POSTHORN_DATA_DIR: path.join(folder, 'data'),
    POSTHORN_ROLES: 'api,worker',
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_LOG_LEVEL: 'warn',
    POSTHORN_RATE_LIMITS: 'off',
  })
  const real = systemGround(config)
  const clock = { ...real.clock, now: () => new Date(timeNow()) }
  const ground: Ground = { ...real, clock, ids: systemIds(timeNow) }
  const { dataDir, databaseUrl, secretKey } = config
  const store = await openStore(
    { dataDir, databaseUrl, secretKey, log: ground.log, clock: real.clock },
    new AbortController().signal,
  )
  stack.defer(() => store.close())
  const rooms = connectRooms(config, ground, store)
  const services = [rooms.accounts.service, rooms.disk, rooms.heartbeat, rooms.risk.service, ...rooms.followers.workers]
  await startAll(services)
  stack.defer(() => stopAll(services, AbortSignal.timeout(10_000)))
  const owned = stack.move()
  const { database, sending, followers } = rooms
  return { database, ground, sending, followers, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** An email that is judged and scored once. */
async function model({ sending, ground }: OpenRooms, accountId: string): Promise<Incoming> {
  const body = { from: `Shöp <news@${SENDER}>`, to: 'user@d0.dest.test', subject: 'Ihre Bestellung 4711', text: TEXT }
  const { request } = readSendRequest(body, ground.clock.now())
  if (request === null) throw new Error('the model is no mail')
  const key = { keyId: null, mode: 'live', scopes: ['full'], domainIds: null } as const
  return sending.incoming({ accountId, ...key }, draftOf(request))
}

/** The address of the email with this number: all addresses in a pseudo-random order. */
function numberOf(email: number): number {
  return (email * 307_129) % ADDRESSES
}

function addressed(incoming: Incoming, number: number): Incoming {
  const site = `d${number % (DESTINATIONS - 1)}.dest.test`
  const address = `user${number}@${site}`
  const recipients = [{ address, key: address, site, field: 'to' }]
  return { ...incoming, draft: { ...incoming.draft, recipients, to: [address] } }
}

interface Delivering {
  readonly rooms: OpenRooms
  readonly count: { suppressed: number; delivered: number; deferred: number; bounced: number }
  readonly isOver: () => boolean
}

/** Claims, reads and records until nothing more is accepted and nothing is ready. */
async function deliver({ rooms, count, isOver }: Delivering): Promise<void> {
  const { database, ground } = rooms
  const { system } = database
  let lease = await joinAsNode(system, ground.clock, 'cycles')
  let renewedAt = performance.now()
  let promotedAt = 0
  const recorder = recorderOf({ database, ...ground })
  const record = async (email: QueuedEmail, claimed: Claimed): Promise<void> => {
    const context = contextOf(ground, email, claimed)
    const conclusion =
      claimed.blocked === null
        ? conclusionOf(context, reportOf(email, context.now))
        : endedWithoutAttempt(context, { status: 'suppressed', reason: claimed.blocked })
    await recorder.add({ ...conclusion, epoch: lease.epoch, inbox: null })
    const { status } = conclusion.result
    if (status === 'deferred') count.deferred++
    else if (status === 'bounced') count.bounced++
    else if (status === 'delivered') count.delivered++
    else count.suppressed++
  }
  const one = async (keeps: boolean): Promise<void> => {
    let cursor: ClaimAnswer['cursor'] = null
    for (;;) {
      const over = isOver()
      if (keeps && performance.now() - renewedAt > RENEW_EVERY_MS) {
        renewedAt = performance.now()
        lease = (await renewLease(system, ground.clock, lease)) ?? raise('the lease is lost')
        await takeOver(system, databaseTime(lease, ground.clock))
      }
      if (keeps && performance.now() - promotedAt > PROMOTE_EVERY_MS) {
        promotedAt = performance.now()
        await database.transaction((db) => promote(db, ground.ids, ground.clock.now()))
      }
      const { epoch } = lease
      const now = ground.clock.now()
      const ask = { epoch, limit: CLAIMED_AT_ONCE, cursor, free: new Map(), defaultFree: PLACES, suspended: [], now }
      const answer = await claim(system, ask)
      const fromStart = cursor === null
      cursor = answer.cursor
      const claimed = new Map(answer.claimed.map((row) => [row.id, row]))
      const emails = await fetchQueuedEmails(system, answer.claimed, MAX_BODY_BYTES)
      await Promise.all(emails.map((email) => record(email, claimed.get(email.id) ?? raise('not asked for'))))
      if (emails.length > 0) continue
      if (over && fromStart) return
      await delay(10)
    }
  }
  await Promise.all(Array.from({ length: DELIVERERS }, (_, i) => one(i === 0)))
  await leaveAsNode(system, lease)
}

function contextOf({ clock, ids }: Ground, email: QueuedEmail, { fence }: Claimed): Parameters<typeof conclusionOf>[0] {
  const of = { email, fence, sandbox: false, sizeBytes: 10_000 }
  return { ...of, now: clock.now(), newId: ids.next, chance: ids.chance }
}

function raise(what: string): never {
  throw new Error(what)
}

const DIALOGUE = [
  ['server', '220 mx.dest.test ESMTP'],
  ['client', 'EHLO mail.posthorn.test'],
  ['server', '250-mx.dest.test'],
  ['server', '250-PIPELINING'],
  ['server', '250 8BITMIME'],
  ['client', `MAIL FROM:<bounce+0189aaaa00007000800000000000@mail.posthorn.test> BODY=8BITMIME`],
  ['client', 'RCPT TO:<user@dest.test>'],
  ['server', '250 2.1.0 Ok'],
] as const

/** The response of the simulated receiver of an address. */
function reportOf({ recipient, attemptsCount }: QueuedEmail, now: Date): AttemptReport {
  const number = Number(/^user(\d+)@/.exec(recipient)?.[1] ?? NOBODY)
  return {
    verdict: verdictOf(number, attemptsCount),
    startedAt: now,
    durationMs: 12,
    host: 'mx.dest.test',
    ip: '127.0.0.1',
    port: 25,
    sourceIp: null,
    tls: null,
    dialogue: DIALOGUE.map(([from, line], at) => ({ at, from, line })),
    throttledBy: null,
  }
}

function verdictOf(number: number, attemptsCount: number): Verdict {
  const reply = (code: number, enhanced: string, words: string) => ({
    code,
    enhanced,
    text: `${code} ${enhanced} ${words}`,
  })
  if (number % 100 === 7) {
    const what = { type: 'hard', category: 'invalid_recipient', command: 'rcpt' } as const
    return { kind: 'bounced', finalReply: reply(550, '5.1.1', 'no such user'), ...what }
  }
  if (number % 10 === 3 && attemptsCount === 0) {
    const what = { cause: 'recipient', category: 'expired', command: 'rcpt' } as const
    return { kind: 'deferred', finalReply: reply(451, '4.7.1', 'come back later'), ...what }
  }
  return { kind: 'delivered', finalReply: reply(250, '2.0.0', 'Ok: queued as 4711') }
}
