// Days in the viewer's time zone. Independent of the browser.

/** The zone's name; UTC if the system has none, because its clock shows UTC then. Chrome names such a zone `Etc/Unknown`. */
export function ownZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions() as { readonly timeZone?: string }
  return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone
}

/** The last days up to `now`, as parameters of the statistics. Days are counted, not hours: two a year have 23 or 25. */
export function lastDays(days: number, now = new Date()): { readonly from_date: string; readonly timezone: string } {
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (days - 1), 12)
  return {
    from_date: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' }).format(first),
    timezone: ownZone(),
  }
}

/** The first moment of a date (`start`), or of the day after it (`end`), which a list does not include; undefined: no date. */
export function edgeOfDay(date: string, edge: 'start' | 'end'): string | undefined {
  const moment = new Date(`${date}T12:00`)
  if (Number.isNaN(moment.getTime())) return undefined
  if (edge === 'end') moment.setDate(moment.getDate() + 1)
  moment.setHours(0, 0, 0, 0)
  return moment.toISOString()
}
