import type { Category, Location, Match } from './types.ts'

/** A match before it is reported, with what it adds to the suspicion of fraud. */
export interface Finding {
  readonly rule: string
  readonly category: Category
  readonly points: number
  /** 0 none, 1 a weak sign, 2 a strong sign. */
  readonly fraud: number
  readonly location: Location
  readonly offset: number | null
  readonly match: string
  readonly description: string
  readonly suggestion: string
}

const MAX_MATCH_CHARS = 120

export function severityOf(points: number): Match['severity'] {
  if (points >= 20) return 'high'
  if (points >= 10) return 'medium'
  return points >= 4 ? 'low' : 'info'
}

/** The match as stored and sent. PostgreSQL accepts neither NUL nor an unpaired surrogate, in text or in jsonb. */
export function matchOf({ rule, category, points, location, offset, match, description, suggestion }: Finding): Match {
  const shown = match.slice(0, MAX_MATCH_CHARS).replaceAll('\0', ' ').toWellFormed()
  return {
    rule,
    category,
    points,
    severity: severityOf(points),
    location,
    offset,
    match: shown,
    description,
    suggestion,
  }
}

/** The text from `start` to `end`, without tags and on one line. */
export function excerpt(part: string, start: number, end: number): string {
  return part
    .slice(start, Math.min(end, start + 1_000))
    .replaceAll(/<[^<>]{0,1000}>?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_MATCH_CHARS)
}
