// What is counted, and what one event adds. Pure: the same events give the same counts, in a replay and in a recount.

import type { EventType, FollowedEvent } from '../events/index.ts'

export const COUNTERS = [
  'sent',
  'delivered',
  'hard',
  'soft',
  'block',
  'unknown_bounces',
  'complained',
  'unsubscribed',
  'failed',
  'suppressed',
  'deferred',
  'opens',
  'machine_opens',
  'unique_opens',
  'unique_any_opens',
  'clicks',
  'bot_clicks',
  'unique_clicks',
  'unique_any_clicks',
  'desktop',
  'mobile',
  'webmail',
  'unknown_platform',
  'machine_desktop',
  'machine_mobile',
  'machine_webmail',
  'machine_unknown_platform',
] as const

export type Counter = (typeof COUNTERS)[number]
export type Counts = Readonly<Record<Counter, number>>

/** Firsts of an email, each counted once: by a person, and by anyone including machines. */
export const FIRSTS = ['opened', 'any_opened', 'clicked', 'any_clicked'] as const
export type First = (typeof FIRSTS)[number]

export const COUNTER_OF_FIRST: Readonly<Record<First, Counter>> = {
  opened: 'unique_opens',
  any_opened: 'unique_any_opens',
  clicked: 'unique_clicks',
  any_clicked: 'unique_any_clicks',
}

const NONE: readonly never[] = []

/** The events whose data determines how they count. */
export const COUNTED_BY_DATA: readonly EventType[] = ['email.bounced', 'email.failed', 'email.opened', 'email.clicked']

/** The counters that this event raises by one, apart from the firsts of an email. */
export function countersOf({ type, data }: Pick<FollowedEvent, 'type' | 'data'>): readonly Counter[] {
  switch (type) {
    case 'email.sent':
      return ['sent']
    case 'email.delivered':
      return ['delivered']
    case 'email.bounced':
      return bouncedCounter(data['type'])
    case 'email.complained':
      return ['complained']
    case 'email.unsubscribed':
      return ['unsubscribed']
    case 'email.failed':
      return data['listed_as'] === 'soft' ? ['failed', 'soft'] : ['failed']
    case 'email.suppressed':
      return ['suppressed']
    case 'email.deferred':
      return ['deferred']
    case 'email.opened':
      return data['is_machine'] === true
        ? ['machine_opens', `machine_${platformOf(data['platform'])}`]
        : ['opens', platformOf(data['platform'])]
    case 'email.clicked':
      return [data['is_machine'] === true ? 'bot_clicks' : 'clicks']
    case 'email.scheduled':
    case 'email.canceled':
    case 'domain.verified':
    case 'domain.verification_failed':
    case 'suppression.created':
    case 'suppression.deleted':
    case 'contact.confirmed':
    case 'health.grade_changed':
      return NONE
  }
}

/** The firsts that this event may be for its email; none when the earlier events are no longer known (tracking/hit-judging.ts). */
export function firstsOf({ type, data }: Pick<FollowedEvent, 'type' | 'data'>): readonly First[] {
  if (data['open_count'] === null) return NONE
  const human = data['is_machine'] !== true
  if (type === 'email.opened') return human ? ['opened', 'any_opened'] : ['any_opened']
  if (type === 'email.clicked') return human ? ['clicked', 'any_clicked'] : ['any_clicked']
  return NONE
}

/** A complaint is not a bounce. */
function bouncedCounter(type: unknown): readonly Counter[] {
  if (type === 'hard' || type === 'soft' || type === 'block') return [type]
  return type === 'complaint' ? NONE : ['unknown_bounces']
}

function platformOf(platform: unknown): 'desktop' | 'mobile' | 'webmail' | 'unknown_platform' {
  return platform === 'desktop' || platform === 'mobile' || platform === 'webmail' ? platform : 'unknown_platform'
}
