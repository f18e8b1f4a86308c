import type { Clock } from '../platform/clock.ts'

const RESTS = 3

/**
 * Repeats a step of deletion until it says that nothing is left. After each, it rests three times as long as the step took, so
 * that this uses at most a quarter of a connection.
 *
 * @param step resolves to whether there is more
 * @param untilMs monotonic time after which no further step begins; absent: none
 * @throws what `step` throws, and the signal's reason once it aborts
 */
export async function paced(
  clock: Clock,
  signal: AbortSignal,
  step: () => Promise<boolean>,
  untilMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let more = true; more && clock.monotonicMs() < untilMs; ) {
    const began = clock.monotonicMs()
    more = await step()
    if (more) await clock.sleep((clock.monotonicMs() - began) * RESTS, signal)
    signal.throwIfAborted()
  }
}
