// Turns a message submitted by SMTP into a draft: the recipients are those of the envelope, each with an email of its own, and
// those not named in To or Cc are blind copies. The control headers correspond to the fields of a request and have the
// same limits.

import { createHash } from 'node:crypto'
import { type Address, suppressionKey } from '../../mail/address.ts'
import { checkHeaderText } from '../../mail/mime/headers.ts'
import { plainMessage, withoutBulk } from '../../mail/mime/message-parts.ts'
import {
  type ControlHeader,
  type Prepared,
  prepareSubmitted,
  type SubmittedMessage,
  type SubmittedOptions,
} from '../../mail/mime/submitted.ts'
import { jsonFaults } from '../../platform/json.ts'
import { isDateTime } from '../../platform/validation.ts'
import type { Stream } from '../events/index.ts'
import type { ReadMessage } from '../outbox/index.ts'
import type { Draft } from './draft.ts'
import * as limits from './limits.ts'
import type { RecipientRequest, TrackingOverrides } from './request.ts'

export interface SubmittedEnvelope {
  /** Id of the first recipient's email. */
  readonly id: string
  /** As given at RCPT; a mailbox named twice counts once. */
  readonly recipients: readonly Address[]
  readonly now: Date
}

export interface SubmittedDraft {
  readonly draft: Draft
  /** The value of `X-Idempotency-Key`; null: no such header. */
  readonly idempotencyKey: string | null
}

export interface PrepareTask extends SubmittedOptions {
  readonly raw: Buffer
  readonly mailFrom: string
  readonly recipients: readonly Address[]
}

export interface PreparedMail {
  readonly prepared: Prepared
  /** `submissionHash`; null without an `X-Idempotency-Key`. */
  readonly hash: Buffer | null
}

/** Everything that takes time in proportion to the size of the message. */
export function preparedMail({ raw, mailFrom, recipients, ...options }: PrepareTask): PreparedMail {
  const prepared = prepareSubmitted(raw, options)
  const hasKey = prepared.ok && prepared.submitted.controls.has('x-idempotency-key')
  return { prepared, hash: hasKey ? submissionHash(mailFrom, recipients, raw) : null }
}

/** @returns the draft, or the name of the control header with an invalid value */
export function submittedDraft(
  submitted: SubmittedMessage,
  { id, recipients, now }: SubmittedEnvelope,
  readMessage: ReadMessage,
): SubmittedDraft | { readonly badHeader: ControlHeader } {
  const read = readControls(submitted.controls, now)
  if ('badHeader' in read) return read
  const { idempotencyKey, ...controls } = read
  const { from, fromDomain, to, cc, replyTo, subject, messageId, hasListUnsubscribe, wantsListUnsubscribe, message } =
    submitted
  const unique = new Map<string, RecipientRequest>()
  for (const { address, domain, ...rest } of recipients) {
    const key = suppressionKey({ address, domain, ...rest })
    if (!unique.has(key)) unique.set(key, { address, key, site: domain, field: 'to' })
  }
  return {
    idempotencyKey,
    draft: {
      emailId: id,
      from,
      fromDomain,
      recipients: [...unique.values()],
      to,
      cc,
      replyTo,
      subject,
      messageId,
      hasListUnsubscribe,
      wantsListUnsubscribe,
      sizeBytes: message.length,
      ...controls,
      isBulk: false,
      expiresAt: null,
      tlsRequired: false,
      sandboxResult: null,
      overrideSoftBlock: false,
      readable: async () => {
        // As much as a request may contain: beyond that, a mail would take more memory to score than to send.
        const read = withoutBulk(message, limits.MAX_PART_BYTES)
        const letter = plainMessage(read)
        const senderDomain = fromDomain
        if (letter !== null) return { subject, html: letter.html, text: letter.text, senderDomain }
        const { html, text, attachments } = await readMessage(read)
        const named = attachments.map(({ filename, contentType }) => ({ filename, contentType }))
        return { subject, html, text, senderDomain, attachments: named }
      },
      content: (treatment) => ({ kind: 'submitted', message, treatment }),
    },
  }
}

interface Controls {
  readonly tag: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly overrides: TrackingOverrides
  readonly sandbox: boolean
  readonly stream: Stream
  readonly scheduledAt: Date | null
  readonly idempotencyKey: string | null
}

function readControls(
  values: ReadonlyMap<ControlHeader, string>,
  now: Date,
): Controls | { readonly badHeader: ControlHeader } {
  let badHeader: ControlHeader | null = null
  /** `read` returns undefined for an invalid value. */
  const control = <T>(name: ControlHeader, standard: T, read: (text: string) => T | undefined): T => {
    const text = values.get(name)
    if (text === undefined) return standard
    const value = read(text)
    if (value === undefined) badHeader ??= name
    return value ?? standard
  }
  const opens = control('x-track-opens', null, readFlag)
  const clicks = control('x-track-clicks', null, readFlag)
  const controls: Controls = {
    tag: control('x-tag', null, readTag),
    metadata: control('x-metadata', null, readMetadata),
    overrides: { tracking: null, opens, clicks, unsubscribeHeader: null },
    sandbox: control('x-sandbox', false, readFlag),
    stream: control<Stream>('x-stream', 'transactional', (text) => STREAMS.find((one) => one === text.toLowerCase())),
    scheduledAt: control('x-scheduled-at', null, (text) => readTime(text, now)),
    idempotencyKey: control('x-idempotency-key', null, readKey),
  }
  if (badHeader !== null) return { badHeader }
  // A time in the past means now.
  const { scheduledAt } = controls
  return { ...controls, scheduledAt: scheduledAt !== null && scheduledAt > now ? scheduledAt : null }
}

