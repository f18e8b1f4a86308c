// Rates in words, and their thresholds. Independent of the browser.

export const MAX_BOUNCE_RATE = 0.02
export const MAX_COMPLAINT_RATE = 0.001
/** A rate of fewer emails is meaningless. */
export const MIN_FOR_RATE = 20

export function isOver(part: number, whole: number, most: number): boolean {
  return whole >= MIN_FOR_RATE && part / whole > most
}

/** A share of a whole, as `96.0 %`. It is never rounded to all or to none. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100}\u00a0%`
  const shown = (share * 100).toFixed(share < 0.01 ? 2 : 1)
  if (shown === '0.00') return '< 0.01\u00a0%'
  return share < 1 && shown === '100.0' ? '> 99.9\u00a0%' : `${shown}\u00a0%`
}

/** Capped at 1, as in the API: mail sent earlier can arrive, or bounce, in a period of less mail. */
export function shareOf(part: number, whole: number): number {
  return Math.min(1, part / whole)
}

/** A share with its base; too small a base has none. */
export function rate(part: number, whole: number): string {
  if (whole === 0) return part === 0 ? 'none yet' : 'of earlier emails'
  return whole < MIN_FOR_RATE ? `${part} of ${whole}` : percent(shareOf(part, whole))
}
