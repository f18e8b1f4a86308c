// Compares the ledgers of one run after the run, by the ids that the clients gave their mails. It checks the promises of
// ARCHITECTURE.md. Each fault names the broken promise:
//
//   loss      an accepted mail did not reach its receiver, or has no final event
//   phantom   a received mail differs from the submitted one (text, recipient, signature), or nobody submitted it
//   double    a second copy without a kill that excuses it: the first copy must have been under way at the kill
//   event     something happened without exactly one event, or an event has no cause
//   webhook   the endpoint did not hear of an event, or heard wrong data
//   list      mail to a recipient who had unsubscribed or was suppressed
//   figures   statistics that are not the sum of the events
//   tenant    one customer's mail or event reached the other customer
//   answer    a client waited too long, or got a wrong answer
//   recovery  the service was up again too late

import { readersFaults } from './checker-readers.ts'
import { type Case, casesOf, type Ledgers, type Survey, surveyOf } from './joined.ts'
import type { Line } from './ledger.ts'

export type Rule =
  | 'loss'
  | 'phantom'
  | 'double'
  | 'event'
  | 'webhook'
  | 'list'
  | 'figures'
  | 'tenant'
  | 'answer'
  | 'recovery'

export interface Fault {
  readonly rule: Rule
  readonly what: string
}

export interface Verdict {
  readonly faults: readonly Fault[]
  readonly figures: {
    readonly asked: number
    /** Counted for each recipient of each mail. */
    readonly accepted: number
    readonly lost: number
    readonly copies: number
    readonly duplicates: number
    /** Largest number at one kill. */
    readonly mostDuplicates: number
    /** Copies between their final dot and their presumed commit at a kill, over all kills. */
    readonly underWay: number
    /** Mails stored more than once: the client had no key and got a 451, because the fate of its first try was unknown. */
    readonly takenTwice: number
    readonly kills: number
    readonly events: number
    readonly webhooks: number
    readonly webhooksRepeated: number
    readonly hits: number
    readonly slowestStartMs: number
    readonly slowestAnswerMs: number
  }
}

/** A copy answered longer than this before a kill is committed by then, however busy the machine. */
const UNRECORDED_MS = 10_000
/** An idle machine commits in a fraction of this. The figures count younger copies as under way. */
const USUAL_MS = 1_000
/** The product's limit on answered but uncommitted copies, for each delivery process. */
const UNRECORDED = 64
/**
 * By the receiver's clock; one of an idle machine takes 1 to 3 ms. Where answers take longer, the process may have waited 50 ms for
 * them: then mails wait beyond that limit (docs/adr/0016), and may be answered all at once.
 */
const QUICK_ANSWER_MS = 10
const ANSWER_MS = 5_500
/** Longest wait for an answer. After a broken commit, submission first looks for the mail before it answers 451. */
const HANG_MS = 19_500
/** Longest start. The design allows 15 s on an otherwise idle machine; the figure is printed. */
const START_MS = 120_000
const ENDS = ['email.delivered', 'email.bounced', 'email.failed', 'email.suppressed', 'email.canceled']
const KINDS_OF_END: Readonly<Record<string, readonly string[]>> = {
  hard: ['email.bounced'],
  leave: ['email.delivered', 'email.suppressed'],
}

