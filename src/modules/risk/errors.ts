import { defineErrors } from '../../platform/errors.ts'

/** The reason of a verdict is the code of the error (contract sections 2 and 14). */
export const riskErrors = defineErrors({
  spamtrap_detected: [422, 'The address is a known spam trap'],
  previous_complaint: [422, 'The recipient marked an earlier email as spam'],
  disposable_high_confidence: [422, 'The address belongs to a disposable-mail service'],
  sender_not_verified: [422, 'The sending domain is not verified'],
  risk_score_critical: [422, 'The combined risk score reaches the blocking limit'],
  disposable_medium_confidence: [422, 'The address may belong to a disposable-mail service'],
  previous_hard_bounce: [422, 'An earlier email to the address hard-bounced'],
  content_risk_high: [422, 'The content looks like spam'],
  velocity_first_send_bulk: [422, "The account's first email is a bulk email"],
  volume_spike: [422, 'The account is sending much more than usual'],
  recipient_suppressed: [422, 'The address is on the suppression list'],
  recipient_unsubscribed: [422, 'The recipient has unsubscribed'],
})
