// Plants faults into sound ledgers: the checker must find each, because a run would hide a fault that it misses.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { check, type Rule } from './checker.ts'
import type { Ledgers } from './joined.ts'
import { type Line, openLedger, readLedger } from './ledger.ts'

type Draft = { -readonly [Actor in keyof Ledgers]: Line[] }

const MAILS = 12
const KILL_AT = 10_000

/** A run without fault: mails of two customers, one doubled by a kill, one refused by its receiver, and readers. */
function sound(): Draft {
  const draft: Draft = { generator: [], farm: [], sink: [], clicker: [], nemesis: [], survey: [] }
  const counted: Record<string, Record<string, number>> = {
    alpha: { bounces: 0, failed: 0, suppressed: 0, bot_clicks: 0, machine_opens: 0 },
    beta: { bounces: 0, failed: 0, suppressed: 0, bot_clicks: 0, machine_opens: 0 },
  }
  const event = (account: string, id: string, to: string, type: string, field: string, agent: string | null): void => {
    const told = { account, event: `event-${draft.survey.length}`, type, email: `email-${id}` }
    draft.survey.push({ k: 'event', t: 90_000, ...told, to, subject: `mail ${id}`, agent })
    draft.sink.push({ k: 'hook', t: 1_000 * Number(id.slice(1)) + 3_000, ...told, header: told.event, to, good: true })
    const own = counted[account] as Record<string, number>
    own[field] = (own[field] ?? 0) + 1
  }
  const copy = (t: number, account: string, id: string, to: string): void => {
    const n = draft.farm.length
    const same = { messageId: `<${id}@x>`, bodyHash: `body ${id}`, claimedBodyHash: `body ${id}`, signed: true }
    draft.farm.push({ k: 'dot', t, n, id, to: [to], account, sum: `sum ${id}`, ...same })
    draft.farm.push({ k: 'said', t: t + 1, n, code: 250 })
  }
  for (let n = 0; n < MAILS; n++) {
    const id = `m${n}`
    const account = n % 2 === 0 ? 'alpha' : 'beta'
    const kind = n === 3 ? 'hard' : n === 4 ? 'leave' : 'ok'
    const to = kind === 'leave' ? 'leave-1@d.test' : `${kind}-1-${id}@d.test`
    const t = 1_000 * n
    draft.generator.push({ k: 'ask', t, id, via: 'rest', account, to: [to], sum: `sum ${id}` })
    const emails = [{ email: to, status: 'queued', email_id: `email-${id}` }]
    draft.generator.push({ k: 'ok', t: t + 5, id, ms: 5, emails })
    event(account, id, to, 'email.sent', 'sent', null)
    if (kind === 'hard') {
      event(account, id, to, 'email.bounced', 'bounces', null)
      continue
    }
    copy(t + 900, account, id, to)
    event(account, id, to, 'email.delivered', 'delivered', null)
    const who = { name: `reader-1-${n}`, id, to: [to] }
    const act = kind === 'leave' ? 'leave' : n % 2 === 0 ? 'open' : 'click'
    draft.clicker.push({ k: 'hit', t: t + 2_000, ...who, kind: act })
    draft.clicker.push({ k: 'answered', t: t + 2_010, ...who, kind: act, status: act === 'click' ? 302 : 200 })
    if (act === 'leave') event(account, id, to, 'email.unsubscribed', 'unsubscribes', null)
    if (act === 'open') event(account, id, to, 'email.opened', 'opens', `Mozilla ${who.name}`)
    if (act === 'click') event(account, id, to, 'email.clicked', 'clicks', `Mozilla ${who.name}`)
  }
  draft.nemesis.push({ k: 'kill', t: KILL_AT, what: 'everything', hard: true, deliveries: 1 })
  draft.nemesis.push({ k: 'ready', t: KILL_AT + 2_000, what: 'everything', ms: 2_000 })
  copy(KILL_AT + 30_000, 'beta', 'm9', 'ok-1-m9@d.test')
  for (const [account, data] of Object.entries(counted))
    draft.survey.push({ k: 'statistics', t: 90_000, account, data: { unsubscribes: 0, opens: 0, clicks: 0, ...data } })
  return draft
}

const rulesOf = (draft: Draft): string[] => [...new Set(check(draft).faults.map(({ rule }) => rule))]

/** Index of the first line that fits. */
function place(lines: readonly Line[], fits: (line: Line) => boolean): number {
  const found = lines.findIndex(fits)
  assert.ok(found >= 0, 'the sound run has no such line')
  return found
}

