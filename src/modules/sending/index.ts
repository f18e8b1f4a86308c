// Sending: reads a message, checks its sender against the account's domains, judges each recipient, and stores and queues what
// passes in one commit. It looks nothing up on the network about the recipient. The answer follows the commit; a refusal
// leaves nothing behind.

export {
  type Acceptance,
  type AcceptOptions,
  acceptance,
  type EmailQuota,
  NOT_ALL,
  type Outcome,
  type Submission,
  type SubmissionResult,
} from './accept.ts'
export { sendingTables } from './account-tables.ts'
export { forgetContentBlocks } from './content-events.ts'
export type { Draft } from './draft.ts'
export { errors as sendingErrors } from './errors.ts'
export { forgetKeys } from './idempotency.ts'
export * as sendingLimits from './limits.ts'
export { type PreviewOptions, type Previews, previewsOf } from './preview.ts'
export { type RecipientRequest, type SendRequest, sandboxResultOf, type TrackingOverrides } from './request.ts'
export { refusals, sendingRoutes } from './routes.ts'
export { contentEventRoutes } from './routes-content-events.ts'
export { riskRoutes } from './routes-risk.ts'
export { templateRoutes } from './routes-templates.ts'
export type { Accepted } from './rows.ts'
export {
  type ForeignMessage,
  type SendCall,
  type SenderLookups,
  type Sending,
  type SendingOptions,
  sendingOf,
} from './send.ts'
export type { Incoming, SenderDomainFacts, TrackingSettings } from './sender.ts'
export { type SmtpSubmission, type SubmittedMail, smtpSubmissionOf } from './smtp.ts'
export { type Template, type Templates, templatesOf } from './templates.ts'
