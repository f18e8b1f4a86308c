// Thresholds for figures, and the period they cover.

export const MAX_BOUNCE_RATE = 0.02
export const MAX_COMPLAINT_RATE = 0.001
/** A rate of fewer emails is meaningless. */
export const MIN_FOR_RATE = 20
const DAY_MS = 86_400_000

export function isOver(part: number, whole: number, most: number): boolean {
  return whole >= MIN_FOR_RATE && part / whole > most
}

/** The last days up to now in the viewer's time zone, as parameters of the statistics. */
export function lastDays(days: number): { readonly from_date: string; readonly timezone: string } {
  const first = new Date(Date.now() - (days - 1) * DAY_MS)
  return {
    from_date: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(first),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}
