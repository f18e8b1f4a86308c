// Group commit: everything that arrives while a commit is running is written together in the next one. A request that
// finds nothing running is written at once, and under load the groups grow by themselves. Where nobody waits for the
// answer, a group may linger for more items. A large item is written alone, in turn with all small ones that wait, which would
// wait for every large one before them otherwise.

export interface GroupCommitOptions<Item, Result> {
  /**
   * Writes a group in one transaction; resolves to one result per item, in order. Rejecting rejects every item. A result
   * that is still pending keeps its item waiting, but not the next group.
   */
  readonly write: (items: readonly Item[]) => Promise<readonly (Result | PromiseLike<Result>)[]>
  readonly sizeOf: (item: Item) => number
  /** The most items in one group. */
  readonly maxItems: number
  /** The most bytes in one group, by `sizeOf`; a single larger item goes alone. */
  readonly maxBytes: number
  /** Items over this size are large. Default: none is. */
  readonly largeBytes?: number
  /** Longest time a group waits for more items, unless it has `enough`; 0: not at all. */
  readonly lingerMs?: number
  readonly enough?: number
  /** Lingers only after a group of at least this size: where few items come, nobody is kept waiting. */
  readonly lingerBehind?: number
  /** How many groups may be under way at once. */
  readonly concurrency: number
  /** The most bytes that may wait; beyond that `add` rejects with `full()`. */
  readonly maxWaitingBytes: number
  readonly full: () => Error
}

export interface GroupCommit<Item, Result> {
  /** Resolves after the transaction that holds the item has committed. */
  add(item: Item): Promise<Result>
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly sizeBytes: number
  readonly resolve: (result: Result | PromiseLike<Result>) => void
  readonly reject: (error: unknown) => void
}

export function groupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  const {
    write,
    sizeOf,
    maxItems,
    maxBytes,
    concurrency,
    maxWaitingBytes,
    full,
    lingerMs = 0,
    enough = 0,
    lingerBehind = 0,
    largeBytes = Number.POSITIVE_INFINITY,
  } = options
  let waiting: Waiting<Item, Result>[] = []
  let waitingBytes = 0
  let running = 0
  let idlers: (() => void)[] = []
  let before = 0
  let beforeWasLarge = false
  let filled = (): void => undefined

  const takeGroup = (): Waiting<Item, Result>[] => {
    const isLarge = ({ sizeBytes }: Waiting<Item, Result>): boolean => sizeBytes > largeBytes
    const [first] = waiting
    const alone = first !== undefined && isLarge(first) && (!beforeWasLarge || waiting.every(isLarge))
    beforeWasLarge = alone
    let bytes = 0
    let isFull = false
    const group: Waiting<Item, Result>[] = []
    const left: Waiting<Item, Result>[] = []
    for (const one of waiting) {
      isFull ||= group.length === (alone ? 1 : maxItems) || (group.length > 0 && bytes + one.sizeBytes > maxBytes)
      if (isFull || (!alone && isLarge(one))) left.push(one)
      else {
        bytes += one.sizeBytes
        group.push(one)
      }
    }
    waiting = left
    waitingBytes -= bytes
    return group
  }

  const moreOrLate = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, lingerMs)
      filled = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const run = async (): Promise<void> => {
    running++
    while (waiting.length > 0) {
      if (lingerMs > 0 && before >= lingerBehind && waiting.length < enough) await moreOrLate()
      const group = takeGroup()
      before = group.length
      try {
        const results = await write(group.map(({ item }) => item))
        group.forEach(({ resolve, reject }, i) => {
          if (i < results.length) resolve(results[i] as Result | PromiseLike<Result>)
          else reject(new Error('a group commit answered fewer results than it had items'))
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    running--
    if (running === 0) {
      for (const done of idlers) done()
      idlers = []
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const sizeBytes = sizeOf(item)
        if (waiting.length > 0 && waitingBytes + sizeBytes > maxWaitingBytes) {
          reject(full())
          return
        }
        waiting.push({ item, sizeBytes, resolve, reject })
        waitingBytes += sizeBytes
        if (waiting.length >= enough) filled()
        if (running < concurrency) setImmediate(() => running < concurrency && waiting.length > 0 && void run())
      }),
    idle: () =>
      running === 0 && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => void idlers.push(resolve)),
  }
}
