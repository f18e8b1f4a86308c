// Long work in short pieces. Pieces that each block the event loop for a moment run one after the other, and the process
// attends to others in between.

import type { Clock } from './clock.ts'

/** How long consecutive pieces may run before others have a turn, in ms. */
const SLICE_MS = 5

/** @returns what a piece awaits before it begins; it should then run without awaiting anything */
export function timeSlices(clock: Pick<Clock, 'monotonicMs'>): () => Promise<void> {
  let sinceMs = Number.NEGATIVE_INFINITY
  let last = Promise.resolve()
  const pause = async (): Promise<void> => {
    if (clock.monotonicMs() - sinceMs <= SLICE_MS) return
    await new Promise(setImmediate)
    sinceMs = clock.monotonicMs()
  }
  return () => {
    last = last.then(pause)
    return last
  }
}

/**
 * Consecutive items, in pieces whose shares together come to about 1. Others have a turn between two pieces.
 *
 * @param shareOf of a piece
 */
export async function* inPieces<Item>(
  items: readonly Item[],
  shareOf: (item: Item) => number,
): AsyncGenerator<readonly Item[]> {
  let piece: Item[] = []
  let shares = 0
  for (const item of items) {
    if (shares >= 1) {
      yield piece
      await new Promise(setImmediate)
      piece = []
      shares = 0
    }
    piece.push(item)
    shares += shareOf(item)
  }
  if (piece.length > 0) yield piece
}