function change(lines: Line[], fits: (line: Line) => boolean, by: object): void {
  const at = place(lines, fits)
  lines[at] = { ...(lines[at] as Line), ...by }
}

function drop(lines: Line[], fits: (line: Line) => boolean): Line {
  return lines.splice(place(lines, fits), 1)[0] as Line
}

const isDot = (id: string) => (line: Line) => line.k === 'dot' && line['id'] === id
const isEvent = (id: string, type: string) => (line: Line) => line['email'] === `email-${id}` && line['type'] === type

test('a sound run has no faults, and its figures are counted', () => {
  const { faults, figures } = check(sound())
  assert.deepEqual(faults, [])
  assert.deepEqual([figures.asked, figures.accepted, figures.lost, figures.copies], [MAILS, MAILS, 0, MAILS])
  assert.deepEqual([figures.kills, figures.duplicates, figures.mostDuplicates, figures.underWay], [1, 1, 1, 1])
  assert.equal(figures.webhooksRepeated, 0)
})

/** Adds 70 more copies of a mail after the kill, one each millisecond. */
function manyCopies({ farm }: Draft): void {
  const dot = farm[place(farm, isDot('m9'))] as Line
  for (let i = 1; i <= 70; i++) {
    farm.push({ ...dot, t: KILL_AT + i, n: 1_000 + i })
    farm.push({ k: 'said', t: KILL_AT + i, n: 1_000 + i, code: 250 })
  }
}

test('two kills close together excuse as many second copies as both together', () => {
  const draft = sound()
  manyCopies(draft)
  draft.nemesis.push({ k: 'kill', t: KILL_AT + 30, what: 'another', hard: true, deliveries: 1 })
  draft.nemesis.push({ k: 'ready', t: KILL_AT + 2_000, what: 'another', ms: 2_000 })
  assert.deepEqual(check(draft).faults, [])
})

/** An SMTP client gets 451 for m5 although it is stored, and submits it again. */
function takenTwice({ generator, farm, survey, sink }: Draft, ms: number, keyed: boolean): void {
  change(generator, (line) => line.k === 'ask' && line['id'] === 'm5', { via: 'smtp', keyed })
  generator.push({ k: 'try', t: 5_001, id: 'm5', via: 'smtp', ms, status: 451 })
  farm.push({ ...(farm[place(farm, isDot('m5'))] as Line), t: 60_000, n: 999 })
  for (const type of ['email.sent', 'email.delivered']) {
    const again = { email: 'email-other', event: `other ${type}`, header: `other ${type}` }
    for (const all of [survey, sink]) all.push({ ...(all[place(all, isEvent('m5', type))] as Line), ...again })
    const statistics = survey[place(survey, (line) => line.k === 'statistics' && line['account'] === 'beta')] as Line
    const data = statistics['data'] as Record<string, number>
    data[type.slice('email.'.length)] = (data[type.slice('email.'.length)] ?? 0) + 1
  }
}

test('a mail may be refused as unsubscribed and sent when an earlier try of it had no answer', () => {
  const draft = sound()
  change(draft.generator, (line) => line.k === 'ok' && line['id'] === 'm4', { k: 'no', status: 550, code: '5.7.1' })
  assert.deepEqual(rulesOf(draft), ['answer'])
  draft.generator.push({ k: 'try', t: 4_001, id: 'm4', via: 'smtp', ms: 90, status: null })
  assert.deepEqual(check(draft).faults, [])
})

test('a mail without a key may become two emails when its client submits it again after a 451 of unknown outcome', () => {
  const draft = sound()
  takenTwice(draft, 15_000, false)
  const { faults, figures } = check(draft)
  assert.deepEqual(faults, [])
  assert.deepEqual([figures.takenTwice, figures.duplicates], [1, 1])
})

/** Mails that came before the kill, which the receiver answered at `saidAt`, after `tookMs`, and once more after it. */
function unrecorded(draft: Draft, count: number, saidAt: number, tookMs: number): void {
  const [first, second] = draft.farm.filter(isDot('m9')) as [Line, Line]
  for (let i = 0; i < count; i++) {
    const own = { id: `n${i}`, to: [`ok-1-n${i}@d.test`], messageId: '<n@x>' }
    draft.generator.push({ k: 'ask', t: 1, account: 'beta', sum: first['sum'], ...own })
    for (const [line, t, ms] of [
      [first, saidAt - tookMs, tookMs],
      [second, second.t, 0],
    ] as const) {
      const n = 10_000 + draft.farm.length
      draft.farm.push({ ...line, ...own, t, n })
      draft.farm.push({ k: 'said', t: t + ms, n, code: 250 })
    }
  }
}

