// Counts the emails that are in the process, from their claim to their record, and the bytes of their contents.

import type { Membership } from './membership.ts'

export interface HeldEmails {
  readonly count: number
  readonly bytes: number
  /** `count` more rows were claimed under `epoch`. */
  add(epoch: number, count: number): void
  /** They were recorded or handed back; each once. */
  remove(epoch: number, count: number): void
  /** @param change bytes of a content that is now in memory; negative when it is no longer */
  countBytes(change: number): void
  /** Resolves when no email is in the process. */
  idle(): Promise<void>
}

export function heldEmails(node: Pick<Membership, 'count'>): HeldEmails {
  const waiting = new Set<() => void>()
  let count = 0
  let bytes = 0
  return {
    get count() {
      return count
    },
    get bytes() {
      return bytes
    },
    add: (epoch, more) => {
      count += more
      node.count(epoch, more)
    },
    remove: (epoch, less) => {
      count -= less
      node.count(epoch, -less)
      if (count > 0) return
      for (const resolve of waiting) resolve()
      waiting.clear()
    },
    countBytes: (change) => {
      bytes += change
    },
    idle: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
  }
}
