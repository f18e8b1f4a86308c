// Judges one message: a verdict for each recipient, and the result for the whole message.

import type { ApiError } from '../../platform/errors.ts'
import {
  ENGINE_VERSION,
  type Known,
  type RiskPolicy,
  riskErrors,
  riskFacts,
  type Verdict,
  verdict,
} from '../risk/index.ts'
import type { RecipientRequest } from './request.ts'
import { goesToMany, type Incoming } from './sender.ts'

export interface JudgedRecipient {
  readonly recipient: RecipientRequest
  readonly sandbox: boolean
  readonly refusal: Known['refusal']
  readonly verdict: Verdict
  /** The verdict lets it pass, or the sender has overridden a soft block. */
  readonly passes: boolean
}

export interface Judged {
  readonly recipients: readonly JudgedRecipient[]
  /** Why the whole message is refused: its sender is, or no recipient passes. */
  readonly refused: ApiError | null
  /** The refusal is about the sender, which is checked before the quota. */
  readonly senderRefused: boolean
  readonly overridden: boolean
  /** Recipients that cost a credit if they are sent to. */
  readonly liveCount: number
  /** How many of these are refused. */
  readonly liveRefusedCount: number
}

/** @param known the known facts of each recipient, in order */
export function judge({ draft, sender, content }: Incoming, known: readonly Known[]): Judged {
  if (known.length !== draft.recipients.length) throw new Error('a recipient was not looked up')
  const bulk = goesToMany(draft)
  const recipients = draft.recipients.map((recipient, i): JudgedRecipient => {
    const sandbox = sender.isSandbox(recipient.key)
    const about = known[i] as Known
    const message = { sandbox, bulk, senderVerified: sender.verified, contentLevel: content.level }
    const found = verdict(riskFacts(about, message), sender.policy)
    const overridden = draft.overrideSoftBlock && found.overridable
    return { recipient, sandbox, refusal: about.refusal, verdict: found, passes: !found.wouldBlock || overridden }
  })
  const live = recipients.filter(({ sandbox }) => !sandbox)
  return {
    recipients,
    refused:
      live.length > 0 && sender.refusal !== null ? senderRefusal(sender.refusal, recipients) : refusalOf(recipients),
    senderRefused: live.length > 0 && sender.refusal !== null,
    overridden: recipients.some(({ verdict: { wouldBlock }, passes }) => wouldBlock && passes),
    liveCount: live.length,
    liveRefusedCount: live.filter(({ passes }) => !passes).length,
  }
}

/** An unverified sender gets the verdict's own reason, which may be a worse fact, so that a preview gives the same one. */
function senderRefusal(refusal: ApiError, recipients: readonly JudgedRecipient[]): ApiError {
  return refusal.code === 'sender_not_verified' ? (refusalOf(recipients) ?? refusal) : refusal
}

/** Contract section 5: if all are refused, 422 with the first recipient's code. */
function refusalOf(recipients: readonly JudgedRecipient[]): ApiError | null {
  const [first] = recipients
  if (first === undefined || recipients.some(({ passes }) => passes)) return null
  const { reasonCode, score, level, action, blockReason, overridable } = first.verdict
  return riskErrors[reasonCode ?? 'risk_score_critical']({
    risk_score: score,
    risk_level: level,
    action,
    block_reason: blockReason,
    overridable,
    recipients: recipients.map((one) => ({ email: one.recipient.address, reason: one.verdict.reasonCode })),
  })
}

/** The verdict's snapshot, kept with the email. */
export function riskSnapshot(
  { verdict: found, passes }: JudgedRecipient,
  { sender: { policy }, content, keyId }: Incoming,
): object {
  const overridden = passes && found.wouldBlock
  return {
    ...verdictSnapshot(found),
    content_score: content.score,
    content_level: content.level,
    ...(content.matches.length > 0 && { content_matches: content.matches }),
    overridden,
    overridden_by: overridden ? keyId : null,
    ...policySnapshot(policy),
  }
}

export function verdictSnapshot(found: Verdict): object {
  return {
    risk_score: found.score,
    risk_level: found.level,
    action: found.action,
    would_block: found.wouldBlock,
    reason_code: found.reasonCode,
    risk_factors: found.factors,
    breakdown: found.breakdown,
  }
}

export function policySnapshot(policy: RiskPolicy): object {
  return {
    policy_snapshot: {
      block_disposable_emails: policy.blockDisposableEmails,
      enforce_sender_verification: policy.enforceSenderVerification,
      disposable_confidence_threshold: policy.disposableConfidenceThreshold,
      customer_plan: policy.plan,
    },
    engine_version: ENGINE_VERSION,
  }
}
