// What a state looks like: green it went well, amber it is not over, red somebody should look, grey nothing to do with people.
// Knows nothing of the browser.

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
  safe: 'good',
  queued: 'wait',
  scheduled: 'wait',
  deferred: 'wait',
  pending: 'wait',
  temporary_failure: 'wait',
  soft: 'wait',
  pending_confirmation: 'wait',
  warning: 'wait',
  // What could not be asked, of a try or of a look at the DNS, is asked again by itself.
  error: 'wait',
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
