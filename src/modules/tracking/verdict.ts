// Was it a person? Machines that fetch pixels and links are kept, marked and told apart by a reason (contract section 9).
//
// What proves a machine, the first that holds: the method was HEAD; the program is a known robot; Apple's privacy proxy,
// which fetches every picture whether or not the mail is read; it came before the mail was delivered; of a click: at
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
  readonly agent: Agent
  /** Address and program: what tells one client from another. */
  readonly clientKey: string
}

/** A click on any link of the same mail. */
export interface ClickNear {
  readonly at: Date
  readonly linkIndex: number
  readonly hidden: boolean
  readonly clientKey: string
}

/** How long a click must have lain before it can be judged. */
export const WINDOW_MS = 2_000
const SCANNED_LINKS = 3

/**
 * @param deliveredAt null: the mail has not been delivered
 * @param clicks all clicks of the mail within 2 s before and after a click, itself included
 * @returns null: nothing speaks against a person
 */
export function verdict(
  { kind, at, head, agent, clientKey }: Fetched,
  deliveredAt: Date | null,
  clicks: readonly ClickNear[],
): MachineReason | null {
  if (head) return 'head_request'
  if (agent === 'bot') return 'known_bot'
  if (agent === 'apple') return 'apple_privacy'
  if (deliveredAt === null || at < deliveredAt) return 'before_delivery'
  if (
    kind === 'click' &&
    scanned(
      clicks.filter((click) => click.clientKey === clientKey),
      at,
    )
  )
    return 'link_scanner'
  if (at.getTime() - deliveredAt.getTime() < WINDOW_MS) return kind === 'click' ? 'link_scanner' : 'proxy_prefetch'
  return null
}

/** Some stretch of 2 s that holds the click also holds three different links or a hidden one. */
function scanned(clicks: readonly ClickNear[], at: Date): boolean {
  const sorted = clicks.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const own = at.getTime()
  return sorted.some(({ at: first }) => {
    const from = first.getTime()
    if (from > own || own - from > WINDOW_MS) return false
    const together = sorted.filter((click) => click.at.getTime() >= from && click.at.getTime() - from <= WINDOW_MS)
    return (
      together.some(({ hidden }) => hidden) || new Set(together.map(({ linkIndex }) => linkIndex)).size >= SCANNED_LINKS
    )
  })
}
