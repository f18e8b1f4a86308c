// Webhook deliveries about an email: the endpoints and their answers.

import { Link } from '@tanstack/react-router'
import { type Json, useApi, withQuery } from '../api/api.ts'
import { Table } from '../ui/table.tsx'
import { Pending, Section, State, Time } from '../ui/ui.tsx'

/** Maximum number of endpoints; few accounts have more. */
const MOST = 10
const AGAIN_MS = 10_000
const WHY_NOT = 'The endpoint does not receive these events, was added after them, or they are not sent yet.'

/** Renders nothing when there is no endpoint. */
export function WebhookDeliveries({ emailId }: { readonly emailId: string }) {
  const hooks = useApi('/customer/webhooks')
  const all: readonly Json[] = hooks.data?.data ?? []
  if (all.length === 0) return null
  return (
    <Section title="Webhook deliveries">
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
  const rows: readonly Json[] | undefined = found.data?.data
  const name = (
    <>
      <Link to="/webhooks/$id" params={{ id: hook.id }} className="underline">
        {hook.name === '' ? hook.url : hook.name}
      </Link>{' '}
      {hook.name !== '' && <span className="break-all text-quiet">{hook.url}</span>}
    </>
  )
  if (rows === undefined || rows.length === 0)
    return (
      <div className="min-w-0">
        <p>{name}</p>
        {rows === undefined ? (
          <Pending error={found.error} lines={1} />
        ) : (
          <p className="text-quiet" title={WHY_NOT}>
            {hook.is_active ? 'Nothing sent for this email.' : 'Nothing sent for this email; the endpoint is disabled.'}
          </p>
        )}
      </div>
    )
  return (
    <div className="min-w-0">
      <p className="mb-1">{name}</p>
      <Table
        caption={`Deliveries to ${hook.name}`}
        rows={rows}
        columns={[
          { head: 'Event', main: true, cell: ({ event }) => event },
          { head: 'Status', cell: ({ status }) => <State name={status} /> },
          {
            head: 'Response',
            fill: true,
            cell: ({ http_status: status, error, attempt }) =>
              `${status ?? error ?? 'none yet'}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
          },
          { head: 'When', right: true, cell: ({ created_at: at }) => <Time at={at} /> },
        ]}
        empty=""
      />
    </div>
  )
}
