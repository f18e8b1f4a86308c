// The event types and their names in the dashboard.

const OF_EMAILS = [
  ...['sent', 'scheduled', 'deferred', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'],
  ...['suppressed', 'failed', 'canceled'],
]

export const EVENTS: readonly (readonly [event: string, name: string])[] = [
  ...OF_EMAILS.map((kind) => [`email.${kind}`, `email ${kind}`] as const),
  ['domain.verified', 'domain verified'],
  ['domain.verification_failed', 'domain verification failed'],
  ['suppression.created', 'suppression added'],
  ['suppression.deleted', 'suppression removed'],
  ['contact.confirmed', 'contact confirmed'],
  ['health.grade_changed', 'health grade changed'],
]
