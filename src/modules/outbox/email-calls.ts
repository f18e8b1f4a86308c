// What a caller does with one email of its account. The API's own paths and those of other vendors' clients do it the same way.

import type { Database } from '../../platform/db.ts'
import { validationError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import { cancelEmail, type RetryOptions, rescheduleEmail, retryEmail } from './control.ts'
import { type EmailRow, type EmailStory, emailStory, oneEmail } from './emails.ts'
import { emailErrors as errors } from './errors.ts'
import type { ReadMessage } from './message-reader.ts'
import { type Readable, readable } from './readable-content.ts'
import { readingTurns } from './reading-turns.ts'

export interface EmailCallsOptions extends RetryOptions {
  readonly database: Database
  /** The exact bytes of the message as a receiver gets it. */
  readonly compose: (accountId: string, id: string) => Promise<Buffer>
  readonly readMessage: ReadMessage
}

export interface EmailAsRead extends EmailStory {
  readonly readable: Readable
}

/**
 * A key restricted to domains sees only their emails and those without a domain: sandbox mail may come from any. All throw
 * not_found for an email that the caller does not see. What reads a content waits for its turn (reading-turns.ts).
 */
export interface EmailCalls {
  /** @param signal aborted when the caller has gone away */
  read(principal: Principal, id: string, signal: AbortSignal): Promise<EmailAsRead>
  content(principal: Principal, id: string, signal: AbortSignal): Promise<Readable>
  raw(principal: Principal, id: string, signal: AbortSignal): Promise<Buffer>
  /** Resolves to the email as it is then. @throws not_cancelable */
  cancel(principal: Principal, id: string): Promise<EmailAsRead>
  /** Resolves to the email as it is then. @throws invalid_state */
  retry(principal: Principal, id: string): Promise<EmailAsRead>
  /**
   * @param at a time that has passed counts as now
   * @throws invalid_state, and validation_error when it lies more than 30 days ahead
   */
  reschedule(principal: Principal, id: string, at: Date): Promise<EmailAsRead>
}

const MAX_SCHEDULE_AHEAD_MS = 30 * 86_400_000

export function emailCalls(options: EmailCallsOptions): EmailCalls {
  const { database, clock } = options
  const inTurn = readingTurns()
  const story = async ({ accountId }: Principal, id: string): Promise<EmailAsRead> => {
    const found = await emailStory(database, accountId, id)
    return { ...found, readable: await readable(found.content, options.readMessage) }
  }
  const seen = async ({ accountId, domainIds }: Principal, id: string): Promise<EmailRow> => {
    const email = await oneEmail(database, accountId, id)
    const { domain_id: domainId } = email
    if (domainIds !== null && domainId !== null && !domainIds.includes(domainId)) throw errors.not_found()
    return email
  }
  const within = async (principal: Principal, id: string): Promise<void> => {
    if (principal.domainIds !== null) await seen(principal, id)
  }
  return {
    async read(principal, id, signal) {
      const { size_bytes: bytes } = await seen(principal, id)
      return inTurn(bytes, signal, () => story(principal, id))
    },
    async content(principal, id, signal) {
      const { size_bytes: bytes } = await seen(principal, id)
      return inTurn(bytes, signal, async () => {
        const { content } = await emailStory(database, principal.accountId, id)
        return readable(content, options.readMessage)
      })
    },
    async raw(principal, id, signal) {
      const { size_bytes: bytes } = await seen(principal, id)
      return inTurn(bytes, signal, () => options.compose(principal.accountId, id))
    },
    async cancel(principal, id) {
      await within(principal, id)
      await cancelEmail(options, principal.accountId, id)
      return story(principal, id)
    },
    async retry(principal, id) {
      await within(principal, id)
      await retryEmail(options, principal.accountId, id)
      return story(principal, id)
    },
    async reschedule(principal, id, at) {
      await within(principal, id)
      const now = clock.now()
      if (at.getTime() > now.getTime() + MAX_SCHEDULE_AHEAD_MS)
        throw validationError([{ field: 'scheduled_at', rule: 'max_ahead', message: 'lies more than 30 days ahead' }])
      await rescheduleEmail(options, principal.accountId, id, at < now ? now : at)
      return story(principal, id)
    },
  }
}
