// The event log: lists what the overview counts but no email status shows, such as opens and clicks.

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Json } from '../api/api.ts'
import { useDomainFilter } from '../figures/by-domain.tsx'
import { useRecentFigures } from '../figures/recent-figures.ts'
import { ExampleCall, FIRST_EMAIL } from '../ui/example-call.tsx'
import { Listing, WHOLE_ADDRESS } from '../ui/listing.tsx'
import { entrySearch, type Search } from '../ui/search.ts'
import { NOT_YET, Page, SandboxMark, State, Time } from '../ui/ui.tsx'
import { EVENTS } from '../webhooks/event-types.ts'
import { engagementIn } from '../words/answers.ts'

const NAMES: ReadonlyMap<string, string> = new Map(EVENTS)

const DAYS = 7

export function Events() {
  const recent = useRecentFigures(DAYS)
  const domains = useDomainFilter()
  return (
    <Page
      title="Events"
      sentence={recent === null ? NOT_YET : engagementIn(recent.figures, recent.span)}
      more="Each open and click is listed here, those by machines too."
    >
      <Listing
        path="/events"
        caption="Events"
        every={5_000}
        filters={[
          { name: 'event', label: 'Event', options: EVENTS },
          { name: 'recipient', label: 'Recipient', form: WHOLE_ADDRESS },
          ...domains,
          { name: 'tag', label: 'Tag' },
          { name: 'response', label: 'Response' },
          { name: 'from', label: 'From date', day: 'start' },
          { name: 'to', label: 'To date', day: 'end' },
          { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'excluded']] },
        ]}
        columns={[
          { head: 'Event', cell: ({ event, data }) => <Kind event={event} data={data} /> },
          { head: 'About', main: true, fill: true, cell: (row) => <About row={row} /> },
          { head: 'Recipient', cut: true, cell: recipientIn },
          { head: 'When', right: true, cell: ({ timestamp: at }) => <Time at={at} /> },
        ]}
        keyOf={({ event_id: id }) => id}
        empty={
          <>
            <p className="mb-3">No events yet. The first one appears as soon as an email is accepted.</p>
            <ExampleCall path="/send" body={FIRST_EMAIL} />
          </>
        }
      />
    </Page>
  )
}

function Kind({ event, data }: { readonly event: string; readonly data: Json }) {
  const machine = data.is_machine === true
  const word = `${NAMES.get(event) ?? event}${machine ? ' by a machine' : ''}`
  return <State name={machine ? 'machine' : (event.split('.')[1] ?? event)} word={word} />
}

/** Events of suppressions have no subject; their reason takes its place. */
function subjectOf({ subject, reason }: Json): string {
  if (subject === undefined || subject === null) return inWords(reason ?? 'the email')
  return subject === '' ? '(no subject)' : subject
}

function inWords(name: string | null | undefined): string {
  return String(name ?? '').replaceAll('_', ' ')
}

function addressOf({ recipient, email }: Json): string {
  return recipient ?? email ?? ''
}

function About({ row }: { readonly row: Json }) {
  const { email_id: id, data } = row
  if (id === undefined || id === null) return <NoEmail row={row} />
  return (
    <>
      <Link to="/emails/$id" params={{ id }} className="underline">
        {subjectOf(data)}
      </Link>
      <SandboxMark of={data} />
      {typeof data.url === 'string' && <span className="text-quiet"> · {data.url}</span>}
    </>
  )
}

function recipientIn({ email_id: id, data }: Json): ReactNode {
  const address = addressOf(data)
  return typeof id === 'string' ? address : <span className="max-md:hidden">{address}</span>
}

/** On a phone this cell contains the address, because the recipient's cell is too narrow. */
function NoEmail({ row }: { readonly row: Json }) {
  const address = addressOf(row.data)
  const { to, search = {}, words } = placeOf(row)
  return (
    <Link to={to} search={search as never} className="underline">
      {address !== '' && <span className="md:hidden">{address} · </span>}
      {words}
    </Link>
  )
}

/** The page and the link text for an event that is not about one email. */
function placeOf({ event, data }: Json): { readonly to: string; readonly search?: Search; readonly words: string } {
  const search = entrySearch(addressOf(data), data)
  switch (event) {
    case 'contact.confirmed':
      return { to: `/contacts/${data.contact_id}`, words: `${data.previous_status} → ${data.status}` }
    case 'email.unsubscribed':
      return { to: '/unsubscribes', search, words: inWords(data.source) }
    case 'health.grade_changed':
      return { to: '/health', words: `${data.previous_grade ?? 'none'} → ${data.grade ?? 'none'}` }
    case 'domain.verified':
    case 'domain.verification_failed':
      return { to: `/domains/${data.domain_id}`, words: data.domain }
    default:
      return { to: '/suppressions', search, words: inWords(data.reason) }
  }
}
