// The destinations of navigation, used by the side column, the `g` shortcuts and the palette.

import { includesScope, type Scope } from '../api/permissions.tsx'

export interface Place {
  readonly path: string
  readonly name: string
  /** Pressed after `g`. */
  readonly key?: string
  /** Scope without which the page is empty. */
  readonly needs?: Scope
}

export interface Group {
  /** Empty for no heading. */
  readonly title: string
  readonly places: readonly Place[]
}

const GROUPS: readonly Group[] = [
  { title: '', places: [{ path: '/', name: 'Overview', key: 'o' }] },
  {
    title: 'Send',
    places: [
      { path: '/emails', name: 'Emails', key: 'e' },
      { path: '/events', name: 'Events', key: 'x' },
      { path: '/inbox', name: 'Inbox', key: 'i' },
      { path: '/templates', name: 'Templates', key: 't' },
      { path: '/contacts', name: 'Contacts', key: 'c' },
    ],
  },
  {
    title: 'Reputation',
    places: [
      { path: '/domains', name: 'Domains', key: 'd' },
      { path: '/tracking-domains', name: 'Tracking domains', key: 'l' },
      { path: '/health', name: 'Health', key: 'h' },
      { path: '/suppressions', name: 'Suppressions', key: 's' },
      { path: '/unsubscribes', name: 'Unsubscribes', key: 'u' },
      { path: '/bounces', name: 'Bounces', key: 'b' },
    ],
  },
  {
    title: 'Check',
    places: [
      { path: '/validation', name: 'Validation', key: 'v', needs: 'validation' },
      { path: '/risk', name: 'Content and risk', key: 'r', needs: 'content' },
    ],
  },
  {
    title: 'Build',
    places: [
      { path: '/webhooks', name: 'Webhooks', key: 'w' },
      { path: '/keys', name: 'API keys', key: 'k', needs: 'api_keys:read' },
      { path: '/smtp', name: 'SMTP', key: 'm', needs: 'smtp:read' },
      { path: '/usage', name: 'Usage', key: 'g' },
    ],
  },
  { title: '', places: [{ path: '/settings', name: 'Settings', key: ',' }] },
]

const OPERATOR: Group = {
  title: 'Operator',
  places: [
    { path: '/operator/queues', name: 'Queues', key: 'q' },
    { path: '/operator/accounts', name: 'Accounts', key: 'a' },
    { path: '/operator/machines', name: 'Machines', key: 'n' },
    { path: '/operator/plans', name: 'Plans', key: 'p' },
    { path: '/operator/log', name: 'Audit log', key: 'y' },
  ],
}

/** The person as returned by `GET /session`. */
export interface Person {
  readonly user: { readonly operator: boolean }
  readonly scopes: readonly string[]
}

export function groupsFor({ user, scopes }: Person): readonly Group[] {
  const groups = GROUPS.map(({ title, places }) => ({
    title,
    places: places.filter(({ needs }) => includesScope(scopes, needs)),
  }))
  return [...groups.filter(({ places }) => places.length > 0), ...(user.operator ? [OPERATOR] : [])]
}

export interface Closed {
  readonly title: string
  /** For whom: a role of this account, or all except operators. */
  readonly to: 'role' | 'others'
}

/** @returns the page at a path that a person may not see; null when they may, or when there is no page */
export function closedTo({ user, scopes }: Person, path: string): Closed | null {
  const isAt = ({ path: of }: Place): boolean => path === of || (of !== '/' && path.startsWith(`${of}/`))
  const operators = OPERATOR.places.find(isAt)
  if (operators !== undefined) return user.operator ? null : { title: operators.name, to: 'others' }
  const place = GROUPS.flatMap(({ places }) => places).find(isAt)
  return place === undefined || includesScope(scopes, place.needs) ? null : { title: place.name, to: 'role' }
}

export function placesFor(person: Person): readonly Place[] {
  return groupsFor(person).flatMap(({ places }) => places)
}
