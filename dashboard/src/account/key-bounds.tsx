// Limits of a key: scopes, sending domains, allowed networks and expiry. Chosen on creation and changeable later.

import { faultOf, type Json, useApi } from '../api/api.ts'
import { AllOrSome, type Part, partOf } from '../ui/all-or-some.tsx'
import { DateTimeInput, localOf, momentOf } from '../ui/date-time-input.tsx'
import { Field } from '../ui/ui.tsx'

const ROOMS = ['emails', 'domains', 'tracking_domains', 'webhooks', 'suppressions', 'unsubscribes', 'contacts']
const MORE_ROOMS = ['templates', 'api_keys', 'smtp', 'profile', 'bounces']
/** The scopes other than `full`. */
const SCOPES: readonly (readonly [scope: string, name: string])[] = [
  ['send', 'send email'],
  ['stats:read', 'read statistics and events'],
  ['validation', 'validate addresses'],
  ['risk', 'preview risk'],
  ['content', 'score content'],
  ...[...ROOMS, ...MORE_ROOMS].flatMap((room) =>
    ['read', 'write'].map((verb) => [`${room}:${verb}`, `${verb} ${room.replace('_', ' ')}`] as const),
  ),
]

export interface Bounds {
  readonly may: Part
  readonly domains: Part
  /** Addresses and networks, separated by spaces or commas. */
  readonly networks: string
  /** In the viewer's time zone; empty for never. */
  readonly ends: string
}

export const UNBOUND: Bounds = { may: { all: true, some: ['send'] }, domains: partOf([]), networks: '', ends: '' }

/** The key's fields whose faults are shown here. */
export const BOUND_FIELDS = ['scopes', 'domain_ids', 'allowed_ips', 'expires_at']

export function boundsOf(key: Json): Bounds {
  return {
    may: key.scopes.includes('full') ? UNBOUND.may : partOf(key.scopes),
    domains: partOf(key.domain_ids ?? []),
    networks: key.allowed_ips.join(' '),
    ends: localOf(key.expires_at),
  }
}

/** As expected by the API. */
export function fieldsOf({ may, domains, networks, ends }: Bounds) {
  return {
    scopes: may.all ? ['full'] : may.some,
    domain_ids: domains.all ? null : domains.some,
    allowed_ips: networks.split(/[\s,]+/).filter((network) => network !== ''),
    expires_at: momentOf(ends),
  }
}

/** Whether domains were to be chosen and none is: an empty list would mean all domains. */
export function lacksChoice({ may, domains }: Bounds): boolean {
  return [may, domains].some(({ all, some }) => !all && some.length === 0)
}

export function KeyBounds({
  bounds,
  onChange,
  error,
}: {
  readonly bounds: Bounds
  readonly onChange: (bounds: Bounds) => void
  /** The API's faults of these fields. */
  readonly error: unknown
}) {
  const found = useApi('/customer/domains')
  const domains: readonly Json[] = found.data?.data ?? []
  const gone = found.data === undefined ? [] : bounds.domains.some.filter((id) => domains.every((one) => one.id !== id))
  return (
    <>
      <AllOrSome
        label="Permissions"
        words={['full access', 'selected only']}
        legend="Selected permissions"
        options={SCOPES}
        part={bounds.may}
        onChange={(may) => onChange({ ...bounds, may })}
      />
      <AllOrSome
        label="Domains"
        words={['all domains', 'selected only']}
        legend="Selected domains"
        options={[
          ...domains.map(({ id, domain }) => [id, domain] as const),
          ...gone.map((id) => [id, 'removed domain'] as const),
        ]}
        part={bounds.domains}
        onChange={(of) => onChange({ ...bounds, domains: of })}
      />
      <div className="grid basis-full gap-3 md:grid-cols-[1fr_20rem]">
        <Field
          label="Allowed IP addresses"
          mono
          value={bounds.networks}
          onChange={(networks) => onChange({ ...bounds, networks })}
          hint="Such as 192.0.2.0/24 2001:db8::1, separated by spaces. Leave empty to allow any."
          fault={faultOf(error, 'allowed_ips')}
        />
        <DateTimeInput
          label="Expires"
          value={bounds.ends}
          onChange={(ends) => onChange({ ...bounds, ends })}
          hint="Leave empty to keep it valid until revoked."
          fault={faultOf(error, 'expires_at')}
        />
      </div>
    </>
  )
}
