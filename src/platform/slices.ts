// Long work in short pieces. Pieces that each block the event loop for a moment run one after the other, and the process
// attends to others in between.

export interface SlicesOptions {
  readonly monotonicMs: () => number
  /** How long consecutive pieces may run before others have a turn, in ms. */
  readonly sliceMs: number
}

/** @returns what a piece awaits before it begins; it should then run without awaiting anything */
export function slices({ monotonicMs, sliceMs }: SlicesOptions): () => Promise<void> {
  let sinceMs = Number.NEGATIVE_INFINITY
  let last = Promise.resolve()
  const pause = async (): Promise<void> => {
    if (monotonicMs() - sinceMs <= sliceMs) return
    await new Promise(setImmediate)
    sinceMs = monotonicMs()
  }
  return () => {
    last = last.then(pause)
    return last
  }
}
