// Settings of a sending domain that override the account's: what is tracked, and the host name of links.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh, useApi } from '../api/api.ts'
import { EditableIfPermitted } from '../api/permissions.tsx'
import { announce } from '../ui/announcements.tsx'
import { Button, Choice, Problem } from '../ui/ui.tsx'

/** Fields of an account and its domains, with the labels of their switches. */
export const TRACKING_SWITCHES: readonly (readonly [field: string, label: string])[] = [
  ['tracking_enabled', 'Track engagement'],
  ['open_tracking_enabled', 'Track opens'],
  ['click_tracking_enabled', 'Track clicks'],
  ['unsubscribe_header_enabled', 'Unsubscribe header in every email'],
]

const WORDS: Readonly<Record<string, string>> = { true: 'on', false: 'off' }
/** Value of the choice that is null in the API. */
const NONE = ''

export function TrackingSettings({ domain }: { readonly domain: Json }) {
  const account = useApi('/customer/profile').data?.data
  const names: readonly Json[] = useApi('/customer/tracking-domains').data?.data ?? []
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const kept = (field: string): string => String(domain[field] ?? NONE)
  const value = (field: string): string => chosen[field] ?? kept(field)
  const changed = Object.entries(chosen).filter(([field, one]) => one !== kept(field))
  const set = (field: string) => (one: string) => setChosen({ ...chosen, [field]: one })
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      await call('PATCH', `/customer/domains/${domain.id}`, Object.fromEntries(changed.map(asSent)))
      await refresh('/customer/domains')
      // A choice made meanwhile is kept.
      const sent = Object.fromEntries(changed)
      setChosen((so) => Object.fromEntries(Object.entries(so).filter(([field, one]) => sent[field] !== one)))
      announce('Saved. Applies to emails accepted from now on.')
    } catch (problem) {
      setError(problem)
    }
  }
  const inherited = (field: string): string => (account === undefined ? '' : ` (${WORDS[String(account[field])]})`)
  return (
    <form onSubmit={(event) => void save(event)}>
      <EditableIfPermitted scope="domains:write">
        <div className="flex flex-wrap items-end gap-3">
          {TRACKING_SWITCHES.map(([field, label]) => (
            <Choice
              key={field}
              label={label}
              value={value(field)}
              onChange={set(field)}
              options={[
                [NONE, `account default${inherited(field)}`],
                ['true', 'on'],
                ['false', 'off'],
              ]}
            />
          ))}
          <Choice
            label="Tracking domain"
            value={value('tracking_domain_id')}
            onChange={set('tracking_domain_id')}
            options={[
              [NONE, 'none: use the address of this installation'],
              ...names.map(({ id, domain: name, is_verified: verified }): readonly [string, string] => [
                id,
                verified ? name : `${name} (not verified yet)`,
              ]),
            ]}
          />
          <Button type="submit" disabled={changed.length === 0}>
            Save
          </Button>
        </div>
        <p className="mt-2 max-w-[70ch] text-quiet">
          Opens and clicks are tracked when engagement tracking and their own switch are both on. A send can override
          this for one email.
        </p>
        <Problem error={error} />
      </EditableIfPermitted>
    </form>
  )
}

function asSent([field, one]: readonly [field: string, one: string]): [string, boolean | string | null] {
  if (one === NONE) return [field, null]
  return [field, field === 'tracking_domain_id' ? one : one === 'true']
}