/** What each control header accepts, as an error message. */
export const CONTROL_WORDS: Readonly<Record<ControlHeader, string>> = {
  'x-tag': `must be one line of at most ${limits.MAX_TAG_CHARS} characters`,
  'x-metadata':
    `must be a JSON object of at most ${limits.MAX_METADATA_BYTES} bytes and ${limits.MAX_METADATA_KEYS} keys ` +
    `of 1 to ${limits.MAX_METADATA_KEY_CHARS} characters, without NUL or integers beyond ${Number.MAX_SAFE_INTEGER}`,
  'x-track-opens': 'must be true or false',
  'x-track-clicks': 'must be true or false',
  'x-sandbox': 'must be true or false',
  'x-stream': 'must be transactional or broadcast',
  'x-scheduled-at': 'must be a date and time with its offset, such as 2026-11-23T00:00:00Z, at most 30 days ahead',
  'x-idempotency-key': `must be 1 to ${limits.MAX_IDEMPOTENCY_KEY_CHARS} printable characters of ASCII`,
}

const STREAMS: readonly Stream[] = ['transactional', 'broadcast']

function readFlag(text: string): boolean | undefined {
  const word = text.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}

/** @returns null for an empty one: no tag, as over the API */
function readTag(text: string): string | null | undefined {
  if (text === '') return null
  return !limits.isLongerThan(limits.MAX_TAG_CHARS, text) && checkHeaderText(text) === null ? text : undefined
}

function readKey(text: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(text) && text.length <= limits.MAX_IDEMPOTENCY_KEY_CHARS ? text : undefined
}

function readMetadata(text: string): Record<string, unknown> | undefined {
  if (Buffer.byteLength(text) > limits.MAX_METADATA_BYTES) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value) || jsonFaults(value).length > 0)
    return undefined
  const keys = Object.keys(value)
  const fit = keys.length <= limits.MAX_METADATA_KEYS && keys.every(isMetadataKey)
  return fit ? (value as Record<string, unknown>) : undefined
}

function isMetadataKey(key: string): boolean {
  return key !== '' && !limits.isLongerThan(limits.MAX_METADATA_KEY_CHARS, key)
}

/** Up to the minutes. */
const WITHOUT_SECONDS = /^(.{10}[Tt ]\d{2}:\d{2})(?=[Zz+-])/

/** As over the API, where no 30 February becomes the 2 March that a Date makes of it; the seconds may be left out. */
function readTime(text: string, now: Date): Date | undefined {
  const whole = text.replace(WITHOUT_SECONDS, '$1:00')
  if (!isDateTime(whole)) return undefined
  const at = new Date(whole)
  return at.getTime() > now.getTime() + limits.MAX_SCHEDULE_AHEAD_MS ? undefined : at
}

/**
 * Identifies repeated submissions of one message: SHA-256 over sender, recipients and the message without what programs
 * generate anew for each attempt (Received, Date, Message-ID, the boundaries of multiparts).
 */
export function submissionHash(mailFrom: string, recipients: readonly Address[], raw: Buffer): Buffer {
  const text = raw.toString('latin1')
  const boundaries = new Set<string>()
  for (const [, quoted, plain] of text.matchAll(/\bboundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/gi)) {
    boundaries.add(quoted ?? plain ?? '')
    if (boundaries.size >= MAX_BOUNDARIES) break
  }
  const lastLineEnd = /\r?\n(?=\r?\n)/.exec(text)
  const bodyAt = lastLineEnd === null ? text.length : lastLineEnd.index + lastLineEnd[0].length
  const header = text.slice(0, bodyAt).replace(/^(received|date|message-id)[ \t]*:[^\n]*\n([ \t][^\n]*\n)*/gim, '')
  const rest = withoutBoundaries(header + text.slice(bodyAt), boundaries)
  const names = recipients.map((one) => suppressionKey(one)).sort()
  return createHash('sha256')
    .update(JSON.stringify([mailFrom, names]))
    .update(rest, 'latin1')
    .digest()
}

const MAX_BOUNDARIES = 20
/** More than a resubmitted email has; a one-letter boundary may occur millions of times in 25 MB. */
const MAX_DELIMITERS = 2_000

function withoutBoundaries(text: string, boundaries: ReadonlySet<string>): string {
  let left = MAX_DELIMITERS
  let rest = text
  for (const boundary of boundaries) {
    const pieces: string[] = []
    let copied = 0
    for (let at = rest.indexOf(boundary); at >= 0 && left > 0; at = rest.indexOf(boundary, copied)) {
      pieces.push(rest.slice(copied, at))
      copied = at + boundary.length
      left--
    }
    if (left === 0 && pieces.length === 0) break
    if (pieces.length > 0) rest = [...pieces, rest.slice(copied)].join('=')
  }
  return rest
}
