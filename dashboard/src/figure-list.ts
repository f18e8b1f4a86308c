// The lists behind the overview's figures. Knows nothing of the browser.
//
// A figure counts what happened, on the day on which it happened: a mail that was reported as spam had been delivered before,
// and one that was accepted last month may bounce today. So behind it stand events, not emails in the state they have now; and
// for bounces their history, which has those that no event tells of alone (given up after soft refusals).

import type { Search } from './search.ts'

const EVENTS = {
  sent: 'email.sent',
  delivered: 'email.delivered',
  complained: 'email.complained',
  opened: 'email.opened',
  clicked: 'email.clicked',
} as const

export interface FigureRange {
  readonly from_date: string
  readonly domain_id: string | undefined
  readonly include_sandbox: boolean
}

/** The page, and what stands in its address. */
export function listBehind(
  figure: keyof typeof EVENTS | 'bounced',
  { from_date, domain_id, include_sandbox }: FigureRange,
): { readonly to: '/events' | '/bounces'; readonly search: Search } {
  const search = {
    from: from_date,
    ...(domain_id !== undefined && { domain_id }),
    ...(!include_sandbox && { include_sandbox: 'false' }),
  }
  // A complaint stands in the history of bounces, and is none.
  if (figure === 'bounced') return { to: '/bounces', search: { ...search, include_complaints: 'false' } }
  return { to: '/events', search: { ...search, event: EVENTS[figure] } }
}
