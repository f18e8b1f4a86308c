import type { ContentAttachment } from '../../src/modules/content/types.ts'
import type { Mail } from './layout.ts'

/** A mail with what a send knows of its sender beside it. */
export interface Trial extends Mail {
  readonly senderName?: string
  readonly senderDomain?: string
  readonly replyTo?: string
  readonly attachments?: readonly ContentAttachment[]
}
