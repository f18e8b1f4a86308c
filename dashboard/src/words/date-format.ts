// Formats dates and times for English pages, whatever the browser's language: in an English browser as its country writes them
// (`Nov 3, 2:05 PM`), in all others with the day first and 24 hours (`3 Nov, 14:05`). Independent of the browser.

const OTHERS = 'en-GB'

const FULL: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
}

export interface DateFormat {
  /** With its zone. */
  readonly full: (at: Date) => string
  readonly date: (at: Date) => string
  /** Without its year. */
  readonly day: (at: Date) => string
  /** As short as possible: a time today, a day and time this year, or a date. */
  readonly short: (at: Date, now: Date) => string
}

/** @param language of the browser; undefined: unknown */
export function dateFormat(language: string | undefined): DateFormat {
  const locale = language !== undefined && /^en(?:-|$)/i.test(language) ? language : OTHERS
  const date = (at: Date): string => at.toLocaleDateString(locale, { dateStyle: 'medium' })
  const day = (at: Date): string => at.toLocaleDateString(locale, { month: 'short', day: 'numeric' })
  return {
    full: (at) => at.toLocaleString(locale, FULL),
    date,
    day,
    short: (at, now) => {
      const time = at.toLocaleTimeString(locale, { timeStyle: 'medium' })
      if (at.toDateString() === now.toDateString()) return time
      return at.getFullYear() === now.getFullYear() ? `${day(at)}, ${time.replace(/:\d\d(?=\D*$)/, '')}` : date(at)
    },
  }
}
