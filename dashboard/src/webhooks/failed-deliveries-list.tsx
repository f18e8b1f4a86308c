// Failed deliveries of an endpoint: each reason once, however many events it affected, and a way to replay them all.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import { IfPermitted } from '../api/permissions.tsx'
import { announce } from '../ui/announcements.tsx'
import { DateTimeInput, localOf, momentOf } from '../ui/date-time-input.tsx'
import { Button, Problem, Section, Time } from '../ui/ui.tsx'
import { figure } from '../words/number-format.ts'
import { type Delivery, type FailedDeliveries, failedDeliveriesOf } from './failed-deliveries.ts'

/** Maximum page size of the API. */
const MOST = 1_000
const AGAIN_MS = 15_000
/** An event is delivered a moment after it happened. */
const TOLD_WITHIN_MS = 60_000
const REASONS_SHOWN = 5

/** Renders nothing when everything was delivered. */
export function FailedDeliveriesList({ path, active }: { readonly path: string; readonly active: boolean }) {
  const failed = useDeliveries(path, 'failed')
  const waiting = useDeliveries(path, 'pending')
  const refused: readonly Delivery[] = [...(failed?.data ?? []), ...(waiting?.data ?? [])]
  const taken = useDeliveries(path, 'success', refused.length > 0)
  // Replays since then are not known before.
  if (failed === undefined || waiting === undefined || taken === undefined) return null
  const list = failedDeliveriesOf([...refused, ...taken.data])
  if (list.since === null) return null
  const more = failed.pagination.total > MOST || waiting.pagination.total > MOST
  return (
    <Section title="Failed deliveries">
      <p>{sentenceOf(list, more)}</p>
      <ul className="mt-2" aria-label="Reasons">
        {list.reasons.slice(0, REASONS_SHOWN).map(({ answer, count, first, last }) => (
          <li key={answer} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-1.5">
            <code className="min-w-0 flex-1 basis-60 font-mono text-xs break-words">{answer}</code>
            <span className="text-quiet">
              {eventsOf(count)}, {count > 1 && <Time at={first} />}
              {count > 1 && ' to '}
              <Time at={last} />
            </span>
          </li>
        ))}
      </ul>
      {list.reasons.length > REASONS_SHOWN && (
        <p className="mt-1 text-quiet">And {figure(list.reasons.length - REASONS_SHOWN)} more reasons.</p>
      )}
      <IfPermitted scope="webhooks:write">
        {active ? (
          <TellAgain key={path} path={path} list={list} />
        ) : (
          <p className="mt-3 text-quiet">Enable the webhook to replay them.</p>
        )}
      </IfPermitted>
    </Section>
  )
}

function useDeliveries(path: string, status: string, enabled = true): Json {
  return useApi(withQuery(`${path}/deliveries`, { status, limit: MOST }), { always: AGAIN_MS, enabled }).data
}

function eventsOf(count: number): string {
  return count === 1 ? '1 event' : `${figure(count)} events`
}

function sentenceOf({ waiting, givenUp }: FailedDeliveries, more: boolean): string {
  const shown = (count: number): string => `${eventsOf(count)}${more ? ' or more' : ''}`
  const ended = `${shown(givenUp)} failed after all retries`
  const open = `${shown(waiting)} will be retried automatically`
  if (waiting === 0) return `${ended}.`
  return givenUp === 0 ? `${open}.` : `${ended}, and ${open}.`
}

/** From the first failure on, unless another start is chosen. */
function TellAgain({
  path,
  list: { since, kinds, reasons },
}: {
  readonly path: string
  readonly list: FailedDeliveries
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const from = typed ?? localOf(new Date(Date.parse(since ?? '') - TOLD_WITHIN_MS).toISOString())
  const tell = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    // The clock of this browser may be slow.
    const until = Math.max(Date.now(), ...reasons.map(({ last }) => Date.parse(last) + TOLD_WITHIN_MS))
    const body = { from: momentOf(from), to: new Date(until).toISOString(), events: kinds }
    await call('POST', `${path}/replay`, body).then(
      (answer: Json) => announce(`Replaying ${eventsOf(answer.data.queued)}.`),
      setError,
    )
    await refresh(path)
  }
  return (
    <form onSubmit={(event) => void tell(event)} className="mt-3 flex flex-wrap items-start gap-3">
      <DateTimeInput label="Failed since" required value={from} onChange={setTyped} />
      <div className="sm:pt-[25px]">
        <Button type="submit">Replay all</Button>
      </div>
      <p className="basis-full text-quiet">
        Do this once your endpoint works again. Events of these types that were delivered in that time are sent again
        too; each keeps its id, so your server can tell duplicates.
      </p>
      <div className="basis-full">
        <Problem error={error} />
      </div>
    </form>
  )
}
