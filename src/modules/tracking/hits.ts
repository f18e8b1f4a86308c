// A hit is an event from outside: a pixel or a link was fetched, or somebody unsubscribed. It has its id before anything is
// written, so it counts once however often it is written. It carries the token's facts about the mail, since the mail itself
// may no longer be kept.

import type { Stream } from '../events/index.ts'

export type HitKind = 'open' | 'click' | 'one_click' | 'link'

/** Stored as numbers, shown as names. `one_click` (RFC 8058) and `link` (the page's form) are unsubscribes. */
export const HIT_KINDS: Readonly<Record<HitKind, number>> = { open: 0, click: 1, one_click: 2, link: 3 }

export interface Hit {
  /** UUID version 7. */
  readonly id: string
  readonly kind: HitKind
  readonly at: Date
  readonly accountId: string
  readonly emailId: string
  /** Null: the mail had none, or its token does not hold it. */
  readonly domainId: string | null
  readonly stream: Stream
  readonly sandbox: boolean
  readonly head: boolean
  /** The client says that it fetches ahead of a person, by `isPrefetch`. */
  readonly prefetch: boolean
  readonly userAgent: string
  readonly ip: string
  /** Null unless the hit is a click. */
  readonly linkIndex: number | null
  readonly url: string | null
  readonly hidden: boolean
  /** For an unsubscribe, the suppression key of the recipient; else null. */
  readonly recipient: string | null
}

/** The defaults that a journal line leaves out. */
const BARE = {
  domainId: null,
  stream: 'transactional',
  sandbox: false,
  head: false,
  prefetch: false,
  hidden: false,
  linkIndex: null,
  url: null,
  recipient: null,
} as const
const KINDS = Object.keys(HIT_KINDS) as readonly HitKind[]
/** The most bytes written together, and the most that may wait to be written, by `sizeOf`. */
export const MAX_WRITE_BYTES = 4 * 1_048_576
export const MAX_WAITING_BYTES = 64 * 1_048_576
const HIT_BYTES = 400
const MAX_USER_AGENT_CHARS = 512
const MAX_IP_CHARS = 64

export function kindOf(number: number): HitKind {
  const kind = KINDS.find((name) => HIT_KINDS[name] === number)
  if (kind === undefined) throw new Error(`a hit of unknown kind ${number}`)
  return kind
}

export function isUnsubscribe({ kind }: Pick<Hit, 'kind'>): boolean {
  return kind === 'one_click' || kind === 'link'
}

/** Cut to 512 characters, without what PostgreSQL's text cannot hold. */
export function storableAgent(userAgent: string | undefined): string {
  return (userAgent ?? '').slice(0, MAX_USER_AGENT_CHARS).replaceAll('\0', '').toWellFormed()
}

export function storableIp(ip: string): string {
  return ip.slice(0, MAX_IP_CHARS)
}

/** JSON without the defaults of `BARE`; `at` in milliseconds. Takes a third of JSON.stringify's time. */
export function journalLine(hit: Hit): string {
  const { id, kind, at, accountId, emailId, userAgent, ip, url, linkIndex, recipient } = hit
  let line = `{"id":"${id}","kind":"${kind}","at":${at.getTime()},"accountId":"${accountId}","emailId":"${emailId}","userAgent":${JSON.stringify(userAgent)},"ip":${JSON.stringify(ip)}`
  if (hit.domainId !== null) line += `,"domainId":"${hit.domainId}"`
  if (hit.stream !== BARE.stream) line += `,"stream":"${hit.stream}"`
  if (hit.sandbox) line += ',"sandbox":true'
  if (hit.head) line += ',"head":true'
  if (hit.prefetch) line += ',"prefetch":true'
  if (hit.hidden) line += ',"hidden":true'
  if (linkIndex !== null) line += `,"linkIndex":${linkIndex}`
  if (url !== null) line += `,"url":${JSON.stringify(url)}`
  if (recipient !== null) line += `,"recipient":${JSON.stringify(recipient)}`
  return `${line}}`
}

/** Reads a line of `journalLine`; the journal's checksum guarantees its form. */
export function hitOfLine(line: string): Hit {
  const hit = JSON.parse(line) as Omit<Hit, 'at'> & { readonly at: number }
  return { ...BARE, ...hit, at: new Date(hit.at) }
}

/** Approximate size of a hit in bytes. */
export function sizeOf({ url, userAgent }: Hit): number {
  return HIT_BYTES + (url?.length ?? 0) + userAgent.length
}
