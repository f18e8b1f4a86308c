// A fixture for the stories of this room: a fresh database, declared zones, receivers on loopback, a clock turned by hand.

import { generateKeyPairSync } from 'node:crypto'
import { parseAddress, suppressionKey } from '../../src/mail/address.ts'
import { type Delivery, type DeliveryOptions, deliveryService } from '../../src/modules/delivery/index.ts'
import { eventsOfEmail, type WireEvent } from '../../src/modules/events/index.ts'
import {
  type ComposedContent,
  type EmailStatus,
  type EmailStory,
  emailStory,
  encodeContent,
  enqueue,
  type NewEmail,
  type SubmittedContent,
  siteIds,
  statusName,
} from '../../src/modules/outbox/index.ts'
import { type CorrectableClock, systemClock } from '../../src/platform/clock.ts'
import { connect, type Database, statement } from '../../src/platform/db.ts'
import { type Ids, systemIds } from '../../src/platform/ids.ts'
import type { Logger } from '../../src/platform/log.ts'
import { secretsFrom } from '../../src/platform/secrets.ts'
import { freshDbOfToday } from './database.ts'
import { type Receiver, type ReceiverScript, startReceiver } from './receiver.ts'
import { type DeclaredZones, declaredZones, type Zones } from './zones.ts'

export const ACCOUNT = '01980000-0000-7000-8000-00000000000a'
export const DOMAIN = '01980000-0000-7000-8000-0000000000d1'
export const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

export interface TurnedClock extends CorrectableClock {
  /** Turns the time of day only, like setting a clock. */
  advance(ms: number): void
  /** Turns the monotonic clock too. */
  wait(ms: number): void
}

export interface Fixture extends AsyncDisposable {
  readonly database: Database
  readonly clock: TurnedClock
  readonly ids: Ids
  readonly zones: DeclaredZones
  readonly delivery: Delivery
  /** Logged warnings and errors. */
  readonly logged: string[]
  readonly options: DeliveryOptions
  receiver(host: string, script?: ReceiverScript): Promise<Receiver>
  /** Another node on the same database. */
  another(more?: Partial<DeliveryOptions>): Delivery
  /** @param content the differences from a composed mail, or a submitted one */
  put(to: string, more?: Partial<NewEmail>, content?: Partial<ComposedContent> | SubmittedContent): Promise<string>
  story(id: string): Promise<EmailStory>
  status(id: string): Promise<EmailStatus>
  events(id: string): Promise<readonly WireEvent[]>
  last(id: string): Promise<WireEvent>
  suppressed(address: string): Promise<string | null>
  /** Number of recorded bounces. */
  bounces(): Promise<number>
  queued(): Promise<number>
}

const SUPPRESSION = statement('test_suppression', 'select reason from suppression where email = $1')
const BOUNCES = statement('test_bounces', 'select count(*)::int as count from bounce')
const QUEUED = statement('test_queued', 'select count(*)::int as count from queue')
const REASONS = ['', 'manual', 'repeated_soft_bounce', 'hard_bounce', 'complaint', 'spamtrap']

