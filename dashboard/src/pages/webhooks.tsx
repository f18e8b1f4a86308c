import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api.ts'
import { Listing, words } from '../listing.tsx'
import { Button, Code, Facts, Field, Page, Problem, Section, State, Time, Waiting } from '../ui.tsx'

export function Webhooks() {
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { data } = await call('POST', '/customer/webhooks', { url, name, events: ['*'] })
      await refresh('/customer/webhooks')
      await navigate({ to: '/webhooks/$id', params: { id: data.id } })
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <Page title="Webhooks" sentence="Your own servers, told what happens: signed, and tried again until they take it.">
      <form onSubmit={(event) => void add(event)} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-40">
          <Field label="Name" required value={name} onChange={setName} />
        </div>
        <div className="min-w-64 flex-1">
          <Field label="Address" type="url" required value={url} onChange={setUrl} />
        </div>
        <Button type="submit" kind="main">
          Add for all events
        </Button>
      </form>
      <Problem error={error} />
      <Listing
        path="/customer/webhooks"
        pages="page"
        caption="Webhook endpoints"
        columns={[
          {
            head: 'Name',
            cell: ({ id, name: called }) => (
              <Link to="/webhooks/$id" params={{ id }} className="underline">
                {called}
              </Link>
            ),
          },
          { head: 'Address', cell: ({ url: address }) => address },
          { head: 'State', cell: ({ is_active: active }) => <State name={active ? 'active' : 'canceled'} /> },
          {
            head: 'Last',
            wide: true,
            cell: ({ last_delivery_status: last }) => (last === null ? '–' : <State name={last} />),
          },
        ]}
        empty="No endpoint yet."
      />
    </Page>
  )
}

export function Webhook() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = `/customer/webhooks/${id}`
  const found = useApi(path)
  const [error, setError] = useState<unknown>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const navigate = useNavigate()
  if (found.error !== null)
    return (
      <Page title="Webhook">
        <Problem error={found.error} />
      </Page>
    )
  if (found.data === undefined)
    return (
      <Page title="Webhook">
        <Waiting />
      </Page>
    )
  const hook: Json = found.data.data
  const act = async (method: string, where: string, body?: object): Promise<Json> => {
    setError(null)
    const answer = await call(method, where, body).catch(setError)
    await refresh('/customer/webhooks')
    return answer
  }
  return (
    <Page
      title={hook.name}
      sentence={
        hook.is_active
          ? `Told of ${hook.events.includes('*') ? 'all events' : hook.events.join(', ')}.`
          : `Switched off: ${hook.disabled_reason ?? 'by hand'}.`
      }
      actions={
        <div className="flex flex-wrap gap-2">
          <Button kind="main" onClick={() => void act('POST', `${path}/test`)}>
            Send a test
          </Button>
          <Button onClick={() => void act('PUT', path, { is_active: !hook.is_active })}>
            {hook.is_active ? 'Switch off' : 'Switch on'}
          </Button>
          <Button
            onClick={() =>
              confirm('The present secret ends. Go on?') &&
              void act('POST', `${path}/regenerate-secret`).then((answer: Json) =>
                setSecret(answer?.data?.secret ?? answer?.secret ?? null),
              )
            }
          >
            New secret
          </Button>
          <Button
            kind="danger"
            onClick={() =>
              confirm('Remove this endpoint?') && void act('DELETE', path).then(() => navigate({ to: '/webhooks' }))
            }
          >
            Remove
          </Button>
        </div>
      }
    >
      <Problem error={error} />
      <Facts
        facts={[
          ['Address', hook.url],
          ['Secret', secret === null ? `ends in ${hook.secret_last4}` : <Code key="s" text={secret} />],
          ['Failures in a row', hook.consecutive_failures],
          ['Since', <Time key="t" at={hook.created_at} />],
        ]}
      />
      <Section title="Deliveries">
        <Listing
          path={`${path}/deliveries`}
          caption="Deliveries"
          every={3_000}
          filters={[{ name: 'status', label: 'State', options: words('pending', 'success', 'failed') }]}
          columns={[
            { head: 'State', cell: ({ status }) => <State name={status} /> },
            { head: 'Event', cell: ({ event }) => event },
            { head: 'Answer', cell: ({ http_status: status, error: fault }) => status ?? fault ?? '–' },
            { head: 'Took', wide: true, right: true, cell: ({ duration_ms: ms }) => (ms === null ? '–' : `${ms} ms`) },
            { head: 'When', wide: true, cell: ({ created_at: at }) => <Time at={at} /> },
            {
              head: 'Do',
              cell: ({ id: delivery }) => (
                <Button onClick={() => void act('POST', `/customer/webhooks/deliveries/${delivery}/replay`)}>
                  Replay
                </Button>
              ),
            },
          ]}
          empty="Nothing was told yet. «Send a test» tells it something."
        />
      </Section>
    </Page>
  )
}
