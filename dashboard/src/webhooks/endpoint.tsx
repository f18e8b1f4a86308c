// Settings of a webhook endpoint: URL, name, events and domains.

import { besides, faultOf, type Json, useApi } from '../api/api.ts'
import { EditableIfPermitted } from '../api/permissions.tsx'
import { AllOrSome, type Part, partOf } from '../ui/all-or-some.tsx'
import { useEdited } from '../ui/edited-form.ts'
import { Button, Field, Problem } from '../ui/ui.tsx'
import { Unsaved } from '../ui/unsaved.tsx'
import { EVENTS } from './event-types.ts'

interface Typed {
  readonly name: string
  readonly url: string
  readonly events: Part
  readonly of: Part
}

function typedOf(hook: Json): Typed {
  return {
    name: hook.name,
    url: hook.url,
    events: partOf(hook.events.includes('*') ? [] : hook.events),
    of: partOf(hook.domain_ids ?? []),
  }
}

/** As expected by the API. */
function fieldsOf({ name, url, events, of }: Typed) {
  return {
    name: name.trim(),
    url: url.trim(),
    events: events.all ? ['*'] : events.some,
    domain_ids: of.all ? null : of.some,
  }
}

export function WebhookEndpoint({ hook }: { readonly hook: Json }) {
  const domains: readonly Json[] = useApi('/customer/domains').data?.data ?? []
  const { kept, typed, setTyped, error, save, waits } = useEdited(hook, {
    path: '/customer/webhooks',
    method: 'PUT',
    typedOf,
    fieldsOf,
    told: 'Saved. Applies to events from now on.',
  })
  const { events, of } = typed
  // An empty list would mean all domains.
  const lacks = [events, of].some(({ all, some }) => !all && some.length === 0)
  return (
    <form onSubmit={(event) => void save(event)} className="flex flex-wrap items-end gap-3">
      <EditableIfPermitted scope="webhooks:write">
        <Unsaved waits={() => waits} />
        <div className="grid basis-full items-start gap-3 md:grid-cols-[18rem_1fr]">
          <Field
            label="Name"
            // An endpoint without a name may stay without one.
            required={kept.name !== ''}
            value={typed.name}
            onChange={(name) => setTyped({ ...typed, name })}
            fault={faultOf(error, 'name')}
          />
          <Field
            label="URL"
            type="url"
            required
            value={typed.url}
            onChange={(url) => setTyped({ ...typed, url })}
            hint="Starts with https://, and must be reachable from this server."
            fault={faultOf(error, 'url')}
          />
        </div>
        <AllOrSome
          label="Events"
          words={['all', 'selected']}
          legend="Events to send"
          options={EVENTS}
          part={events}
          onChange={(part) => setTyped({ ...typed, events: part })}
        />
        <AllOrSome
          label="Domains"
          words={['all, and events without a domain', 'selected']}
          legend="Emails from"
          options={domains.map(({ id, domain }) => [id, domain])}
          part={of}
          onChange={(part) => setTyped({ ...typed, of: part })}
        />
        <Button type="submit" disabled={!waits || lacks}>
          Save
        </Button>
        <div className="basis-full">
          <Problem error={besides(error, ['name', 'url'])} />
        </div>
      </EditableIfPermitted>
    </form>
  )
}
