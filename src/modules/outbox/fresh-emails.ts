// Passes emails from acceptance to delivery within one process, so that what was just stored is not read back.
//
// This is only a cache: the queue row decides who sends, and an email that is missing here is read from the database. An email
// is handed out once, and only to the first claim of its email: before that, nothing can have changed what delivery needs.
// Emails are put here before their transaction commits; if it never commits, they are never claimed.
//
// Bounds: MAX_BYTES in total, contents of at most MAX_BODY_BYTES each, MAX_AGE_MS (another process may have claimed the email).

import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import { lengthOf } from './bodies.ts'
import type { Claimed, NewBody, NewEmail, QueuedEmail } from './types.ts'

export interface FreshEmails {
  /** Takes emails that are being stored; skips those that are due later or not at all. */
  put(emails: readonly NewEmail[], bodies: readonly NewBody[]): void
  /** The email of a leased row; null: read it from the database. */
  take(claimed: Claimed): QueuedEmail | null
}

const MAX_BYTES = 16 * 1_048_576
const MAX_BODY_BYTES = 65_536
const MAX_AGE_MS = 10_000
/** Approximate size of an email without its content. */
const LETTER_BYTES = 2_048

interface Kept {
  readonly email: QueuedEmail
  readonly untilMs: number
}

export function freshEmails(clock: Clock): FreshEmails {
  // No Map: V8 may keep what has left one until the next full collection. Emails are never looked at before they are taken,
  // so the least recently used are the oldest.
  const kept = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ email }) => email.bodyBytes + LETTER_BYTES,
  })
  return {
    put: (emails, bodies) => {
      const nowMs = clock.monotonicMs()
      const byId = new Map(
        bodies.flatMap((body) => (lengthOf(body) > MAX_BODY_BYTES ? [] : [[body.id, Buffer.concat(body.stretches)]])),
      )
      for (const email of emails) {
        const body = byId.get(email.bodyId)
        if (email.status !== 'queued' || body === undefined) continue
        kept.set(email.id, { email: emailOf(email, body), untilMs: nowMs + MAX_AGE_MS })
      }
      for (const oldest of kept.rvalues()) {
        if (oldest === undefined || oldest.untilMs > nowMs) break
        kept.delete(oldest.email.id)
      }
    },
    take: ({ id, fence }) => {
      const found = kept.get(id)
      kept.delete(id)
      return found !== undefined && fence === 1 ? found.email : null
    },
  }
}

function emailOf(email: NewEmail, body: Buffer): QueuedEmail {
  return {
    id: email.id,
    accountId: email.accountId,
    domainId: email.domainId,
    createdAt: email.createdAt,
    sender: email.from.address,
    recipient: email.recipient,
    recipientKey: email.recipientKey,
    subject: email.subject,
    messageId: email.messageId,
    stream: email.stream,
    sandbox: email.sandbox,
    sandboxResult: email.sandboxResult,
    tag: email.tag,
    scheduledAt: email.scheduledAt,
    expiresAt: email.expiresAt,
    tlsRequired: email.tlsRequired,
    attemptsCount: 0,
    lastSmtpCode: null,
    lastResponse: null,
    bodyId: email.bodyId,
    body,
    bodyBytes: body.length,
  }
}