export function check(ledgers: Ledgers): Verdict {
  const cases = casesOf(ledgers)
  const survey = surveyOf(ledgers)
  const doubles = doublesOf(cases, ledgers)
  const losses = cases.flatMap((one) => lossOf(one))
  const hooks = webhookFaults(ledgers, survey)
  const answers = ledgers.generator.filter(({ k }) => ['ok', 'no', 'try'].includes(k))
  const starts = ledgers.nemesis.filter(({ k }) => k === 'ready')
  const longest = (lines: readonly Line[]): number => lines.reduce((most, { ms }) => Math.max(most, Number(ms)), 0)
  return {
    faults: [
      ...losses,
      ...phantoms(cases, ledgers),
      ...doubles.faults,
      ...cases.flatMap((one) => eventFaults(one)),
      ...hooks.faults,
      ...readersFaults(cases, ledgers, survey),
      ...figureFaults(survey),
      ...answers.flatMap((line) => answerFault(line, cases)),
      ...starts.flatMap(({ ms, what }): Fault[] =>
        Number(ms) > START_MS ? [{ rule: 'recovery', what: `${what} took ${ms} ms` }] : [],
      ),
    ],
    figures: {
      asked: new Set(ledgers.generator.filter(({ k }) => k === 'ask').map(({ id }) => id)).size,
      accepted: cases.filter(({ accepted }) => accepted).length,
      lost: new Set(losses.map(({ what }) => what)).size,
      copies: cases.reduce((sum, { copies }) => sum + copies.length, 0),
      duplicates: doubles.count,
      mostDuplicates: doubles.most,
      underWay: doubles.underWay,
      takenTwice: cases.filter((one) => livesOf(one) > 1).length,
      kills: ledgers.nemesis.filter(({ k }) => k === 'kill').length,
      events: survey.events.length,
      webhooks: hooks.heard,
      webhooksRepeated: hooks.repeated,
      hits: ledgers.clicker.filter(({ k }) => k === 'hit').length,
      slowestStartMs: Math.round(longest(starts)),
      slowestAnswerMs: longest(answers.filter(({ k, status }) => k !== 'try' || status !== null)),
    },
  }
}

/** How many stored emails one mail may have become. */
function livesOf({ mayBeTaken, emailIds }: Case): number {
  return Math.min(mayBeTaken, Math.max(1, emailIds.length))
}

const named = ({ id, to }: Case): string => `${id} to ${to}`

function lossOf(one: Case): Fault[] {
  const { accepted, kind, copies, events } = one
  if (!accepted) return []
  const ends = events.filter(({ type }) => ENDS.includes(type))
  const suppressed = ends.some(({ type }) => type === 'email.suppressed')
  if (kind !== 'hard' && copies.length === 0 && !(kind === 'leave' && suppressed))
    return [{ rule: 'loss', what: `${named(one)} was accepted and never came` }]
  return ends.length < livesOf(one) ? [{ rule: 'loss', what: `${named(one)} was accepted and has no end` }] : []
}

/** Every received message was submitted, and is unchanged. Nothing refused or suppressed was sent. */
function phantoms(cases: readonly Case[], { farm, generator }: Ledgers): Fault[] {
  const asked = new Map(generator.filter(({ k }) => k === 'ask').map((line) => [String(line['id']), line]))
  const faults: Fault[] = []
  const fault = (rule: Rule, what: string): void => void faults.push({ rule, what })
  for (const { k, id, to, account, sum, bodyHash, claimedBodyHash, signed, n } of farm) {
    if (k !== 'dot') continue
    const ask = asked.get(String(id))
    if (ask === undefined) {
      fault('phantom', `message ${n}, id ${id}, is nobody's`)
      continue
    }
    for (const address of to as readonly string[])
      if (!(ask['to'] as readonly string[]).includes(address)) fault('phantom', `${id} came to ${address}`)
    if (sum !== ask['sum']) fault('phantom', `${id} came with another text`)
    if (bodyHash !== claimedBodyHash || signed === false) fault('phantom', `${id} is not what was signed`)
    if (account !== ask['account']) fault('tenant', `${id} of ${ask['account']} came from ${account}`)
  }
  for (const one of cases) {
    if (one.listed && one.copies.length > 0) fault('list', `${named(one)} was left out and came all the same`)
    if (one.refused && (one.copies.length > 0 || one.events.length > 0))
      fault('answer', `${named(one)} was refused and sent all the same`)
  }
  return faults
}

interface Doubles {
  readonly faults: readonly Fault[]
  readonly count: number
  readonly most: number
  readonly underWay: number
}

/**
 * Each second copy needs a kill before it, at which the first copy was under way. The first copy was no longer under way
 * when the endpoint had already received its `email.delivered`.
 */
