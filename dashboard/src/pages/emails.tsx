import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Json, refresh } from '../api.ts'
import { useDomainFilter } from '../by-domain.tsx'
import { Confirm } from '../confirm.tsx'
import { figure } from '../figure.ts'
import { chosenOf, type Filter, Listing, WHOLE_ADDRESS, words } from '../listing.tsx'
import { say } from '../say.tsx'
import type { Search } from '../search.ts'
import { Page, Problem, State, Time } from '../ui.tsx'

const ANYWHERE = 'Subject, recipient or message id'

/** What a receiver is to get, or was: all but what is still to come, was stopped, or may not go. */
const SENT = 'queued,deferred,delivered,bounced,failed,complained'

const STATUSES = [
  [SENT, 'all sent'] as const,
  ...words('scheduled', 'queued', 'deferred', 'delivered', 'bounced', 'failed', 'suppressed', 'canceled', 'complained'),
]

const FILTERS: readonly Filter[] = [
  { name: 'search', label: ANYWHERE, wide: true },
  { name: 'recipient', label: 'Recipient', form: `${WHOLE_ADDRESS} «${ANYWHERE}» finds a part of one too.` },
  { name: 'tag', label: 'Tag' },
  { name: 'status', label: 'Status', options: STATUSES },
]
const LAST_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'From day', day: 'start' },
  { name: 'to', label: 'To day', day: 'end' },
  { name: 'include_sandbox', label: 'Sandbox', options: [['false', 'left out']] },
]

/** A campaign that should not have been started: what has not gone out of it. It takes several calls where there is much. */
function CancelTag({ tag, setError }: { readonly tag: string; readonly setError: (error: unknown) => void }) {
  const cancel = async (): Promise<void> => {
    setError(null)
    let canceled = 0
    try {
      for (;;) {
        const { data } = await call('POST', '/emails/cancel', { tag })
        canceled += data.canceled
        if (data.more) continue
        const gone =
          data.in_progress > 0 ? ` ${figure(data.in_progress)} were just being sent: ask again for these.` : ''
        say(`${figure(canceled)} canceled.${gone}`)
        break
      }
    } catch (problem) {
      setError(problem)
    }
    await refresh('/emails')
  }
  return (
    <Confirm
      scope="send"
      kind="plain"
      label="Cancel what waits"
      yes="Cancel them"
      question={`Cancel all emails with the tag «${tag}» that have not gone out: scheduled, queued and deferred ones?`}
      onYes={() => void cancel()}
    />
  )
}

/** What the receiver said last; of one that waits for its time, that time. */
function Answer({ of: { status, scheduled_at: at, last_response: said } }: { readonly of: Json }) {
  if (status !== 'scheduled') return <span title={said ?? undefined}>{said ?? ''}</span>
  return (
    <span className="text-quiet">
      goes out <Time at={at} />
    </span>
  )
}

export function Emails() {
  const filters = [...FILTERS, ...useDomainFilter(), ...LAST_FILTERS]
  const { tag } = chosenOf(filters, useSearch({ strict: false }) as Search)
  const [error, setError] = useState<unknown>(null)
  return (
    <Page
      title="Emails"
      sentence="Every email, newest first. One of them tells its whole story: each attempt, each answer."
      actions={tag === undefined ? undefined : <CancelTag tag={tag} setError={setError} />}
    >
      <Problem error={error} />
      <Listing
        path="/emails"
        caption="Emails"
        every={5_000}
        filters={filters}
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
            cut: true,
            cell: ({ to }) => (
              <span className="block truncate md:max-w-[15rem]" title={to}>
                {to}
              </span>
            ),
          },
          { head: 'Last answer', roomy: true, fill: true, cell: (email) => <Answer of={email} /> },
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
