// What an email caused beyond itself: the endpoints that were told of it, each with what it answered.

import { Link } from '@tanstack/react-router'
import { type Json, useApi, withQuery } from './api.ts'
import { Table } from './table.tsx'
import { Section, State, Time } from './ui.tsx'

/** Of so many endpoints; more have few accounts. */
const MOST = 10
const AGAIN_MS = 10_000

/** Nothing where no endpoint is there to be told. */
export function Told({ emailId }: { readonly emailId: string }) {
  const hooks = useApi('/customer/webhooks')
  const all: readonly Json[] = hooks.data?.data ?? []
  if (all.length === 0) return null
  return (
    <Section title="Who was told">
      <div className="grid gap-4">
        {all.slice(0, MOST).map((hook) => (
          <Deliveries key={hook.id} hook={hook} emailId={emailId} />
        ))}
      </div>
    </Section>
  )
}

function Deliveries({ hook, emailId }: { readonly hook: Json; readonly emailId: string }) {
  const path = `/customer/webhooks/${hook.id}/deliveries`
  const found = useApi(withQuery(path, { email_id: emailId, limit: 50 }), { always: AGAIN_MS })
  return (
    <div className="min-w-0">
      <p className="mb-1">
        <Link to="/webhooks/$id" params={{ id: hook.id }} className="underline">
          {hook.name}
        </Link>{' '}
        <span className="break-all text-quiet">{hook.url}</span>
      </p>
      <Table
        caption={`What ${hook.name} was told`}
        rows={found.data?.data as readonly Json[] | undefined}
        columns={[
          { head: 'Event', main: true, cell: ({ event }) => event },
          { head: 'State', cell: ({ status }) => <State name={status} /> },
          {
            head: 'Answer',
            fill: true,
            cell: ({ http_status: status, error, attempt }) =>
              `${status ?? error ?? 'none yet'}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
          },
          { head: 'When', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty="Nothing of this email: its events are not among those it asks for, or came before it, or are not told yet."
      />
    </div>
  )
}
