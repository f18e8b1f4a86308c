// Colours of states: green for success, amber for unfinished, red for attention needed, grey for neutral. Independent of the browser.

export type Tone = 'good' | 'wait' | 'bad' | 'robot'

const TONES: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  verified: 'good',
  valid: 'good',
  active: 'good',
  success: 'good',
  opened: 'good',
  clicked: 'good',
  ok: 'good',
  allow: 'good',
  subscribed: 'good',
  confirmed: 'good',
  completed: 'good',
  safe: 'good',
  queued: 'wait',
  scheduled: 'wait',
  deferred: 'wait',
  pending: 'wait',
  temporary_failure: 'wait',
  soft: 'wait',
  pending_confirmation: 'wait',
  warning: 'wait',
  // A failed attempt or DNS lookup is retried automatically.
  error: 'wait',
  warned: 'wait',
  bounced: 'bad',
  failed: 'bad',
  failing: 'bad',
  complained: 'bad',
  complaint: 'bad',
  missing: 'bad',
  multiple: 'bad',
  invalid: 'bad',
  mismatch: 'bad',
  hard: 'bad',
  block: 'bad',
  blocked: 'bad',
  critical: 'bad',
  suspended: 'bad',
  verification_failed: 'bad',
  revoked: 'robot',
  expired: 'robot',
  off: 'robot',
  not_set: 'robot',
  unsubscribed: 'robot',
  suppressed: 'robot',
  canceled: 'robot',
  machine: 'robot',
}

export function toneOf(state: string): Tone {
  return TONES[state] ?? 'robot'
}
