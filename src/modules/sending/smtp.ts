// What SMTP submission needs from this module: the sender rule at MAIL, the lists at RCPT, and one commit for the message.
// The sender rule's refusal at MAIL is answered after DATA only: sandbox mail is accepted from any domain, and the headers and
// recipients decide whether a message is sandbox mail.

import { type Address, suppressionKey } from '../../mail/address.ts'
import type { SubmissionRefusal, SubmittedMessage } from '../../mail/mime/submitted.ts'
import { ApiError, platformErrors } from '../../platform/errors.ts'
import { giveBack, MAX_IN_MEMORY_BYTES } from '../../platform/files/body-spool.ts'
import { groupCommit } from '../../platform/group-commit.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import type { ReadMessage } from '../outbox/index.ts'
import { mayWeSend, type Refusal, type SendQuestion } from '../suppression/index.ts'
import { errors } from './errors.ts'
import type { IdempotencyKey } from './idempotency.ts'
import { SMTP_COMMIT_PATIENCE_MS } from './limits.ts'
import { preparer } from './preparer.ts'
import { sandboxResultOf } from './request.ts'
import type { Sending, SendingOptions } from './send.ts'
import { refusalOf } from './sender.ts'
import { CONTROL_WORDS, submittedDraft } from './submitted.ts'

export interface SubmittedMail {
  readonly mailFrom: string
  /** What `senderFault` returned for the domain of `mailFrom`; it applies when a recipient is live. */
  readonly senderFault: ApiError | null
  readonly recipients: readonly Address[]
  /** The bytes between DATA and the final dot, dots unstuffed. */
  readonly raw: Buffer
  /** Our trace field (RFC 5321 section 4.4). @param id the email that the client is told */
  readonly trace: (id: string, now: Date) => string
}

export interface SmtpSubmission {
  /** @returns why the domain may not send live mail; null: it may, or the mail is sandbox mail */
  senderFault(principal: Principal, domain: string): Promise<ApiError | null>
  /** @returns the list entry that refuses the recipient; null: there is none */
  recipientFault(principal: Principal, recipient: Address): Promise<Refusal | null>
  /**
   * Resolves after the commit with the id of the email to the first recipient who is not refused: "queued as" is said of it.
   *
   * @throws ApiError from acceptance
   */
  submit(principal: Principal, mail: SubmittedMail): Promise<{ readonly emailId: string } | SubmissionRefusal>
}

/** The scope of idempotency keys that come by SMTP. */
const PATH = 'smtp'
const ASKS_TOGETHER = 500
const MAX_WAITING_BYTES = 16 * 1_048_576

export interface SmtpSubmissionOptions extends SendingOptions {
  readonly ids: Ids
  readonly readMessage: ReadMessage
}

export function smtpSubmissionOf(options: SmtpSubmissionOptions, sending: Sending): SmtpSubmission {
  const { database, lookups, clock, ids } = options
  const prepare = preparer()
  const staysInside = ({ mode }: Principal): boolean => options.sandboxed || mode === 'sandbox'
  // Many sessions ask at the same time: what arrives while one statement runs is batched into the next.
  const asked = groupCommit<SendQuestion, Refusal | null>({
    write: (asks) => mayWeSend(database.system, asks, clock.now()),
    sizeOf: ({ recipient }) => recipient.length,
    maxItems: ASKS_TOGETHER,
    maxBytes: Number.POSITIVE_INFINITY,
    concurrency: 2,
    maxWaitingBytes: MAX_WAITING_BYTES,
    full: () => errors.service_unavailable(),
  })
  const faultOf = async (principal: Principal, name: string, place: string): Promise<ApiError | null> => {
    if (staysInside(principal)) return null
    const [domain, account] = await Promise.all([
      lookups.domain(database.system, principal.accountId, name),
      lookups.account(principal.accountId),
    ])
    return placed(refusalOf(domain, principal.domainIds, name, account.policy), name, place)
  }
  /** The first refusal for the fields that readers show next to From. */
  const besideFault = async (
    principal: Principal,
    { beside, fromDomain }: Pick<SubmittedMessage, 'beside' | 'fromDomain'>,
  ): Promise<ApiError | null> => {
    for (const [domain, field] of beside) {
      const fault = domain === fromDomain ? null : await faultOf(principal, domain, field)
      if (fault !== null) return fault
    }
    return null
  }
  return {
    senderFault: (principal, domain) => faultOf(principal, domain, 'MAIL FROM'),
    recipientFault: (principal, address) => {
      const recipient = suppressionKey(address)
      const sandbox = staysInside(principal) || sandboxResultOf(recipient) !== null
      return asked.add({ accountId: principal.accountId, recipient, sandbox })
    },
    submit: async (principal, { mailFrom, senderFault, recipients, raw, trace }) => {
      const now = clock.now()
      const id = ids.next()
      const { prepared, hash } = await prepare({ raw, mailFrom, recipients, now, id, trace: trace(id, now) })
      if (!prepared.ok) return prepared.refusal
      const read = submittedDraft(prepared.submitted, { id, recipients, now }, options.readMessage)
      if ('badHeader' in read) return { code: 550, text: `5.6.0 ${read.badHeader} ${CONTROL_WORDS[read.badHeader]}` }
      const { draft, idempotencyKey: key } = read
      const { accountId } = principal
      const idempotency: IdempotencyKey | null =
        key === null || hash === null ? null : { accountId, path: PATH, key, bodyHash: hash }
      const incoming = await sending.incoming(principal, draft)
      const fault = senderFault ?? placed(incoming.sender.refusal, draft.fromDomain, 'From')
      const refusal = draft.sandbox ? null : (fault ?? (await besideFault(principal, prepared.submitted)))
      const result = await sending.acceptance.submit({
        accountId,
        messages: [{ ...incoming, sender: { ...incoming.sender, refusal } }],
        strict: true,
        idempotency,
        patienceMs: SMTP_COMMIT_PATIENCE_MS,
        answerOf: ([outcome]) => (outcome?.kind === 'accepted' ? { status: 250, body: { email_id: id } } : null),
      })
      if (result.kind === 'replayed') return { emailId: (result.body as { email_id: string }).email_id }
      const [outcome] = result.outcomes
      if (outcome?.kind !== 'accepted') throw outcome?.error ?? platformErrors.internal_error()
      // It is stored, and delivery reads large messages from there.
      if (prepared.submitted.message.length > MAX_IN_MEMORY_BYTES) giveBack(prepared.submitted.message)
      return { emailId: id }
    },
  }
}

/** A message names several senders: the error says which of them is refused. */
function placed(fault: ApiError | null, domain: string, place: string): ApiError | null {
  if (fault === null) return null
  const { status, code, message, details } = fault
  return new ApiError(status, code, `${message}: ${domain} in ${place}`, { details, cause: fault })
}