function doublesOf(cases: readonly Case[], { nemesis, sink }: Ledgers): Doubles {
  const toldAt = new Map<string, number>()
  for (const { t, type, email } of sink)
    if (type === 'email.delivered') toldAt.set(email, Math.min(t, toldAt.get(email) ?? t))
  const kills = nemesis
    .filter(({ k, hard }) => k === 'kill' && hard === true)
    .map((kill) => {
      // The kill happens after its line is written: noticeably later on a busy machine.
      const struck = nemesis.find(({ k, t }) => k === 'struck' && t >= kill.t)?.t ?? kill.t
      return { ...kill, forMs: Number(kill['forMs'] ?? struck - kill.t + 500) }
    })
  const atKill = new Map<Line, number>()
  const answeredAtKill = new Map<Line, number>()
  const faults: Fault[] = []
  let count = 0
  for (const one of cases) {
    let others = livesOf(one) - 1
    for (const [place, copy] of one.copies.entries()) {
      const before = one.copies[place - 1]
      if (before === undefined) continue
      count++
      const committedBy = Math.min(...one.emailIds.map((email) => toldAt.get(email) ?? Number.POSITIVE_INFINITY))
      const excuses = (line: Line): boolean => line.t <= copy.t && line.t <= committedBy
      const over = kills.filter((line) => wasUnderWay(before, line, UNRECORDED_MS) && excuses(line))
      // Of two kills close together, either may have caused it.
      const kill = over.find((line) => (answeredAtKill.get(line) ?? 0) < boundOf(line)) ?? over[0]
      if (kill === undefined && others-- > 0) count--
      else if (kill === undefined)
        faults.push({ rule: 'double', what: `${named(one)} came twice without a kill over it` })
      else {
        atKill.set(kill, (atKill.get(kill) ?? 0) + 1)
        if (isAnsweredAt(before, kill)) answeredAtKill.set(kill, (answeredAtKill.get(kill) ?? 0) + 1)
      }
      if (copy.messageId !== before.messageId || copy.bodyHash !== before.bodyHash)
        faults.push({ rule: 'double', what: `${named(one)} came twice and not the same` })
    }
    if (one.emailIds.length > one.mayBeTaken) faults.push({ rule: 'double', what: `${named(one)} was taken in twice` })
  }
  for (const [kill, doubled] of answeredAtKill) {
    const bound = boundOf(kill)
    if (doubled > bound) faults.push({ rule: 'double', what: `${doubled} doubled at a kill that excuses ${bound}` })
  }
  const copies = cases.flatMap((one) => one.copies)
  const underWay = kills.reduce(
    (sum, kill) => sum + copies.filter((copy) => wasUnderWay(copy, kill, USUAL_MS)).length,
    0,
  )
  return { faults, count, most: Math.max(0, ...atKill.values()), underWay }
}

function boundOf(kill: Line): number {
  return UNRECORDED * Number(kill['deliveries'] ?? 1)
}

/** Otherwise the receiver took the mail without anybody to answer to, of which no sender can know, or took its time for it. */
function isAnsweredAt(copy: Case['copies'][number], kill: Line): boolean {
  if (copy.saidAt === null || copy.saidAt - copy.t > QUICK_ANSWER_MS) return false
  return copy.saidAt <= kill.t + Number(kill['forMs'])
}

/** @param kill its `forMs` is its duration: a machine that was cut off keeps working for a time */
function wasUnderWay(copy: Case['copies'][number], kill: Line, withinMs: number): boolean {
  const answered = copy.saidAt ?? Number.POSITIVE_INFINITY
  return copy.t <= kill.t + Number(kill['forMs']) && answered >= kill.t - withinMs
}

/** Each email has one `email.sent` and one final event, which fits what the receiver saw. */
function eventFaults(one: Case): Fault[] {
  const { kind, accepted, copies, events, account } = one
  const faults: Fault[] = []
  const fault = (what: string): void => void faults.push({ rule: 'event', what: `${named(one)} ${what}` })
  if (one.listed) {
    const types = events.map(({ type }) => type).join(' ')
    if (types !== 'email.suppressed') fault(`was left out, with the events: ${types}`)
    return faults
  }
  const sent = events.filter(({ type }) => type === 'email.sent').length
  const ends = events.filter(({ type }) => ENDS.includes(type)).map(({ type }) => type)
  const lives = livesOf(one)
  if (events.length > 0 && sent !== lives) fault(`has ${sent} events of being sent`)
  if (ends.length > lives) fault(`has several ends: ${ends.join(' ')}`)
  const fitting = KINDS_OF_END[kind] ?? ['email.delivered']
  for (const end of ends) if (!fitting.includes(end)) fault(`ended ${end}`)
  if (ends.includes('email.delivered') && copies.length === 0) fault('is told as delivered and never came')
  if (!accepted && copies.length > 0 && ends.length === 0) fault('came and has no event')
  for (const event of events)
    if (event.account !== account) faults.push({ rule: 'tenant', what: `${named(one)} is told to ${event.account}` })
  if (new Set(events.map(({ event }) => event)).size !== events.length) fault('has two events of one id')
  return faults
}

