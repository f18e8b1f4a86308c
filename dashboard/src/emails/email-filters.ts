// Filters of emails: for their list, and for the neighbours of an email opened from it.

import { useDomainFilter } from '../figures/by-domain.tsx'
import { type Filter, WHOLE_ADDRESS, words } from '../ui/listing.tsx'

const ANYWHERE = 'Subject, recipient or message ID'

/** Emails that a receiver is to get or was to get: all except future, stopped and forbidden ones. */
const SENT = 'queued,deferred,delivered,bounced,failed,complained'

const STATUSES = [
  [SENT, 'all sent'] as const,
  ...words('scheduled', 'queued', 'deferred', 'delivered', 'bounced', 'failed', 'suppressed', 'canceled', 'complained'),
]

const FILTERS: readonly Filter[] = [
  { name: 'search', label: ANYWHERE, wide: true },
  { name: 'recipient', label: 'Recipient', form: `${WHOLE_ADDRESS} “${ANYWHERE}” also finds part of one.` },
  { name: 'tag', label: 'Tag' },
  { name: 'status', label: 'Status', options: STATUSES },
  { name: 'response', label: 'Last response' },
]
const LAST_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From date', day: 'start' },
  { name: 'to', label: 'To date', day: 'end' },
  { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'excluded']] },
]

export function useEmailFilters(): readonly Filter[] {
  return [...FILTERS, ...useDomainFilter(), ...LAST_FILTERS]
}