test('a kill excuses the mails that receivers had answered soon up to a bound, and all that they had not', () => {
  const doubled = (count: number, saidAt: number, tookMs: number): boolean => {
    const draft = sound()
    unrecorded(draft, count, saidAt, tookMs)
    return check(draft).faults.some(({ rule }) => rule === 'double')
  }
  assert.equal(doubled(63, KILL_AT - 1, 10), false)
  assert.equal(doubled(64, KILL_AT - 1, 10), true)
  assert.equal(doubled(200, KILL_AT - 1, 11), false)
  assert.equal(doubled(200, KILL_AT + 60_000, 60_001), false)
})

const PLANTED: readonly [what: string, rule: Rule, plant: (draft: Draft) => void][] = [
  ['a mail that never came', 'loss', ({ farm }) => drop(farm, isDot('m2'))],
  [
    'a mail without a final event',
    'loss',
    ({ survey, sink }) => [survey, sink].map((all) => drop(all, isEvent('m2', 'email.delivered'))),
  ],
  [
    'a second copy without a kill before it',
    'double',
    ({ farm }) => farm.push({ ...(farm[place(farm, isDot('m1'))] as Line), t: 60_000, n: 999 }),
  ],
  ['more second copies than a kill excuses', 'double', manyCopies],
  [
    'a second copy of a mail that was answered long before the kill',
    'double',
    ({ nemesis }) => change(nemesis, ({ k }) => k === 'kill', { t: 21_000 }),
  ],
  [
    'a second copy at the kill of a process that delivers nothing',
    'double',
    ({ nemesis }) => change(nemesis, ({ k }) => k === 'kill', { hard: false }),
  ],
  [
    'a second copy of a mail that the endpoint knew as delivered before the kill',
    'double',
    ({ sink }) => change(sink, isEvent('m9', 'email.delivered'), { t: KILL_AT - 1 }),
  ],
  [
    'a second copy under another Message-ID',
    'double',
    ({ farm }) => change(farm, (line) => isDot('m9')(line) && line.t > KILL_AT, { messageId: '<other@x>' }),
  ],
  ['more copies at one kill than may be under way', 'double', (draft) => unrecorded(draft, 65, KILL_AT - 1, 1)],
  [
    'a request that became two emails',
    'double',
    ({ survey }) =>
      survey.push({
        ...(survey[place(survey, isEvent('m5', 'email.sent'))] as Line),
        event: 'other',
        email: 'email-other',
      }),
  ],
  ['a mail that was stored and put off at once', 'double', (draft) => takenTwice(draft, 200, false)],
  ['a mail with a key that became two emails', 'double', (draft) => takenTwice(draft, 15_000, true)],
  [
    'two emails of which the second has no final event',
    'loss',
    (draft) => {
      takenTwice(draft, 15_000, false)
      for (const all of [draft.survey, draft.sink]) drop(all, ({ event }) => event === 'other email.delivered')
    },
  ],
  ['a mail that nobody submitted', 'phantom', ({ farm }) => change(farm, isDot('m5'), { id: 'm77' })],
  ['a mail to another recipient', 'phantom', ({ farm }) => change(farm, isDot('m5'), { to: ['ok-1-m6@d.test'] })],
  ['a mail with another text', 'phantom', ({ farm }) => change(farm, isDot('m5'), { sum: 'other' })],
  ['a body other than the signed one', 'phantom', ({ farm }) => change(farm, isDot('m5'), { bodyHash: 'other' })],
  ['an invalid signature', 'phantom', ({ farm }) => change(farm, isDot('m5'), { signed: false })],
  ['a mail from the other customer', 'tenant', ({ farm }) => change(farm, isDot('m5'), { account: 'alpha' })],
  [
    'an event in the log of the other customer',
    'tenant',
    ({ survey }) => change(survey, isEvent('m5', 'email.sent'), { account: 'alpha' }),
  ],
  [
    'a webhook to the other customer',
    'tenant',
    ({ sink }) => change(sink, isEvent('m5', 'email.sent'), { account: 'alpha' }),
  ],
  [
    'a missing event',
    'event',
    ({ survey, sink }) => [survey, sink].map((all) => drop(all, isEvent('m2', 'email.sent'))),
  ],
  [
    'a duplicate event',
    'event',
    ({ survey }) =>
      survey.push({ ...(survey[place(survey, isEvent('m2', 'email.delivered'))] as Line), event: 'again' }),
  ],
  [
    'two final events of one mail',
    'event',
    ({ survey }) => change(survey, isEvent('m2', 'email.sent'), { type: 'email.failed' }),
  ],
  [
    'a delivered event for a mail that was refused',
    'event',
    ({ survey }) => change(survey, isEvent('m3', 'email.bounced'), { type: 'email.delivered' }),
  ],
  ['an answered open without an event', 'event', ({ survey }) => drop(survey, isEvent('m2', 'email.opened'))],
  [
    'a click with two events',
    'event',
    ({ survey }) => survey.push({ ...(survey[place(survey, isEvent('m1', 'email.clicked'))] as Line), event: 'again' }),
  ],
  [
    'an open event without a reader',
    'event',
    ({ survey }) => change(survey, isEvent('m2', 'email.opened'), { agent: 'reader-9-9' }),
  ],
  [
    'an acknowledged unsubscribe without an event',
    'event',
    ({ survey }) => drop(survey, isEvent('m4', 'email.unsubscribed')),
  ],
  ['an event that the endpoint never heard of', 'webhook', ({ sink }) => drop(sink, isEvent('m2', 'email.delivered'))],
  [
    'a webhook for an event that is in no log',
    'webhook',
    ({ sink }) => change(sink, isEvent('m2', 'email.sent'), { event: 'x', header: 'x' }),
  ],
  ['a webhook under another id', 'webhook', ({ sink }) => change(sink, isEvent('m2', 'email.sent'), { header: 'x' })],
  [
    'a webhook with a wrong signature',
    'webhook',
    ({ sink }) => change(sink, isEvent('m2', 'email.sent'), { good: false }),
  ],
  [
    'a webhook about another mail',
    'webhook',
    ({ sink }) => change(sink, isEvent('m2', 'email.sent'), { email: 'email-m8' }),
  ],
  [
    'a mail to a recipient who had unsubscribed',
    'list',
    ({ farm, generator }) => {
      change(farm, isDot('m8'), { to: ['leave-1@d.test'] })
      change(generator, (line) => line.k === 'ask' && line['id'] === 'm8', { to: ['leave-1@d.test'] })
    },
  ],
  [
    'a mail to a recipient who was answered as unsubscribed',
    'list',
    ({ generator }) =>
      change(generator, (line) => line.k === 'ok' && line['id'] === 'm8', {
        emails: [{ email: 'ok-1-m8@d.test', status: 'unsubscribed', email_id: null }],
      }),
  ],
  [
    'statistics that count one too many',
    'figures',
    ({ survey }) => change(survey, ({ k }) => k === 'statistics', { data: { sent: 99 } }),
  ],
  [
    'a refusal that was sent',
    'answer',
    ({ generator }) =>
      change(generator, (line) => line.k === 'ok' && line['id'] === 'm8', { k: 'no', status: 422, code: 'x' }),
  ],
  ['an answer of 500', 'answer', ({ generator }) => generator.push({ k: 'try', t: 1, id: 'm1', ms: 10, status: 500 })],
  ['a slow 503', 'answer', ({ generator }) => generator.push({ k: 'try', t: 1, id: 'm1', ms: 9_000, status: 503 })],
  [
    'a request that hung',
    'answer',
    ({ generator }) => generator.push({ k: 'try', t: 1, id: 'm1', ms: 20_000, status: null }),
  ],
  [
    'a start that took minutes',
    'recovery',
    ({ nemesis }) => nemesis.push({ k: 'ready', t: 1, what: 'x', ms: 200_000 }),
  ],
]

for (const [what, rule, plant] of PLANTED) {
  test(`the checker finds ${what}`, () => {
    const draft = sound()
    plant(draft)
    assert.ok(rulesOf(draft).includes(rule), `found ${rulesOf(draft).join(' ') || 'nothing'}`)
  })
}

test('a ledger keeps every confirmed line and ignores an incomplete one', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-ledger-'))
  try {
    const file = path.join(folder, 'x.ledger')
    const ledger = await openLedger(file)
    await Promise.all(Array.from({ length: 100 }, (_, n) => ledger.write({ k: 'line', n })))
    assert.deepEqual(
      readLedger(file).map(({ n }) => n),
      Array.from({ length: 100 }, (_, n) => n),
    )
    await ledger.close()
    writeFileSync(file, '{"k":"cut', { flag: 'a' })
    assert.equal(readLedger(file).length, 100)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
