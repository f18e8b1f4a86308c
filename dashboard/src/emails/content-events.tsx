// What content scoring said of the account's emails, and of those it refused, which have no page of their own.

import { Link } from '@tanstack/react-router'
import { type Json, useApi } from '../api/api.ts'
import { usePermission } from '../api/permissions.tsx'
import { useDomainFilter } from '../figures/by-domain.tsx'
import { type Filter, Listing, words } from '../ui/listing.tsx'
import { Section, State, Time } from '../ui/ui.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'risk_level', label: 'Content risk', options: words('low', 'medium', 'high', 'critical') },
  { name: 'from', label: 'From date', day: 'start' },
  { name: 'to', label: 'To date', day: 'end' },
]

/** Nothing for an account that does not have the feature. */
export function ContentEvents() {
  const may = usePermission()
  const limits = useApi('/customer/limits', { enabled: may('stats:read') })
  const filters = [...FILTERS, ...useDomainFilter()]
  if (limits.data?.data.features.content_events !== true) return null
  return (
    <Section title="Content of the emails sent, and of those refused for it">
      <Listing
        path="/content-events"
        caption="Content events"
        every={15_000}
        filters={filters}
        columns={[
          { head: 'Result', cell: ({ event }) => <State name={event.split('.')[1]} /> },
          { head: 'Score', right: true, named: true, cell: ({ score }) => score },
          { head: 'Findings', main: true, fill: true, cell: (row) => findingsOf(row) },
          { head: 'Email', cell: (row) => <EmailOf row={row} /> },
          { head: 'When', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty="No emails yet. The score of each is listed here, with what lowered it."
      />
    </Section>
  )
}

function findingsOf({ matches }: Json): string {
  if (matches.length === 0) return 'No issues found'
  return matches.map(({ description }: Json) => description).join('; ')
}

function EmailOf({ row: { email_id: id } }: { readonly row: Json }) {
  if (id === null) return <span className="text-quiet">refused</span>
  return (
    <Link to="/emails/$id" params={{ id }} className="underline">
      View email
    </Link>
  )
}
