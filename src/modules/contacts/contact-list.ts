// Contacts from a file: the service's own export or another service's. A row that is not a subscriber there is not imported
// as one. The dashboard uses this in the browser too: it imports no values except from platform/csv.ts.

import { textsOfCell } from '../../platform/csv.ts'

/** A row, with its fields by heading. */
export interface ListedContact {
  readonly email: string
  /** The other columns by their headings, in lower case. */
  readonly fields: Readonly<Record<string, string>>
}

const FIRST_NAMES = [
  ...['first name', 'first_name', 'firstname', 'given name'],
  ...['vorname', 'prénom', 'prenom', 'nombre', 'nome', 'voornaam'],
]
const LAST_NAMES = [
  ...['last name', 'last_name', 'lastname', 'surname', 'family name'],
  ...['nachname', 'familienname', 'nom', 'nom de famille', 'apellidos', 'apellido', 'cognome', 'achternaam'],
]
const STATUSES = ['status', 'subscription status', 'subscription_status', 'subscriber status', 'email status']
const OWN_LEFT = 'unsubscribed_at'
/** Since when somebody subscribes; the first that is given counts. The service's own export has these beside `unsubscribed_at`. */
const SINCE = ['confirmed_at', 'created_at']
/** Time of leaving, as some services export it. */
const LEFT = ['unsub_time', OWN_LEFT, 'clean_time', 'cleaned_at', 'bounced_at', 'complained_at']
/** As the export writes a time. Two of these are in order as texts are; those of other services may not even be readable. */
const OWN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SUBSCRIBED = ['', 'subscribed', 'confirmed', 'active']

/** The headings that are read, besides the address. */
export const CONTACT_COLUMNS: readonly string[] = [
  ...['name', ...FIRST_NAMES, ...LAST_NAMES, 'source', 'tags', ...STATUSES, ...LEFT],
  ...['source_url', 'consent_text', 'consent_at', ...SINCE],
]

/** @returns why the row is not imported; null for a subscriber */
export function contactRefusal({ fields }: Pick<ListedContact, 'fields'>): string | null {
  const status = STATUSES.map((name) => fields[name] ?? '').find((word) => !SUBSCRIBED.includes(word.toLowerCase()))
  const left = LEFT.find((name) => (fields[name] ?? '') !== '' && !(name === OWN_LEFT && hasReturned(fields)))
  if (status === undefined && left === undefined) return null
  const what = status === undefined ? `${left} has a time` : `the status is "${status}"`
  return `${what}, which is no subscriber. Who unsubscribed can be imported on the page of unsubscribes, who bounced or complained on that of suppressions.`
}

/** The person has subscribed since they left. */
function hasReturned(fields: ListedContact['fields']): boolean {
  const left = fields[OWN_LEFT] ?? ''
  const since = SINCE.map((name) => fields[name] ?? '').find(Boolean) ?? ''
  return OWN_TIME.test(left) && OWN_TIME.test(since) && since > left
}

/** The API body for a row. */
export function contactOf({ email, fields }: ListedContact): object {
  const one = (names: readonly string[]): string => names.map((name) => fields[name] ?? '').find(Boolean) ?? ''
  // With a «Vorname» column and no last-name column, «Name» is the family name.
  const apart = 'vorname' in fields && !LAST_NAMES.some((heading) => heading in fields)
  const name = (apart ? '' : one(['name'])) || `${one(FIRST_NAMES)} ${one(apart ? ['name'] : LAST_NAMES)}`.trim()
  const consent = {
    source_url: one(['source_url']),
    consent_text: one(['consent_text']),
    timestamp: one(['consent_at']),
  }
  const given = Object.entries(consent).filter(([, value]) => value !== '')
  return {
    email,
    name: name || null,
    source: one(['source']) || 'import',
    tags: textsOfCell(one(['tags'])),
    ...(given.length > 0 && { consent: Object.fromEntries(given) }),
  }
}
