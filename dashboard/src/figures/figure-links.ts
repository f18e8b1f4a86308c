// The lists behind the overview's figures. Independent of the browser.
//
// A figure counts what happened on the day on which it happened: an email reported as spam was delivered before, and one accepted
// last month may bounce today. The lists are therefore of events, not of emails by present state; for bounces, of their history,
// which also has those without an event of their own (given up after soft refusals).

import type { Search } from '../ui/search.ts'

const EVENTS = {
  sent: 'email.sent',
  delivered: 'email.delivered',
  complained: 'email.complained',
  opened: 'email.opened',
  clicked: 'email.clicked',
} as const

export type Figure = keyof typeof EVENTS | 'bounced'

export interface FigureRange {
  readonly from_date: string
  /** The last day; absent: today. */
  readonly to_date?: string
  readonly domain_id: string | undefined
  readonly include_sandbox: boolean
}

/** The page and its parameters. */
export function listBehind(
  figure: Figure,
  { from_date, to_date, domain_id, include_sandbox }: FigureRange,
): { readonly to: '/events' | '/bounces'; readonly search: Search } {
  const search = {
    from: from_date,
    ...(to_date !== undefined && { to: to_date }),
    ...(domain_id !== undefined && { domain_id }),
    ...(!include_sandbox && { include_sandbox: 'false' }),
  }
  // The history of bounces contains complaints, which are no bounces.
  if (figure === 'bounced') return { to: '/bounces', search: { ...search, include_complaints: 'false' } }
  return { to: '/events', search: { ...search, event: EVENTS[figure] } }
}

/** The emails accepted on a day, of which a chart counts several outcomes. */
export function mailsOf(
  day: string,
  { domain_id, include_sandbox }: Omit<FigureRange, 'from_date' | 'to_date'>,
): { readonly to: '/emails'; readonly search: Search } {
  const search = {
    ...{ from: day, to: day },
    ...(domain_id !== undefined && { domain_id }),
    ...(!include_sandbox && { include_sandbox: 'false' }),
  }
  return { to: '/emails', search }
}
