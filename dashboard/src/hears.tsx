// What an endpoint is told of: which events, and those of which domains.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from './api.ts'
import { EVENTS } from './kinds.ts'
import { say } from './say.tsx'
import { AllOrSome, partOf } from './ticks.tsx'
import { Button, Problem } from './ui.tsx'

const PATH = '/customer/webhooks'

export function Hears({ hook }: { readonly hook: Json }) {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const [events, setEvents] = useState(() => partOf(hook.events.includes('*') ? [] : hook.events))
  const [of, setOf] = useState(() => partOf(hook.domain_ids ?? []))
  const [error, setError] = useState<unknown>(null)
  // No domain at all would be all of them.
  const lacks = [events, of].some(({ all, some }) => !all && some.length === 0)
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      await call('PUT', `${PATH}/${hook.id}`, {
        events: events.all ? ['*'] : events.some,
        domain_ids: of.all ? null : of.some,
      })
      say('Kept: for what happens from now on.')
      await refresh(PATH)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <AllOrSome
        label="Events"
        words={['all', 'these']}
        legend="Told of"
        options={EVENTS}
        part={events}
        onChange={setEvents}
      />
      <AllOrSome
        label="Domains"
        words={['all, and what belongs to none', 'these']}
        legend="Of mail from"
        options={domains.map(({ id, domain }) => [id, domain])}
        part={of}
        onChange={setOf}
      />
      <Button type="submit" disabled={lacks}>
        Save
      </Button>
      <Problem error={error} />
    </form>
  )
}
