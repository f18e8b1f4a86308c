// The operator's pages about the instance: queues by destination, and machines.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { call, type Json, refresh, useApi, withQuery } from '../api/api.ts'
import type { Search } from '../ui/search.ts'
import { Table } from '../ui/table.tsx'
import { Button, Field, NOT_YET, Page, Problem, Section, State, Time } from '../ui/ui.tsx'
import { heldUp, runningOn } from '../words/answers.ts'
import { counted, figure } from '../words/number-format.ts'

const QUEUES_EVERY_MS = 3_000
const CAUSES_EVERY_MS = 10_000
const MACHINES_EVERY_MS = 5_000

export function Queues() {
  const { search = '' } = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const [typed, setTyped] = useState(search)
  useEffect(() => setTyped(search), [search])
  const [error, setError] = useState<unknown>(null)
  const [done, setDone] = useState('')
  const found = useApi(withQuery('/operator/queues', { search }), { always: QUEUES_EVERY_MS })
  const steer = async (destination: string, verb: 'pause' | 'resume' | 'retry'): Promise<void> => {
    setError(null)
    setDone('')
    try {
      const { data } = await call('POST', `/operator/queues/${encodeURIComponent(destination)}/${verb}`)
      if (verb === 'retry')
        setDone(`Retrying ${figure(data.emails)} ${data.emails === 1 ? 'email' : 'emails'} to ${destination}.`)
      await refresh('/operator/queues')
    } catch (problem) {
      setError(problem)
    }
  }
  const look = (event: FormEvent): void => {
    event.preventDefault()
    void navigate({ to: '.', search: (typed.trim() === '' ? {} : { search: typed.trim() }) as never })
  }
  return (
    <Page title="Queues" sentence={found.data === undefined ? NOT_YET : sentenceOf(found.data)}>
      <form onSubmit={look} className="mb-4 flex flex-wrap items-end gap-3">
        <div className="min-w-52 flex-1">
          <Field label="Destination" name="search" value={typed} onChange={setTyped} />
        </div>
        <Button type="submit">Search</Button>
      </form>
      <Problem error={error ?? (found.data === undefined ? null : found.error)} />
      <p role="status" className={done === '' ? 'sr-only' : 'mb-3'}>
        {done}
      </p>
      <Table
        caption="Queue by destination"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        keyOf={({ destination }) => destination}
        columns={[
          {
            head: 'Destination',
            main: true,
            cell: (row) => (
              <>
                {row.destination}
                {row.paused_at !== null && (
                  <span className="block text-wait">
                    <span aria-hidden="true">◐</span> paused since <Time at={row.paused_at} />
                  </span>
                )}
              </>
            ),
          },
          { head: 'Depth', right: true, named: true, cell: depth },
          { head: 'Oldest due', named: true, cell: ({ oldest_at: at }) => <Due at={at} /> },
          {
            head: 'Rate',
            right: true,
            wide: true,
            cell: ({ attempts_per_minute: tried, delivered_per_minute: through }) =>
              tried === 0 ? <span className="text-quiet">idle</span> : `${through} of ${tried} per minute`,
          },
          { head: 'Last response', cell: (row) => <LastAnswer row={row} /> },
          {
            head: 'Actions',
            acts: true,
            cell: (row) => (
              <span className="flex flex-wrap gap-2">
                <Button onClick={() => void steer(row.destination, row.paused_at === null ? 'pause' : 'resume')}>
                  {row.paused_at === null ? 'Pause' : 'Resume'}
                </Button>
                <Button disabled={row.waiting === 0} onClick={() => void steer(row.destination, 'retry')}>
                  Retry
                </Button>
              </span>
            ),
          },
        ]}
        empty={
          search === '' ? 'No emails are waiting to be sent.' : 'No emails are waiting for a matching destination.'
        }
      />
      <Causes />
    </Page>
  )
}

/** The last responses of deferred emails to all destinations: whether one cause holds up many. Nothing while none is deferred. */
function Causes() {
  const found = useApi('/operator/queues/causes', { always: CAUSES_EVERY_MS })
  if (found.error === null && (found.data?.data.length ?? 0) === 0) return null
  return (
    <Section title="Why deferred emails wait">
      <Table
        caption="Last responses of deferred emails, to all destinations"
        rows={found.data?.data as readonly Json[] | undefined}
        error={found.error}
        keyOf={({ response }) => response ?? ''}
        columns={[
          {
            head: 'Last response',
            main: true,
            fill: true,
            cell: ({ response }) => (
              <span className="font-mono text-xs break-words" title={response ?? undefined}>
                {response ?? 'none yet'}
              </span>
            ),
          },
          { head: 'Emails', right: true, named: true, cell: ({ emails }) => figure(emails) },
          { head: 'Accounts', right: true, wide: true, cell: ({ accounts }) => figure(accounts) },
          {
            head: 'Destinations',
            named: true,
            cell: ({ destinations, top_destinations: top }) =>
              `${top.join(', ')}${destinations > top.length ? ` and ${figure(destinations - top.length)} more` : ''}`,
          },
          { head: 'Next attempt', right: true, wide: true, cell: ({ next_attempt_at: at }) => <Time at={at} /> },
        ]}
        empty="No emails are deferred."
      />
    </Section>
  )
}

