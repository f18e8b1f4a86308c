// The limits of a message (contract section 4). Each has a name here and a test.

export const MAX_SUBJECT_CHARS = 998
export const MAX_RECIPIENTS = 50
export const MAX_ATTACHMENTS = 20
export const MAX_PART_BYTES = 5 * 1_048_576
export const MAX_MESSAGE_BYTES = 25 * 1_048_576
export const MAX_SEND_BODY_BYTES = 35 * 1_048_576
export const MAX_PREVIEW_BODY_BYTES = 12 * 1_048_576
export const MAX_BATCH_BODY_BYTES = 50 * 1_048_576
export const MAX_BATCH_MESSAGES = 500
/** For all messages of one call together: each of them may contain what the body states once. */
export const MAX_CALL_BYTES = 128 * 1_048_576
export const MAX_TAG_CHARS = 128
export const MAX_METADATA_KEYS = 20
export const MAX_METADATA_KEY_CHARS = 64
export const MAX_METADATA_BYTES = 4_096
export const MAX_CUSTOM_HEADERS = 30
export const MAX_HEADER_CHARS = 998
export const MAX_FILENAME_CHARS = 255
export const MAX_SCHEDULE_AHEAD_MS = 30 * 86_400_000
export const MAX_IDEMPOTENCY_KEY_CHARS = 256
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000
/** How long a caller waits after the connection to the store broke at the commit: REST must answer 503 within 5 s. */
export const COMMIT_PATIENCE_MS = 3_000
/** SMTP clients wait ten minutes for the answer to the final dot (RFC 5321 section 4.5.3.2.6). */
export const SMTP_COMMIT_PATIENCE_MS = 15_000
export const MAX_TEMPLATES = 500
export const MAX_TEMPLATES_BYTES = 64 * 1_048_576
/** In a subject, an html or a text. */
export const MAX_TEMPLATE_TAGS = 50_000
export const MAX_TEMPLATE_VERSIONS = 50
export const MAX_TEMPLATE_HISTORY_BYTES = 256 * 1_048_576
export const MAX_TEMPLATE_BODY_BYTES = 12 * 1_048_576
export const MAX_TEMPLATE_NAME_CHARS = 255

/** Counts as JSON Schema does: a character beyond U+FFFF is one, not two. */
export function isLongerThan(maxChars: number, text: string): boolean {
  return text.length > maxChars && (text.length > 2 * maxChars || [...text].length > maxChars)
}
