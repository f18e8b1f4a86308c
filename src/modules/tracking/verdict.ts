// Was it a person? Machines that fetch pixels and links are kept, marked and told apart by a reason (contract section 9).
//
// What proves a machine, the first that holds: the method was HEAD; the program is a known robot; Apple's privacy proxy,
// which fetches every picture whether or not the mail is read; a browser that says it fetches ahead of a person, who may
// never come (Sec-Purpose of the Fetch standard); it came before the mail was delivered; of a click: at
// least three different links of one mail, or one that nobody can see, fetched within 2 s by one client; it came within
// 2 s of the delivery. A time alone proves nothing later than that, and an image proxy of a provider that fetches later
// does so because a person opened the mail.

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
export type Stretch = readonly [fromMs: number, untilMs: number]

/** How long a click must have lain before it can be judged. */
export const WINDOW_MS = 2_000
const SCANNED_LINKS = 3

/**
 * @param deliveredAt null: the mail has not been delivered
 * @param scans of a click: when its client went through the links of the mail, by `scansIn`
 * @returns null: nothing speaks against a person
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
 * All stretches of 2 s that begin with a click and hold three different links or a hidden one, those that meet as one. In one
 * walk over them, however many they are: whoever hammers at a link must not hold up the judge.
 *
 * @param clicks of one client on one mail, in the order of their times
 */
export function scansIn(clicks: readonly ClickNear[]): readonly Stretch[] {
  const found: [number, number][] = []
  /** Of the clicks from the i-th to before `next`, which is the first outside. */
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