export async function fixture(zones: Zones = {}, more: Partial<DeliveryOptions> = {}): Promise<Fixture> {
  const fresh = await freshDbOfToday()
  const database = connect({ url: fresh.url, onError: () => undefined })
  const clock = turnedClock()
  const ids = systemIds()
  const sites = siteIds(database.system)
  const receivers: Receiver[] = []
  const deliveries: Delivery[] = []
  const logged: string[] = []
  const declared = declaredZones(zones)
  const port = await startReceiver({ host: '127.0.0.250' })
  const secrets = secretsFrom(Buffer.alloc(32, 7))
  const options: DeliveryOptions = {
    database,
    clock,
    ids,
    log: logInto(logged),
    nodeName: 'test',
    mode: 'direct',
    relay: null,
    hostname: 'mail.posthorn.test',
    smtpPort: port.port,
    sourceIps: [],
    allowPrivateNetworks: true,
    resolver: declared,
    verpMac: (text) => secrets.mac('verp', text),
    signingKeys: async () => new Map([[DOMAIN, { domain: 'shop.example', selector: 's1', privateKey: KEY }]]),
    suspendedAccounts: () => [],
    ...more,
  }
  const another = (changed: Partial<DeliveryOptions> = {}): Delivery => {
    const made = deliveryService({ ...options, ...changed })
    deliveries.push(made)
    return made
  }
  const delivery = another()
  const events = (id: string): Promise<readonly WireEvent[]> => eventsOfEmail(database.system, ACCOUNT, id)
  return {
    database,
    clock,
    ids,
    zones: declared,
    delivery,
    logged,
    options,
    receiver: async (host, script = {}) => {
      const made = await startReceiver({ ...script, host, port: port.port })
      receivers.push(made)
      return made
    },
    another,
    put: async (to, email = {}, content = {}) => {
      const made = newEmail(ids.next(), clock.now(), to, email)
      const isSubmitted = content.kind === 'submitted'
      const bytes = encodeContent(isSubmitted ? content : { ...CONTENT, to: [{ name: '', address: to }], ...content })
      const numbers = await sites.of([made.site])
      await database.transaction((db) =>
        enqueue(db, [made], [{ id: made.id, accountId: made.accountId, stretches: [bytes] }], numbers),
      )
      return made.id
    },
    story: (id) => emailStory(database, ACCOUNT, id),
    status: async (id) => statusName((await emailStory(database, ACCOUNT, id)).email.status),
    events,
    last: async (id) => {
      const last = (await events(id)).at(-1)
      if (last === undefined) throw new Error('no event')
      return last
    },
    suppressed: async (address) => {
      const row = await database.system.one<{ reason: number }>(SUPPRESSION, [address])
      return row === null ? null : (REASONS[row.reason] ?? null)
    },
    bounces: async () => (await database.system.one<{ count: number }>(BOUNCES))?.count ?? 0,
    queued: async () => (await database.system.one<{ count: number }>(QUEUED))?.count ?? 0,
    [Symbol.asyncDispose]: async () => {
      for (const one of deliveries) await one.stop(AbortSignal.timeout(200))
      for (const one of [port, ...receivers]) await one.close()
      await database.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

const CONTENT: ComposedContent = {
  kind: 'composed',
  from: { name: 'Shöp', address: 'news@shop.example' },
  to: [],
  cc: [],
  replyTo: [],
  subject: 'Grüße',
  headers: [],
  html: '<p>Hello <a href="{{unsubscribe}}">bye</a></p>',
  text: 'Hello',
  attachments: [],
  treatment: { trackOpens: false, trackClicks: false, unsubscribeHeader: false },
}

function newEmail(id: string, now: Date, to: string, given: Partial<NewEmail>): NewEmail {
  const parsed = parseAddress(to)
  if (!parsed.ok) throw new Error(`${to} is no address`)
  return {
    id,
    accountId: ACCOUNT,
    domainId: DOMAIN,
    bodyId: id,
    createdAt: now,
    status: 'queued',
    from: { name: 'Shöp', address: 'news@shop.example' },
    recipient: to,
    recipientKey: suppressionKey(parsed.address),
    cc: [],
    replyTo: [],
    site: parsed.address.domain,
    subject: 'Grüße',
    messageId: `${id}@shop.example`,
    stream: 'transactional',
    bulk: false,
    sandbox: false,
    sandboxResult: 'deliver',
    tag: 'tag one',
    metadata: null,
    sizeBytes: 1_000,
    scheduledAt: null,
    expiresAt: new Date(now.getTime() + 72 * 3_600_000),
    tlsRequired: false,
    risk: null,
    ...given,
  }
}

/** The time of day is turned by hand; durations are real, because sockets are. */
function turnedClock(): TurnedClock {
  const real = systemClock()
  let offsetMs = 0
  let waitedMs = 0
  return {
    ...real,
    now: () => new Date(real.now().getTime() + offsetMs),
    monotonicMs: () => real.monotonicMs() + waitedMs,
    correct: () => undefined,
    advance: (ms) => {
      offsetMs += ms
    },
    wait: (ms) => {
      offsetMs += ms
      waitedMs += ms
    },
  }
}

function logInto(lines: string[]): Logger {
  const keep = (fields: object, message: string): void => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Logger = { error: keep, warn: keep, info: () => undefined, debug: () => undefined, child: () => log }
  return log
}
