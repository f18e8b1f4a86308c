/** How much of a slower time counts: a busy machine delays some, a receiver that takes its time all. */
export const SLOWER_COUNTS = 1 / 8

/** How quick a destination is: a quicker time counts at once, slower ones little by little. */
export function quickestAfter(before: number | undefined, ms: number): number {
  if (before === undefined || ms < before) return ms
  return before + (ms - before) * SLOWER_COUNTS
}
