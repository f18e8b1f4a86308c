// What figures are held against, and the time that they are of.

export const MAX_BOUNCE_RATE = 0.02
export const MAX_COMPLAINT_RATE = 0.001
/** A rate of fewer mails says nothing. */
export const MIN_FOR_RATE = 20
const DAY_MS = 86_400_000

export function isOver(part: number, whole: number, most: number): boolean {
  return whole >= MIN_FOR_RATE && part / whole > most
}

/** So many days up to now in the viewer's zone, as the statistics are asked for them. */
export function lastDays(days: number): { readonly from_date: string; readonly timezone: string } {
  const first = new Date(Date.now() - (days - 1) * DAY_MS)
  return {
    from_date: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(first),
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }
}
