// Time zones of reports. Their rules are those of the runtime, for the days of a report as for today's date: a database may be
// years older and know them as they were then, and takes some names for others (CET for a fixed offset, IST for Israel).

import { parameterError } from '../../platform/errors.ts'

const DAY_MS = 86_400_000
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

const MOST_ZONES = 1_000
const zones = new Map<string, Intl.DateTimeFormat>()

/**
 * Cached: making a format takes longer than most reports. There are about 600 zones, written in capitals or small letters.
 *
 * @throws ApiError invalid_parameter when there is no such zone
 */
function formatIn(timezone: string): Intl.DateTimeFormat {
  const known = zones.get(timezone)
  if (known !== undefined) return known
  try {
    const made = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
    if (zones.size >= MOST_ZONES) zones.clear()
    zones.set(timezone, made)
    return made
  } catch {
    throw parameterError('timezone', 'timezone', 'must be an IANA time zone name, such as Europe/Berlin')
  }
}

/** Seconds that the clocks of a zone are ahead of UTC. */
function offsetAt(format: Intl.DateTimeFormat, ms: number): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(format.format(ms)) ?? []
  const ahead = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -ahead : ahead
}

/** `YYYY-MM-DD` in the zone. @throws ApiError invalid_parameter when there is no such zone */
export function dateIn(timezone: string, at: Date): string {
  const ms = at.getTime()
  return new Date(ms + offsetAt(formatIn(timezone), ms) * 1_000).toISOString().slice(0, 10)
}

/**
 * When a date begins in the zone, in seconds after its midnight in UTC. Where clocks are turned back over a midnight, it begins
 * with the first one; where they skip it, when they do.
 *
 * @param utcMs the date's midnight in UTC
 */
export function dayStart(timezone: string, utcMs: number): number {
  const format = formatIn(timezone)
  const before = offsetAt(format, utcMs - DAY_MS)
  const after = offsetAt(format, utcMs + DAY_MS)
  const isMidnight = (offset: number): boolean => offsetAt(format, utcMs - offset * 1_000) === offset
  const midnights = before === after ? [before] : [before, after].filter(isMidnight)
  return -Math.max(...(midnights.length === 0 ? [before] : midnights))
}