function sentenceOf({ totals, data }: Json): string {
  const all: number = totals.ready + totals.leased + totals.waiting
  if (all === 0) return 'The queue is empty.'
  return `${counted(all, 'email')}: ${figure(totals.ready)} ready, ${figure(totals.leased)} in progress, ${figure(totals.waiting)} waiting or scheduled.${heldUp(data, Date.now())}`
}

function depth(row: Json) {
  const parts = (['ready', 'leased', 'waiting', 'scheduled'] as const).filter((state) => row[state] > 0)
  const all = allOf(row)
  return (
    <>
      {figure(all)}
      {parts.length > 0 && (
        <span className="block text-xs text-quiet">
          {parts.map((state) => `${figure(row[state])} ${state === 'leased' ? 'in progress' : state}`).join(', ')}
          {row.sandbox > 0 && `; ${row.sandbox === all ? 'all' : figure(row.sandbox)} sandbox`}
        </span>
      )}
    </>
  )
}

function allOf({ ready, leased, waiting, scheduled }: Json): number {
  return ready + leased + waiting + scheduled
}

function LastAnswer({ row }: { readonly row: Json }) {
  if (row.last_response === null && row.sandbox > 0 && row.sandbox === allOf(row))
    return <span className="text-quiet">none: sandbox mail goes to the inbox</span>
  if (row.last_response === null) return <span className="text-quiet">none yet</span>
  return (
    <>
      {row.last_outcome !== null && <State name={row.last_outcome} />}
      <span className="block font-mono text-xs break-words">{row.last_response}</span>
      {row.next_attempt_at !== null && (
        <span className="block text-xs text-quiet">
          next attempt <Time at={row.next_attempt_at} />
        </span>
      )}
    </>
  )
}

/** Time since or until a moment, in words; the exact time on hover. */
function Due({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="text-quiet">–</span>
  const seconds = (Date.now() - Date.parse(at)) / 1_000
  return (
    <time dateTime={at} title={`${at.replace('T', ' ').slice(0, 19)} UTC`} className="whitespace-nowrap">
      {seconds < 0 ? `in ${inWords(-seconds)}` : `${inWords(seconds)} ago`}
    </time>
  )
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

const STATES: Readonly<Record<string, string>> = { running: 'active', silent: 'missing', stopped: 'canceled' }

export function Machines() {
  const found = useApi('/operator/machines', { always: MACHINES_EVERY_MS })
  const rows: readonly Json[] | undefined = found.data?.data
  const sentence = rows === undefined ? NOT_YET : runningOn(rows, found.data?.followers ?? [])
  return (
    <Page title="Machines" sentence={sentence}>
      {rows !== undefined && <Problem error={found.error} />}
      <Table
        caption="Processes"
        rows={rows}
        error={found.error}
        columns={[
          {
            head: 'Machine',
            main: true,
            cell: ({ host, pid }) => (
              <>
                {host} <span className="text-quiet">process {pid}</span>
              </>
            ),
          },
          { head: 'Status', cell: ({ state }) => <State name={STATES[state] ?? state} word={state} /> },
          { head: 'Roles', cell: ({ roles }) => roles.join(', ') },
          { head: 'Version', named: true, cell: ({ version }) => version },
          {
            head: 'Heartbeat',
            named: true,
            cell: ({ heartbeat_age_seconds: age }) => <span className="whitespace-nowrap">{inWords(age)} ago</span>,
          },
          {
            head: 'Lag',
            right: true,
            wide: true,
            cell: ({ event_loop_delay_ms: ms }) => (
              <span title="event loop, 99th percentile" className="whitespace-nowrap">
                {ms} ms
              </span>
            ),
          },
          {
            head: 'Memory',
            right: true,
            wide: true,
            cell: ({ memory_bytes: bytes }) => `${Math.round(bytes / 1e6)} MB`,
          },
          { head: 'Started', wide: true, cell: ({ started_at: at }) => <Time at={at} /> },
        ]}
        empty="No process has reported in."
      />
      <Section title="Event log followers">
        <Table
          caption="Event log followers"
          rows={found.data?.followers as readonly Json[] | undefined}
          error={found.error}
          keyOf={({ name }) => name}
          columns={[
            { head: 'Follower', main: true, cell: ({ name }) => name },
            {
              head: 'Behind',
              right: true,
              cell: ({ lag_seconds: lag }) => (lag < 1 ? 'up to date' : inWords(lag)),
            },
          ]}
          empty="None."
        />
      </Section>
    </Page>
  )
}
