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

/** One finding against the content: where it is and what to do about it. */
export interface Match {
  readonly rule: string
  readonly category: Category
  readonly points: number
  readonly severity: 'info' | 'low' | 'medium' | 'high'
  readonly location: Location
  /** Start within that part, in UTF-16 code units of the input; null when the finding has no single position. */
  readonly offset: number | null
  /** The text found, at most 120 characters. */
  readonly match: string
  readonly description: string
  readonly suggestion: string
}

export interface ContentAttachment {
  readonly filename: string | null
  readonly contentType: string | null
}

/** The content to be scored. An omitted optional field means "not known" and is not held against the content. */
export interface ContentQuestion {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly attachments?: readonly ContentAttachment[]
  /** The sender's domain in lower case. A brand may speak for itself. */
  readonly senderDomain?: string
  /** The sender's display name. */
  readonly senderName?: string
  /** The addresses that replies go to. */
  readonly replyTo?: readonly string[]
  /** A mail to many recipients, which needs a way to unsubscribe. */
  readonly bulk?: boolean
  /** The mail will get a List-Unsubscribe header, or contains the placeholder of the unsubscribe link. */
  readonly unsubscribable?: boolean
}

export interface ContentScore {
  /** 0-100, higher is better. */
  readonly score: number
  readonly level: ContentLevel
  readonly matches: readonly Match[]
  readonly suggestions: readonly string[]
}
