// Webhook endpoints: settings, deliveries with their responses, and replays.

import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { AddForm } from '../ui/add-form.tsx'
import { announce } from '../ui/announcements.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { DateTimeInput, momentOf } from '../ui/date-time-input.tsx'
import { AsCall } from '../ui/example-call.tsx'
import { Listing, useWhole, words } from '../ui/listing.tsx'
import { SecretRotation } from '../ui/secret-rotation.tsx'
import { forget, handedOver, handOver, ShownOnce } from '../ui/shown-once.tsx'
import { Button, Facts, NOT_YET, Page, Pending, Problem, Section, State, Time } from '../ui/ui.tsx'
import { WebhookEndpoint } from '../webhooks/endpoint.tsx'
import { EVENTS } from '../webhooks/event-types.ts'
import { answerOf, TEST } from '../webhooks/failed-deliveries.ts'
import { FailedDeliveriesList } from '../webhooks/failed-deliveries-list.tsx'
import { acceptedBy } from '../words/answers.ts'
import { figure } from '../words/number-format.ts'

const PATH = '/customer/webhooks'
const LIST_EVERY_MS = 15_000

export function Webhooks() {
  const navigate = useNavigate()
  const all = useWhole(PATH, LIST_EVERY_MS)
  return (
    <Page title="Webhooks" sentence={all === undefined ? NOT_YET : acceptedBy(all)}>
      <AddForm
        path={PATH}
        scope="webhooks:write"
        fields={[
          { name: 'name', label: 'Name' },
          { name: 'url', label: 'URL', type: 'url' },
        ]}
        button="Add for all events"
        also={{ events: ['*'] }}
        added={({ id, secret }) => {
          handOver(id, secret)
          void navigate({ to: '/webhooks/$id', params: { id } })
        }}
      />
      <Listing
        path={PATH}
        pages="page"
        caption="Webhook endpoints"
        always={LIST_EVERY_MS}
        columns={[
          {
            head: 'Name',
            main: true,
            cell: ({ id, name, url }) => (
              <Link to="/webhooks/$id" params={{ id }} className="underline">
                {name === '' ? url : name}
              </Link>
            ),
          },
          { head: 'URL', fill: true, cell: ({ url }) => url },
          { head: 'Status', cell: (hook) => <HookState of={hook} /> },
          {
            head: 'Last delivery',
            right: true,
            cell: ({ last_delivery_status: last, last_delivery_at: at }) =>
              last === null ? (
                '–'
              ) : (
                <span className="whitespace-nowrap">
                  <State name={last} /> <Time at={at} />
                </span>
              ),
          },
        ]}
        empty={
          <>
            No endpoints yet. <IfPermitted scope="webhooks:write">Add the URL of one.</IfPermitted> Each receives every
            event as JSON, signed with its own secret.{' '}
            <a href="/docs/webhooks" className="underline">
              How to verify the signature
            </a>
            <IfPermitted scope="webhooks:write">
              <AsCall path={PATH} body={{ name: 'Shop', url: 'https://example.com/webhooks', events: ['*'] }} />
            </IfPermitted>
          </>
        }
      />
    </Page>
  )
}

/** An enabled endpoint that fails is shown as failing. */
function HookState({
  of: { is_active: active, consecutive_failures: failures, disabled_reason: reason },
}: {
  readonly of: Json
}) {
  if (!active) return <State name="off" word={reason === null ? 'disabled' : 'disabled automatically'} />
  return <State name={failures > 0 ? 'failing' : 'active'} />
}

export function Webhook() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = `${PATH}/${id}`
  const found = useApi(path, { always: 3_000 })
  const [error, setError] = useState<unknown>(null)
  const [secret, setSecret] = useState(() => handedOver(id))
  useEffect(() => forget(id), [id])
  const navigate = useNavigate()
  if (found.data === undefined)
    return (
      <Page title="Webhook">
        <Pending error={found.error} lines={8} />
      </Page>
    )
  const hook: Json = found.data.data
  const leave = (): void => {
    // Nobody needs the secret of what is removed: leaving does not ask for it.
    flushSync(() => setSecret(null))
    void navigate({ to: '/webhooks' })
  }
  const act = async (method: string, where: string, done: string, body?: object): Promise<Json> => {
    setError(null)
    try {
      const answer = await call(method, where, body)
      announce(done)
      await refresh(PATH)
      return answer
    } catch (problem) {
      setError(problem)
      return null
    }
  }
  return (
    <Page
      title={hook.name === '' ? hook.url : hook.name}
      sentence={sentenceOf(hook)}
      actions={
        <IfPermitted scope="webhooks:write">
          <div className="flex flex-wrap gap-2">
            <Button kind="main" onClick={() => void act('POST', `${path}/test`, 'Test event on its way.')}>
              Send test
            </Button>
            <Button
              onClick={() =>
                void act('PUT', path, hook.is_active ? 'Disabled.' : 'Enabled.', { is_active: !hook.is_active })
              }
            >
              {hook.is_active ? 'Disable' : 'Enable'}
            </Button>
            <SecretRotation
              scope="webhooks:write"
              label="Rotate secret"
              question="Create a new secret? webhook-signature is made with the current one too until it stops; X-Webhook-Signature is made with the new one at once."
              onYes={(hours) =>
                void act('POST', `${path}/regenerate-secret`, 'The new secret is shown below.', {
                  grace_period_hours: hours,
                }).then((answer: Json) => setSecret(answer?.data?.secret ?? answer?.secret ?? null))
              }
            />
            <Confirm
              label="Remove"
              question="Remove this endpoint? It receives no more events, and its delivery log is deleted."
              onYes={() => void act('DELETE', path, 'Removed.').then((answer: Json) => answer && leave())}
            />
          </div>
        </IfPermitted>
      }
    >
      <Problem error={error} />
      <div role="status">
        {secret !== null && (
          <ShownOnce key={secret} text={secret} what="the secret">
            The signing secret, shown only once. Your server verifies with it that events come from here.
          </ShownOnce>
        )}
      </div>
      <Facts
        facts={[
          ['Secret', `ends in ${hook.secret_last4}`],
          [
            'Previous secret until',
            hook.previous_secret_valid_until && <Time key="p" full at={hook.previous_secret_valid_until} />,
          ],
          ['Consecutive failures', hook.consecutive_failures === 0 ? null : figure(hook.consecutive_failures)],
          ['Created', <Time key="t" full at={hook.created_at} />],
        ]}
      />
      <FailedDeliveriesList path={path} active={hook.is_active} />
      <Section title="Endpoint and events">
        <WebhookEndpoint hook={hook} />
      </Section>
      <Section title="Deliveries">
        <Deliveries path={path} act={act} />
      </Section>
      <IfPermitted scope="webhooks:write">
        <Section title="Replay a period">
          <ReplayPeriod path={path} act={act} />
        </Section>
      </IfPermitted>
    </Page>
  )
}

