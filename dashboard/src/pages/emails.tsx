import { Link } from '@tanstack/react-router'
import { useDomainFilter } from '../by-domain.tsx'
import { Listing, WHOLE_ADDRESS, words } from '../listing.tsx'
import { Page, State, Time } from '../ui.tsx'

const ANYWHERE = 'Subject, recipient or message id'

/** What a receiver is to get, or was: all but what is still to come, was stopped, or may not go. */
const SENT = 'queued,deferred,delivered,bounced,failed,complained'

const STATUSES = [
  [SENT, 'all sent'] as const,
  ...words('scheduled', 'queued', 'deferred', 'delivered', 'bounced', 'failed', 'suppressed', 'canceled', 'complained'),
]

export function Emails() {
  const domains = useDomainFilter()
  return (
    <Page
      title="Emails"
      sentence="Every email, newest first. One of them tells its whole story: each attempt, each answer."
    >
      <Listing
        path="/emails"
        caption="Emails"
        every={5_000}
        filters={[
          { name: 'search', label: ANYWHERE, wide: true },
          { name: 'recipient', label: 'Recipient', form: `${WHOLE_ADDRESS} «${ANYWHERE}» finds a part of one too.` },
          { name: 'tag', label: 'Tag' },
          { name: 'status', label: 'Status', options: STATUSES },
          ...domains,
          { name: 'from', label: 'From day', day: 'start' },
          { name: 'to', label: 'To day', day: 'end' },
          { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'left out']] },
        ]}
        columns={[
          { head: 'Status', cell: ({ status }) => <State name={status} /> },
          {
            head: 'Subject',
            main: true,
            fill: true,
            cell: ({ id, subject, sandbox }) => (
              <span className="flex" title={subject}>
                <Link to="/emails/$id" params={{ id }} className="truncate underline">
                  {subject === '' ? '(no subject)' : subject}
                </Link>
                {sandbox && <span className="shrink-0 whitespace-pre text-quiet"> · sandbox</span>}
              </span>
            ),
          },
          {
            head: 'To',
            cell: ({ to }) => (
              <span className="block max-w-[15rem] truncate" title={to}>
                {to}
              </span>
            ),
          },
          { head: 'Last answer', roomy: true, fill: true, cell: ({ last_response: said }) => said ?? '' },
          { head: 'Accepted', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            No mail yet.{' '}
            <Link to="/" className="underline">
              The overview
            </Link>{' '}
            has the line that sends a first one.
          </>
        }
      />
    </Page>
  )
}
