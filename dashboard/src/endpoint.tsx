// An endpoint as it is set: where it is, what it is called, which events it is told of, and those of which domains.

import { type FormEvent, useState } from 'react'
import { besides, call, faultOf, type Json, refresh, useApi } from './api.ts'
import { changedIn } from './changes.ts'
import { EVENTS } from './kinds.ts'
import { say } from './say.tsx'
import { AllOrSome, type Part, partOf } from './ticks.tsx'
import { Button, Field, Problem } from './ui.tsx'
import { Unsaved } from './unsaved.tsx'

const PATH = '/customer/webhooks'

interface Set {
  readonly name: string
  readonly url: string
  readonly events: Part
  readonly of: Part
}

function setOf(hook: Json): Set {
  return {
    name: hook.name,
    url: hook.url,
    events: partOf(hook.events.includes('*') ? [] : hook.events),
    of: partOf(hook.domain_ids ?? []),
  }
}

/** As the API takes it. */
function fieldsOf({ name, url, events, of }: Set) {
  return {
    name: name.trim(),
    url: url.trim(),
    events: events.all ? ['*'] : events.some,
    domain_ids: of.all ? null : of.some,
  }
}

export function Endpoint({ hook }: { readonly hook: Json }) {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  // As it was when it was read here: what somebody else set meanwhile is no change of this form.
  const [kept, setKept] = useState(hook)
  const [set, setSet] = useState(() => setOf(hook))
  const [error, setError] = useState<unknown>(null)
  const { events, of } = set
  // No domain at all would be all of them.
  const lacks = [events, of].some(({ all, some }) => !all && some.length === 0)
  const changes = changedIn(fieldsOf(setOf(kept)), fieldsOf(set))
  const waits = Object.keys(changes).length > 0
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { data } = await call('PUT', `${PATH}/${hook.id}`, changes)
      setKept(data)
      setSet(setOf(data))
      say('Kept: for what happens from now on.')
      await refresh(PATH)
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <Unsaved waits={() => waits} />
      <div className="grid basis-full items-start gap-3 md:grid-cols-[18rem_1fr]">
        <Field
          label="Name"
          // One that came without a name may stay so.
          required={kept.name !== ''}
          value={set.name}
          onChange={(name) => setSet({ ...set, name })}
          fault={faultOf(error, 'name')}
        />
        <Field
          label="Address"
          type="url"
          required
          value={set.url}
          onChange={(url) => setSet({ ...set, url })}
          hint="With https://, of a server that this one can reach."
          fault={faultOf(error, 'url')}
        />
      </div>
      <AllOrSome
        label="Events"
        words={['all', 'these']}
        legend="Told of"
        options={EVENTS}
        part={events}
        onChange={(part) => setSet({ ...set, events: part })}
      />
      <AllOrSome
        label="Domains"
        words={['all, and what belongs to none', 'these']}
        legend="Of mail from"
        options={domains.map(({ id, domain }) => [id, domain])}
        part={of}
        onChange={(part) => setSet({ ...set, of: part })}
      />
      <Button type="submit" disabled={!waits || lacks}>
        Save
      </Button>
      <div className="basis-full">
        <Problem error={besides(error, ['name', 'url'])} />
      </div>
    </form>
  )
}
