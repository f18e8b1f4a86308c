// Thresholds for figures.

export const MAX_BOUNCE_RATE = 0.02
export const MAX_COMPLAINT_RATE = 0.001
/** A rate of fewer emails is meaningless. */
export const MIN_FOR_RATE = 20

export function isOver(part: number, whole: number, most: number): boolean {
  return whole >= MIN_FOR_RATE && part / whole > most
}