const OFF_SINCE: Readonly<Record<string, string>> = {
  gone: ' automatically: its server answered 410, which means it is gone for good',
  failing: ' automatically: every delivery failed for five days',
}

function sentenceOf(hook: Json): string {
  if (!hook.is_active) return `Disabled${OFF_SINCE[hook.disabled_reason] ?? ''}. Events in the meantime are not sent.`
  if (hook.consecutive_failures > 0)
    return `The last ${hook.consecutive_failures === 1 ? 'attempt' : `${figure(hook.consecutive_failures)} attempts`} failed; failed deliveries are retried automatically.`
  return hook.last_delivery_at === null ? 'No deliveries yet.' : 'Deliveries are being accepted.'
}

type Act = (method: string, where: string, done: string, body?: object) => Promise<Json>

function Deliveries({ path, act }: { readonly path: string; readonly act: Act }) {
  return (
    <Listing
      path={`${path}/deliveries`}
      caption="Deliveries"
      always={3_000}
      filters={[
        { name: 'status', label: 'Status', options: words('pending', 'success', 'failed') },
        { name: 'event', label: 'Event', options: EVENTS },
        { name: 'from', label: 'From date', day: 'start' },
        { name: 'to', label: 'To date', day: 'end' },
      ]}
      columns={[
        { head: 'Status', cell: ({ status }) => <State name={status} /> },
        {
          head: 'Event',
          main: true,
          cell: ({ event, email_id: id }) =>
            id === null ? (
              event
            ) : (
              <Link to="/emails/$id" params={{ id }} className="underline">
                {event}
              </Link>
            ),
        },
        {
          head: 'Response',
          fill: true,
          cut: true,
          cell: (row: Json, above?: Json) => <Answer of={row} above={above} />,
        },
        { head: 'Attempt', wide: true, right: true, cell: ({ attempt }) => attempt },
        { head: 'Duration', wide: true, right: true, cell: ({ duration_ms: ms }) => (ms === null ? '–' : `${ms} ms`) },
        {
          head: 'When',
          right: true,
          cell: ({ created_at: at, next_attempt_at: next }) =>
            next === null ? (
              <Time at={at} />
            ) : (
              <span className="whitespace-nowrap">
                retry <Time at={next} />
              </span>
            ),
        },
        {
          head: 'Actions',
          acts: true,
          scope: 'webhooks:write',
          right: true,
          cell: ({ id, event }) =>
            event === TEST ? null : (
              <Button small onClick={() => void act('POST', `${PATH}/deliveries/${id}/replay`, 'Replay on its way.')}>
                Replay
              </Button>
            ),
        },
      ]}
      empty="No deliveries yet. “Send test” makes one."
    />
  )
}

/** The response. A failure like the one in the row above is shown as such; the full text on hover. */
function Answer({ of, above }: { readonly of: Json; readonly above?: Json }) {
  const answer = answerOf(of)
  const isSame = above !== undefined && of.status !== 'success' && answerOf(above) === answer
  return isSame ? (
    <span className="text-quiet" title={answer}>
      as above
    </span>
  ) : (
    <span title={answer}>{answer}</span>
  )
}

function ReplayPeriod({ path, act }: { readonly path: string; readonly act: Act }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const replay = (event: FormEvent): void => {
    event.preventDefault()
    const body = { from: momentOf(from), to: momentOf(to) }
    void act('POST', `${path}/replay`, 'The events of that period are being replayed.', body)
  }
  return (
    <form onSubmit={replay} className="flex flex-wrap items-start gap-3">
      <DateTimeInput label="From" required value={from} onChange={setFrom} />
      <DateTimeInput label="To" required value={to} onChange={setTo} />
      <div className="sm:pt-[25px]">
        <Button type="submit">Replay events</Button>
      </div>
      <p className="basis-full text-quiet">
        For use after an outage on your side. Events keep their original IDs: a receiver that tracks IDs processes each
        event once.
      </p>
    </form>
  )
}
