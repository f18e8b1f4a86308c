export type Location = 'subject' | 'html' | 'text' | 'header'
export type ContentLevel = 'low' | 'medium' | 'high' | 'critical'
export type Category =
  | 'language'
  | 'subject'
  | 'links'
  | 'html'
  | 'characters'
  | 'structure'
  | 'attachments'
  | 'statistics'

/** One thing that speaks against a content: where it stands and what to do about it. */
export interface Match {
  readonly rule: string
  readonly category: Category
  readonly points: number
  readonly severity: 'info' | 'low' | 'medium' | 'high'
  readonly location: Location
  /** Where it begins in that part, in UTF-16 code units as it was given; null where it is no one place. */
  readonly offset: number | null
  /** What was found, at most 120 characters. */
  readonly match: string
  readonly description: string
  readonly suggestion: string
}

export interface ContentAttachment {
  readonly filename: string | null
  readonly contentType: string | null
}

/** What is scored. Everything that may be left out says "not known", and is then not held against the content. */
export interface ContentQuestion {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly attachments?: readonly ContentAttachment[]
  /** The domain of the sender, lower case: a brand may speak of itself. */
  readonly senderDomain?: string
  /** The name that the sender shows beside the address. */
  readonly senderName?: string
  /** The addresses that answers go to. */
  readonly replyTo?: readonly string[]
  /** It goes to many: then it needs a way to leave. */
  readonly bulk?: boolean
  /** A List-Unsubscribe header will be set, or the placeholder of the unsubscribe link stands in it. */
  readonly unsubscribable?: boolean
}

export interface ContentScore {
  /** 0-100, higher is better. */
  readonly score: number
  readonly level: ContentLevel
  readonly matches: readonly Match[]
  readonly suggestions: readonly string[]
}
