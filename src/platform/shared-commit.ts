// A group commit (group-commit.ts) for ten thousands of items a second: all items of a group share one promise, and none gets
// a result of its own.

export interface SharedCommitOptions<Item, Together> {
  /** Makes the collection that gathers a group. */
  readonly begin: () => Together
  readonly gather: (together: Together, item: Item) => void
  /** Writes a group. If it rejects, the promise of the whole group rejects. */
  readonly write: (together: Together) => Promise<void>
  readonly sizeOf: (item: Item) => number
  /** The most items in one group. */
  readonly maxItems: number
  /** The most bytes in one group, by `sizeOf`; a single larger item goes alone. */
  readonly maxBytes: number
  /** The most bytes that may wait; beyond that `add` rejects with `full()`. */
  readonly maxWaitingBytes: number
  readonly full: () => Error
}

export interface SharedCommit<Item> {
  /** Settles with the write of the item's group; all items of a group get the same promise. */
  add(item: Item): Promise<void>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

interface Group<Together> {
  readonly together: Together
  readonly done: PromiseWithResolvers<void>
  items: number
  bytes: number
}

export function sharedCommit<Item, Together>(options: SharedCommitOptions<Item, Together>): SharedCommit<Item> {
  const { begin, gather, write, sizeOf, maxItems, maxBytes, maxWaitingBytes, full } = options
  const waiting: Group<Together>[] = []
  let waitingBytes = 0
  /** A run is scheduled or under way. */
  let isRunning = false
  let idlers: (() => void)[] = []

  const groupFor = (bytes: number): Group<Together> => {
    const last = waiting.at(-1)
    if (last !== undefined && last.items < maxItems && last.bytes + bytes <= maxBytes) return last
    const group: Group<Together> = { together: begin(), items: 0, done: Promise.withResolvers(), bytes: 0 }
    waiting.push(group)
    return group
  }

  const run = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      waitingBytes -= group.bytes
      try {
        await write(group.together)
        group.done.resolve()
      } catch (error) {
        group.done.reject(error)
      }
    }
    isRunning = false
    for (const done of idlers) done()
    idlers = []
  }

  return {
    add: (item) => {
      const bytes = sizeOf(item)
      if (waiting.length > 0 && waitingBytes + bytes > maxWaitingBytes) return Promise.reject(full())
      const group = groupFor(bytes)
      gather(group.together, item)
      group.items++
      group.bytes += bytes
      waitingBytes += bytes
      if (!isRunning) {
        isRunning = true
        // Items added in the same turn join the group.
        setImmediate(() => void run())
      }
      return group.done.promise
    },
    idle: () => (isRunning ? new Promise((resolve) => void idlers.push(resolve)) : Promise.resolve()),
  }
}
