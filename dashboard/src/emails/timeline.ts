// An email's history as ordered steps: acceptance, each attempt with its answer, actions of people and machines, and their
// consequences.

import type { BounceAdvice } from '../../../src/mail/reports/bounce-advice.ts'
import { adviceOn } from '../../../src/mail/reports/explain.ts'
import type { Json } from '../api/api.ts'
import type { Tone } from '../words/tones.ts'
import { causeOf, factsOf, shownEvents } from './story.ts'

export interface DialogueLine {
  /** Milliseconds after the start of the attempt. */
  readonly at: number
  readonly from: string
  readonly line: string
}

export interface Step {
  readonly key: string
  readonly at: string
  readonly tone: Tone
  readonly title: string
  /** Host, protocol and duration. */
  readonly facts: readonly string[]
  /** The other side's words. */
  readonly answer: string | null
  /** The same in our words. */
  readonly notes: readonly string[]
  readonly dialogue: readonly DialogueLine[]
}

const OUTCOMES: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  delivered: ['delivered', 'good'],
  deferred: ['deferred', 'wait'],
  bounced: ['rejected', 'bad'],
  error: ['failed', 'wait'],
}

const TITLES: Readonly<Record<string, readonly [title: string, tone: Tone]>> = {
  'email.sent': ['Accepted', 'good'],
  due: ['Queued at its time', 'good'],
  'email.scheduled': ['Accepted and scheduled', 'wait'],
  'email.opened': ['Opened', 'good'],
  'email.clicked': ['Clicked', 'good'],
  'email.bounced': ['Bounced', 'bad'],
  'email.failed': ['Gave up', 'bad'],
  'email.complained': ['Marked as spam', 'bad'],
  'email.unsubscribed': ['Unsubscribed', 'robot'],
  'email.suppressed': ['Not sent', 'robot'],
  'email.canceled': ['Canceled', 'robot'],
}

export function timelineOf(email: Json): readonly Step[] {
  const attempts: readonly Step[] = email.attempts.map(attemptStep)
  const events: readonly Step[] = shownEvents(email.events as readonly Json[]).map(eventStep)
  return [...attempts, ...events].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function attemptStep(one: Json): Step {
  const [words, tone] = OUTCOMES[one.outcome] ?? [one.outcome, 'robot']
  return {
    key: `attempt ${one.attempt}`,
    at: one.started_at,
    tone,
    title: `Attempt ${one.attempt} ${words}`,
    facts: factsOf(one),
    answer: one.response,
    notes: one.throttled_by === null || one.throttled_by === undefined ? [] : [`throttled: ${one.throttled_by}`],
    dialogue: one.dialogue.map((said: Json) => ({ ...said, at: Date.parse(said.at) - Date.parse(one.started_at) })),
  }
}

function eventStep(one: Json): Step {
  const machine = one.data.is_machine === true || one.data.machine === true
  const [title, tone] = TITLES[one.event] ?? [one.event.replace('email.', ''), 'robot' as const]
  return {
    key: one.event_id,
    at: one.timestamp,
    tone: machine ? 'robot' : tone,
    title: machine ? `${title} by a machine` : title,
    facts: [],
    answer: null,
    notes: notesOf(one, machine),
    dialogue: [],
  }
}

function notesOf({ event, data }: Json, machine: boolean): readonly string[] {
  if (event === 'email.opened' || event === 'email.clicked') {
    const why = data.machine_reason ?? data.reason ?? null
    return [
      machine
        ? `Detected by: ${String(why ?? 'its behavior').replaceAll('_', ' ')}`
        : 'By a person, as far as can be determined.',
      ...(data.url === undefined ? [] : [String(data.url)]),
    ]
  }
  if (event === 'email.suppressed' || event === 'email.failed') {
    const cause = causeOf(data)
    return cause === null ? [] : [cause]
  }
  if (event === 'email.bounced') {
    const kind = `${String(data.type)}: ${String(data.category).replaceAll('_', ' ')}`
    return [data.suppressed === true ? `${kind}. The address was suppressed.` : kind]
  }
  if (event === 'email.complained') return ['The address was suppressed.']
  return []
}

/** Advice on the latest answer to a deferred email; null when the answer does not tell. */
export function deferralOf(email: Json): BounceAdvice | null {
  return adviceOn(email.attempts.at(-1) ?? {})
}

/** The receiver's words about a bounce or a suppression, without the type prefix of a report. */
export function answerIn(diagnostic: string | null): string | null {
  return diagnostic === null ? null : diagnostic.replace(/^smtp;\s*/i, '')
}
