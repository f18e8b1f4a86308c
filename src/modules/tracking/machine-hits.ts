// Was it a person? Hits by machines are kept, marked, and distinguished by a reason (contract section 9).
//
// A hit is a machine's when one of these holds; the first gives the reason:
//
//   - the method is HEAD
//   - the program is a known robot
//   - it is Apple's privacy proxy, which fetches every picture whether or not the mail is read
//   - the browser says that it fetches ahead of a person, who may never come (Sec-Purpose of the Fetch standard)
//   - it came before the mail was delivered
//   - it is a click, and one client fetched three or more different links of the mail, or a hidden one, within 2 s
//   - it came within 2 s of the delivery
//
// Later than that, time alone proves nothing: a provider's image proxy then fetches because a person opened the mail.

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

/** A click on any link of a mail. */
export interface ClickNear {
  /** In milliseconds since 1970. */
  readonly atMs: number
  readonly linkIndex: number
  readonly hidden: boolean
}

/** First and last moment, in milliseconds since 1970. */
export type Period = readonly [fromMs: number, untilMs: number]

/** Length of a scan, longest gap to the delivery that marks a machine, and least age of a hit to be judged, in ms. */
export const WINDOW_MS = 2_000
const SCANNED_LINKS = 3

/**
 * @param deliveredAt null: the mail has not been delivered
 * @param scans for a click: when its client scanned the links of the mail, from `linkScansIn`
 * @returns null: a person
 */
export function machineReasonOf(
  { kind, at, head, prefetch, agent }: Fetched,
  deliveredAt: Date | null,
  scans: readonly Period[],
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
 * All stretches of 2 s that begin with a click and hold three different links or a hidden one; stretches that meet are merged.
 * A single pass, since a client that hammers at a link must not hold up the judge.
 *
 * @param clicks of one client on one mail, in order of time
 */
export function linkScansIn(clicks: readonly ClickNear[]): readonly Period[] {
  const found: [number, number][] = []
  /** Clicks per link, from the current click up to `next`, the first one outside its stretch. */
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
