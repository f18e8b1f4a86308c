export type Location = 'subject' | 'html' | 'text' | 'header'
export type ContentLevel = 'low' | 'medium' | 'high' | 'critical'

/** One thing that speaks against a content: where it stands and what to do about it. */
export interface Match {
  readonly rule: string
  readonly category: 'language' | 'subject' | 'links' | 'html' | 'characters' | 'structure'
  readonly points: number
  readonly severity: 'info' | 'low' | 'medium' | 'high'
  readonly location: Location
  /** What was found, at most 120 characters. */
  readonly match: string
  readonly description: string
  readonly suggestion: string
}

export interface ContentQuestion {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

export interface ContentScore {
  /** 0-100, higher is better. */
  readonly score: number
  readonly level: ContentLevel
  readonly matches: readonly Match[]
  readonly suggestions: readonly string[]
}
