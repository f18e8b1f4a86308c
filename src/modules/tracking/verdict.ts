// Was it a person? Hits by machines are kept, marked as such and given a reason (contract section 9).
//
// Proof of a machine, the first that applies: the method was HEAD; the program is a known robot; it is Apple's privacy proxy,
// which fetches every picture whether the mail is read or not; a browser says that it prefetches (Sec-Purpose of the Fetch
// standard), for a person who may never come; the hit came before the delivery; for a click, one client fetched at least three
// different links of one email, or a hidden one, within 2 s; the hit came within 2 s of the delivery. Later than that, time alone
// proves nothing, and a provider's image proxy that fetches later does so because a person opened the mail.

import type { Agent } from './clients.ts'

export type MachineReason =
  | 'apple_privacy'
  | 'proxy_prefetch'
  | 'link_scanner'
  | 'known_bot'
  | 'head_request'
  | 'before_delivery'

export interface Fetched {
  readonly kind: 'open' | 'click'
  readonly at: Date
  readonly head: boolean
  readonly prefetch: boolean
  readonly agent: Agent
}

/** A click on any link of an email. */
export interface ClickNear {
  /** In milliseconds since 1970. */
  readonly atMs: number
  readonly linkIndex: number
  readonly hidden: boolean
}

/** First and last time, in milliseconds since 1970. */
export type Stretch = readonly [fromMs: number, untilMs: number]

/** Minimum age of a click before it can be judged. */
export const WINDOW_MS = 2_000
const SCANNED_LINKS = 3

/**
 * @param deliveredAt null when the email has not been delivered
 * @param scans for a click: the times at which its client followed the links of the email, from `scansIn`
 * @returns null when nothing indicates a machine
 */
export function verdict(
  { kind, at, head, prefetch, agent }: Fetched,
  deliveredAt: Date | null,
  scans: readonly Stretch[],
): MachineReason | null {
  if (head) return 'head_request'
  if (agent === 'bot') return 'known_bot'
  if (agent === 'apple') return 'apple_privacy'
  if (prefetch) return 'proxy_prefetch'
  if (deliveredAt === null || at < deliveredAt) return 'before_delivery'
  const ms = at.getTime()
  if (kind === 'click' && scans.some(([from, until]) => from <= ms && ms <= until)) return 'link_scanner'
  if (ms - deliveredAt.getTime() < WINDOW_MS) return kind === 'click' ? 'link_scanner' : 'proxy_prefetch'
  return null
}

/**
 * All periods of 2 s that begin with a click and contain three different links or a hidden one; overlapping periods are merged.
 * Takes one pass, however many clicks there are: a client that hammers a link must not delay the judge.
 *
 * @param clicks of one client on one email, in order of time
 */
export function scansIn(clicks: readonly ClickNear[]): readonly Stretch[] {
  const found: [number, number][] = []
  /** Facts of the clicks from the i-th up to `next`, the first one outside. */
  const links = new Map<number, number>()
  let hidden = 0
  let next = 0
  const count = (click: ClickNear, by: 1 | -1): void => {
    const left = (links.get(click.linkIndex) ?? 0) + by
    if (left === 0) links.delete(click.linkIndex)
    else links.set(click.linkIndex, left)
    if (click.hidden) hidden += by
  }
  for (const click of clicks) {
    const untilMs = click.atMs + WINDOW_MS
    for (let one = clicks[next]; one !== undefined && one.atMs <= untilMs; one = clicks[++next]) count(one, 1)
    if (links.size >= SCANNED_LINKS || hidden > 0) {
      const last = found.at(-1)
      if (last !== undefined && click.atMs <= last[1]) last[1] = untilMs
      else found.push([click.atMs, untilMs])
    }
    count(click, -1)
  }
  return found
}
