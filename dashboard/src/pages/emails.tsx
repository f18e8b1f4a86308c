import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Json, refresh } from '../api/api.ts'
import { useEmailFilters } from '../emails/email-filters.ts'
import { useRecentFigures } from '../figures/recent-figures.ts'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ExampleCall, FIRST_EMAIL } from '../ui/example-call.tsx'
import { chosenOf, Listing, useTotal } from '../ui/listing.tsx'
import type { Search } from '../ui/search.ts'
import { NOT_YET, Page, Problem, State, Time } from '../ui/ui.tsx'
import { deferredNow, endedIn } from '../words/answers.ts'
import { figure } from '../words/number-format.ts'

/** Cancels what a campaign has not sent yet; takes several calls when there is much. */
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
          data.in_progress > 0
            ? ` ${figure(data.in_progress)} were already being sent; cancel again to catch those.`
            : ''
        announce(`${figure(canceled)} canceled.${gone}`)
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
      label="Cancel unsent emails"
      yes="Cancel emails"
      question={`Cancel every scheduled, queued and deferred email tagged “${tag}”?`}
      onYes={() => void cancel()}
    />
  )
}

/** The receiver's last response; for a scheduled email, its time. */
function Answer({ of: { status, scheduled_at: at, last_response: said } }: { readonly of: Json }) {
  if (status !== 'scheduled') return <span title={said ?? undefined}>{said ?? ''}</span>
  return (
    <span className="text-quiet">
      scheduled for <Time at={at} />
    </span>
  )
}

const DAYS = 7
const DEFERRED = { status: 'deferred', include_sandbox: 'false' }

function Sentence() {
  const recent = useRecentFigures(DAYS)
  const deferred = useTotal('/emails', DEFERRED, { every: 15_000 })
  if (recent === null || deferred === undefined) return NOT_YET
  return (
    <>
      {endedIn(recent.figures, recent.span)}
      {deferred.count > 0 && (
        <>
          {', '}
          <Link to="/emails" search={DEFERRED as never} className="underline">
            {deferredNow(deferred.count, deferred.isAll)}
          </Link>
        </>
      )}
      .
    </>
  )
}

export function Emails() {
  const filters = useEmailFilters()
  const search = useSearch({ strict: false }) as Search
  const { tag } = chosenOf(filters, search)
  const [error, setError] = useState<unknown>(null)
  return (
    <Page
      title="Emails"
      sentence={<Sentence />}
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
            fill: 'more',
            cell: ({ id, subject, sandbox }) => (
              <span className="flex" title={subject}>
                <Link to="/emails/$id" params={{ id }} search={search as never} className="truncate underline">
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
              <span className="block truncate md:max-w-[11rem] xl:max-w-[15rem]" title={to}>
                {to}
              </span>
            ),
          },
          { head: 'Last response', roomy: true, fill: true, cell: (email) => <Answer of={email} /> },
          { head: 'Accepted', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            <p className="mb-3">
              No emails yet. This sends the first one; with a test key it goes to the{' '}
              <Link to="/inbox" className="underline">
                inbox
              </Link>{' '}
              and nowhere else.
            </p>
            <ExampleCall path="/send" body={FIRST_EMAIL} />
          </>
        }
      />
    </Page>
  )
}
