// What an endpoint is told of: which events, and those of which domains.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from './api.ts'
import { EVENTS } from './kinds.ts'
import { say } from './say.tsx'
import { Ticks } from './ticks.tsx'
import { Button, Choice, Problem } from './ui.tsx'

const PATH = '/customer/webhooks'
const ALL = 'all'
const SOME = 'some'

export function Hears({ hook }: { readonly hook: Json }) {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const [events, setEvents] = useState(() => partOf(hook.events.includes('*') ? [] : hook.events))
  const [of, setOf] = useState(() => partOf(hook.domain_ids ?? []))
  const [error, setError] = useState<unknown>(null)
  // No domain at all would be all of them.
  const lacks = [events, of].some(({ which, some }) => which === SOME && some.length === 0)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      await call('PUT', `${PATH}/${hook.id}`, {
        events: events.which === ALL ? ['*'] : events.some,
        domain_ids: of.which === ALL ? null : of.some,
      })
      say('Kept: for what happens from now on.')
      await refresh(PATH)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <Choice
        label="Events"
        value={events.which}
        onChange={(which) => setEvents({ ...events, which })}
        options={[
          [ALL, 'all'],
          [SOME, 'these'],
        ]}
      />
      {events.which === SOME && (
        <Ticks
          legend="Told of"
          options={EVENTS}
          chosen={events.some}
          onChange={(some) => setEvents({ ...events, some })}
        />
      )}
      <Choice
        label="Domains"
        value={of.which}
        onChange={(which) => setOf({ ...of, which })}
        options={[
          [ALL, 'all, and what belongs to none'],
          [SOME, 'these'],
        ]}
      />
      {of.which === SOME && (
        <Ticks
          legend="Of mail from"
          options={domains.map(({ id, domain }) => [id, domain])}
          chosen={of.some}
          onChange={(some) => setOf({ ...of, some })}
        />
      )}
      <Button type="submit" disabled={lacks}>
        Save
      </Button>
      <Problem error={error} />
    </form>
  )
}

interface Part {
  readonly which: string
  /** Kept while all are chosen, to come back to. */
  readonly some: readonly string[]
}

function partOf(some: readonly string[]): Part {
  return { which: some.length === 0 ? ALL : SOME, some }
}
