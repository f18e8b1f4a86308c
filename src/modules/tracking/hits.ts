// A hit is a request from outside: a pixel or link was fetched, or somebody unsubscribed. Its id is chosen before anything is
// written, so that it counts once, however often it is written. It contains the token's facts about the email, since the email
// itself may no longer be kept.

import type { Stream } from '../events/index.ts'

export type HitKind = 'open' | 'click' | 'one_click' | 'link'

/** Numbers are stored, names are shown. `one_click` (RFC 8058) and `link` (the page's form) are unsubscribes. */
export const HIT_KINDS: Readonly<Record<HitKind, number>> = { open: 0, click: 1, one_click: 2, link: 3 }

export interface Hit {
  /** UUID version 7. */
  readonly id: string
  readonly kind: HitKind
  readonly at: Date
  readonly accountId: string
  readonly emailId: string
  /** Null when the email had none or its token does not contain it. */
  readonly domainId: string | null
  readonly stream: Stream
  readonly sandbox: boolean
  readonly head: boolean
  /** Whether the client says that it prefetches (`isPrefetch`). */
  readonly prefetch: boolean
  readonly userAgent: string
  readonly ip: string
  /** For a click; otherwise null. */
  readonly linkIndex: number | null
  readonly url: string | null
  readonly hidden: boolean
  /** For an unsubscribe, the recipient's suppression key; otherwise null. */
  readonly recipient: string | null
}

/** Values that a journal line omits. */
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
/** Limits of what is written together and of what may wait for it, by `sizeOf`. */
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

/** The text as PostgreSQL can store it, within the limits of a hit. */
export function storableAgent(userAgent: string | undefined): string {
  return (userAgent ?? '').slice(0, MAX_USER_AGENT_CHARS).replaceAll('\0', '').toWellFormed()
}

export function storableIp(ip: string): string {
  return ip.slice(0, MAX_IP_CHARS)
}

/** JSON without the values equal to `BARE`, in a third of the time of JSON.stringify. Times are in milliseconds. */
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

/** Approximate size in bytes. */
export function sizeOf({ url, userAgent }: Hit): number {
  return HIT_BYTES + (url?.length ?? 0) + userAgent.length
}