function webhookFaults({ sink }: Ledgers, { events }: Survey): { faults: Fault[]; heard: number; repeated: number } {
  const faults: Fault[] = []
  const fault = (rule: Rule, what: string): void => void faults.push({ rule, what })
  const known = new Map(events.map((event) => [event.event, event]))
  const heard = new Set<string>()
  for (const { event, header, type, email, account, good } of sink) {
    if (type === 'test') continue
    const own = known.get(event)
    if (good !== true) fault('webhook', `${event} came with a wrong signature`)
    if (header !== event) fault('webhook', `${event} came under the id ${header}`)
    if (own === undefined) {
      // The survey has no events about the account itself.
      if (String(type).startsWith('email.')) fault('webhook', `${event} (${type}) is in no log`)
      continue
    }
    if (own.type !== type || own.email !== email) fault('webhook', `${event} was told as ${type} of ${email}`)
    if (own.account !== account) fault('tenant', `${event} of ${own.account} was told to ${account}`)
    heard.add(event)
  }
  for (const { event, type } of events) if (!heard.has(event)) fault('webhook', `${event} (${type}) was never told`)
  const told = sink.filter(({ event }) => known.has(event)).length
  return { faults, heard: heard.size, repeated: told - heard.size }
}

/** The statistics fields that must add up to the number of events of a type. */
const FIGURES: readonly (readonly [type: string, fields: readonly string[]])[] = [
  ['email.sent', ['sent']],
  ['email.delivered', ['delivered']],
  ['email.bounced', ['bounces']],
  ['email.failed', ['failed']],
  ['email.suppressed', ['suppressed']],
  ['email.unsubscribed', ['unsubscribes']],
  ['email.opened', ['opens', 'machine_opens']],
  ['email.clicked', ['clicks', 'bot_clicks']],
]

function figureFaults({ events, statistics }: Survey): Fault[] {
  return statistics.flatMap(({ account, data }) =>
    FIGURES.flatMap(([type, fields]): Fault[] => {
      const logged = events.filter((event) => event.account === account && event.type === type).length
      const counted = fields.reduce((sum, field) => sum + Number(data[field] ?? Number.NaN), 0)
      return logged === counted ? [] : [{ rule: 'figures', what: `${account}: ${logged} ${type}, counted ${counted}` }]
    }),
  )
}

/** Refusals that are correct for a recipient on a suppression list. */
const LISTED = /unsubscribed|suppressed|5\.7\.1/

function answerFault({ k, id, via, ms, status, code }: Line, cases: readonly Case[]): Fault[] {
  if (k === 'ok') return Number(ms) > HANG_MS ? [{ rule: 'answer', what: `${id} was accepted after ${ms} ms` }] : []
  if (k === 'no') {
    const own = cases.filter((one) => one.id === id)
    if (LISTED.test(String(code)) && own.some(({ kind }) => kind === 'leave')) return []
    return [{ rule: 'answer', what: `${id} was refused with ${status} ${code}` }]
  }
  if (status === null) return Number(ms) > HANG_MS ? [{ rule: 'answer', what: `${id} had no answer for ${ms} ms` }] : []
  if (Number(ms) > (via === 'smtp' && status === 451 ? HANG_MS : ANSWER_MS))
    return [{ rule: 'answer', what: `${id} was answered ${status} after ${ms} ms` }]
  return [503, 409, 421, 451, 452, 454].includes(Number(status))
    ? []
    : [{ rule: 'answer', what: `${id} was put off with ${status}` }]
}
