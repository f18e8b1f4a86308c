// Where one can go: the column at the side, the `g` keys and the palette all read it here.

export interface Place {
  readonly path: string
  readonly name: string
  /** Pressed after `g`. */
  readonly key?: string
}

export interface Group {
  /** Empty: without a heading. */
  readonly title: string
  readonly places: readonly Place[]
}

export const GROUPS: readonly Group[] = [
  { title: '', places: [{ path: '/', name: 'Overview', key: 'o' }] },
  {
    title: 'Send',
    places: [
      { path: '/emails', name: 'Emails', key: 'e' },
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
      { path: '/validation', name: 'Validation', key: 'v' },
      { path: '/risk', name: 'Content and risk', key: 'r' },
    ],
  },
  {
    title: 'Build',
    places: [
      { path: '/webhooks', name: 'Webhooks', key: 'w' },
      { path: '/keys', name: 'API keys', key: 'k' },
      { path: '/smtp', name: 'SMTP', key: 'm' },
      { path: '/usage', name: 'Usage', key: 'g' },
    ],
  },
  { title: '', places: [{ path: '/settings', name: 'Settings', key: ',' }] },
]

export const PLACES: readonly Place[] = GROUPS.flatMap(({ places }) => places)
