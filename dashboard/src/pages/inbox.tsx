import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, refresh, useApi } from '../api/api.ts'
import { Preview } from '../emails/preview.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ExampleCall, FIRST_EMAIL } from '../ui/example-call.tsx'
import { type Filter, Listing, useFirstPage, WHOLE_ADDRESS } from '../ui/listing.tsx'
import { Neighbours } from '../ui/neighbours.tsx'
import type { Search } from '../ui/search.ts'
import { Facts, LIKE_A_BUTTON, NOT_YET, Page, Problem, Time, Waiting } from '../ui/ui.tsx'
import { counted, figure } from '../words/number-format.ts'

const FILTERS: readonly Filter[] = [
  { name: 'subject', label: 'Subject' },
  { name: 'to', label: 'To', form: WHOLE_ADDRESS },
]
const AGAIN_MS = 3_000

function Sentence() {
  const first = useFirstPage('/inbox', 'offset', { every: AGAIN_MS })
  if (first === undefined) return NOT_YET
  const [latest] = first.rows
  if (latest === undefined) return 'Nothing is captured.'
  return (
    <>
      {counted(first.total, 'email')} captured, the latest <Time at={latest.received_at} />.
    </>
  )
}

export function Inbox() {
  const search = useSearch({ strict: false }) as Search
  const [error, setError] = useState<unknown>(null)
  const clear = async (): Promise<void> => {
    setError(null)
    await call('DELETE', '/inbox').then(() => announce('Inbox emptied.'), setError)
    await refresh('/inbox')
  }
  return (
    <Page
      title="Inbox"
      sentence={<Sentence />}
      more="Email goes here, and to nobody else, if it is sent with a test key, by a request with sandbox, to an address at sandbox.test, or while POSTHORN_DELIVERY is sandbox. It is kept for 30 days."
      actions={
        <Confirm
          scope="emails:write"
          label="Empty inbox"
          yes="Delete all"
          question="Delete all captured emails?"
          kind="plain"
          onYes={() => void clear()}
        />
      }
    >
      <Problem error={error} />
      <Listing
        path="/inbox"
        caption="Captured emails"
        every={AGAIN_MS}
        filters={FILTERS}
        columns={[
          {
            head: 'Subject',
            main: true,
            fill: true,
            cell: ({ id, subject }) => (
              <Link to="/inbox/$id" params={{ id }} search={search as never} className="underline">
                {subject === '' ? '(no subject)' : subject}
              </Link>
            ),
          },
          { head: 'From', wide: true, cell: ({ from }) => from },
          { head: 'To', cut: true, cell: ({ to }) => to },
          { head: 'Received', right: true, cell: ({ received_at: at }) => <Time at={at} /> },
        ]}
        empty={
          <>
            <p className="mb-3">Nothing captured yet. Send with a test key, and the email appears here immediately.</p>
            <ExampleCall path="/send" body={FIRST_EMAIL} />
          </>
        }
      />
    </Page>
  )
}

export function InboxMail() {
  const { id } = useParams({ strict: false }) as { id: string }
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const found = useApi(`/inbox/${id}`)
  const [error, setError] = useState<unknown>(null)
  if (found.error !== null)
    return (
      <Page title="Captured email">
        <Problem error={found.error} />
      </Page>
    )
  if (found.data === undefined)
    return (
      <Page title="Captured email">
        <Waiting />
      </Page>
    )
  const mail = found.data.data
  const remove = async (): Promise<void> => {
    setError(null)
    await call('DELETE', `/inbox/${id}`).then(() => navigate({ to: '/inbox', search: search as never }), setError)
    await refresh('/inbox')
  }
  return (
    <Page
      title={mail.subject === '' ? '(no subject)' : mail.subject}
      actions={
        <div className="flex flex-wrap gap-2">
          <Neighbours path="/inbox" to="/inbox/$id" filters={FILTERS} id={id} every={AGAIN_MS} />
          <Link to="/emails/$id" params={{ id: mail.email_id }} className={LIKE_A_BUTTON}>
            View delivery
          </Link>
          <Confirm
            scope="emails:write"
            label="Delete"
            question="Delete this email from the inbox?"
            onYes={() => void remove()}
          />
        </div>
      }
    >
      <Problem error={error} />
      <Facts
        facts={[
          ['From', mail.from],
          ['To', mail.to],
          ['Received', <Time key="t" full at={mail.received_at} />],
          ['Size', `${figure(mail.size)} bytes`],
        ]}
      />
      <div className="mt-6">
        <Preview base={`/inbox/${id}`} mail={mail} />
      </div>
    </Page>
  )
}
