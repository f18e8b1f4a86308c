// What happened, one by one: the list behind those figures of the overview that no state of an email tells.

import { Link } from '@tanstack/react-router'
import type { Json } from '../api.ts'
import { useDomainFilter } from '../by-domain.tsx'
import { EVENTS } from '../kinds.ts'
import { Listing, WHOLE_ADDRESS } from '../listing.tsx'
import { Page, State, Time } from '../ui.tsx'

const NAMES: ReadonlyMap<string, string> = new Map(EVENTS)

export function Events() {
  const domains = useDomainFilter()
  return (
    <Page
      title="Events"
      sentence="Everything that happened, newest first, as sent to webhooks. Every open and click is listed, including those by machines; the overview counts each email once, and only people."
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
          { name: 'from', label: 'From date', day: 'start' },
          { name: 'to', label: 'To date', day: 'end' },
          { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'excluded']] },
        ]}
        columns={[
          { head: 'Event', cell: ({ event, data }) => <Kind event={event} data={data} /> },
          { head: 'About', main: true, fill: true, cell: (row) => <About row={row} /> },
          { head: 'Recipient', cut: true, cell: ({ data }) => data.recipient ?? data.email ?? '' },
          { head: 'When', right: true, cell: ({ timestamp: at }) => <Time at={at} /> },
        ]}
        keyOf={({ event_id: id }) => id}
        empty="No events yet. The first one appears as soon as an email is accepted."
      />
    </Page>
  )
}

function Kind({ event, data }: { readonly event: string; readonly data: Json }) {
  const machine = data.is_machine === true
  const word = `${NAMES.get(event) ?? event}${machine ? ' by a machine' : ''}`
  return <State name={machine ? 'machine' : (event.split('.')[1] ?? event)} word={word} />
}

/** What happened to an address and not to a mail has no subject: it has a reason. */
function subjectOf({ subject, reason }: Json): string {
  if (subject === undefined || subject === null) return String(reason ?? 'the email').replaceAll('_', ' ')
  return subject === '' ? '(no subject)' : subject
}

function About({ row: { email_id: id, data } }: { readonly row: Json }) {
  if (id === undefined || id === null) return data.domain ?? String(data.reason ?? '').replaceAll('_', ' ')
  return (
    <>
      <Link to="/emails/$id" params={{ id }} className="underline">
        {subjectOf(data)}
      </Link>
      {data.sandbox === true && <span className="text-quiet"> · sandbox</span>}
      {typeof data.url === 'string' && <span className="text-quiet"> · {data.url}</span>}
    </>
  )
}
