// What SMTP submission asks of this room: the sender rule at MAIL, the lists at RCPT, and one commit for the message.

import type { Address } from '../../mail/address.ts'
import { suppressionKey } from '../../mail/address.ts'
import { prepareSubmitted, type SubmissionRefusal } from '../../mail/submitted.ts'
import type { ApiError } from '../../platform/errors.ts'
import { platformErrors } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { mayWeSend, type Refusal } from '../suppression/index.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { sandboxResultOf } from './request.ts'
import type { Sending, SendingOptions } from './send.ts'
import { refusalOf } from './sender.ts'
import { submissionHash, submittedDraft } from './submitted.ts'

export interface SubmittedMail {
  readonly mailFrom: string
  readonly recipients: readonly Address[]
  /** What stood between DATA and the final dot, dots unstuffed. */
  readonly raw: Buffer
  /** Our own trace field for the message of this id (RFC 5321 section 4.4). */
  readonly trace: (id: string, now: Date) => string
}

export interface SmtpDoor {
  /** @returns why live mail may not go out from the domain; null: it may, or the mail stays in the house */
  senderFault(principal: Principal, domain: string): Promise<ApiError | null>
  /** @returns who said no; null: nobody */
  recipientFault(principal: Principal, recipient: Address): Promise<Refusal | null>
  /**
   * Resolves after the commit with the id of the first recipient's email.
   *
   * @throws ApiError from acceptance
   */
  submit(principal: Principal, mail: SubmittedMail): Promise<{ readonly emailId: string } | SubmissionRefusal>
}

/** The scope of idempotency keys that come by SMTP. */
const PATH = 'smtp'

export function smtpDoor(options: SendingOptions & { readonly ids: Ids }, sending: Sending): SmtpDoor {
  const { database, lookups, clock, ids } = options
  const staysInside = ({ mode }: Principal): boolean => options.sandboxed || mode === 'sandbox'
  return {
    senderFault: async (principal, name) => {
      if (staysInside(principal)) return null
      const [domain, account] = await Promise.all([
        lookups.domain(database.system, principal.accountId, name),
        lookups.account(principal.accountId),
      ])
      return refusalOf(domain, principal.domainIds, name, account.policy)
    },
    recipientFault: async (principal, address) => {
      const recipient = suppressionKey(address)
      const sandbox = staysInside(principal) || sandboxResultOf(recipient) !== null
      const [refusal] = await mayWeSend(
        database.system,
        [{ accountId: principal.accountId, recipient, sandbox }],
        clock.now(),
      )
      return refusal ?? null
    },
    submit: async (principal, { mailFrom, recipients, raw, trace }) => {
      const now = clock.now()
      const id = ids.next()
      const prepared = prepareSubmitted(raw, { now, id, trace: trace(id, now) })
      if (!prepared.ok) return prepared.refusal
      const read = submittedDraft(prepared.submitted, { recipients, now })
      if ('badHeader' in read) return { code: 550, text: `5.6.0 the value of ${read.badHeader} cannot be read` }
      const { draft, idempotencyKey: key } = read
      const { accountId } = principal
      const idempotency: IdempotencyKey | null =
        key === null ? null : { accountId, path: PATH, key, bodyHash: submissionHash(mailFrom, recipients, raw) }
      const result = await sending.acceptance.submit({
        accountId,
        messages: [await sending.incoming(principal, draft)],
        strict: true,
        idempotency,
        answerOf: ([outcome]) =>
          outcome?.kind === 'accepted' ? { status: 250, body: { email_id: outcome.accepted.emailId } } : null,
      })
      if (result.kind === 'replayed') return { emailId: (result.body as { email_id: string }).email_id }
      const [outcome] = result.outcomes
      if (outcome?.kind !== 'accepted') throw outcome?.error ?? platformErrors.internal_error()
      return { emailId: outcome.accepted.emailId }
    },
  }
}
