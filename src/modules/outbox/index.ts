// The outbox holds emails from acceptance until long after their end: one row per email, the content once per request, a narrow
// queue row while something is left to do, one row per attempt.
//
// scheduled -> queued -> (deferred ->)* delivered | bounced | failed | suppressed; scheduled, queued and deferred may be
// canceled; delivered may become complained, or bounced by a late report.
//
// A process that dies between claim and result leaves leases behind. Its node row expires, another node marks the epoch dead
// and makes its rows ready again; the epoch and the number from each claim fence out late writes of the dead process. Sending
// accepts (`enqueue`), delivery claims and completes, everyone else reads.

import { judgedEmails } from './sql.ts'

export { queueCommands } from './cli.ts'
export { contentStretches, decodeContent, encodeContent } from './content.ts'
export {
  type ControlOptions,
  cancelEmail,
  cancelWaiting,
  type RetryOptions,
  type RetryRefusal,
  rescheduleEmail,
  retryEmail,
  statusName,
} from './control.ts'
export { type EmailAsRead, type EmailCalls, emailCalls } from './email-calls.ts'
export { type EmailStory, emailStory, emailsTo, keptFacts, lastAttempts, type StoredAttempt } from './emails.ts'
export { countEngagement, type EngagedEmail, engagedEmails, lockEngagedEmails } from './engagement.ts'
export { emailErrors } from './errors.ts'
export { type FreshEmails, freshEmails } from './fresh-emails.ts'
export { messageReader, type ReadMessage } from './message-reader.ts'
export { databaseTime, joinAsNode, leaveAsNode, type NodeLease, RENEW_EVERY_MS, renewLease, takeOver } from './node.ts'
export { claimOverdue, pausedSites } from './overdue.ts'
export { hasEmail } from './owner.ts'
export {
  dropOutboxDays,
  type ErasedEmail,
  ensureOutboxPartitions,
  eraseEmails,
  forgetContents,
  forgetEmails,
  forgetOutbox,
  hasEmails,
  hasLeasedEmails,
  lockEmailsTo,
  oldestUnended,
} from './partitions.ts'
export {
  type ClaimAnswer,
  type ClaimAsk,
  claim,
  complete,
  enqueue,
  fetchBody,
  fetchQueuedEmails,
  firstAttemptWith,
  handBack,
  PROMOTE_LIMIT,
  type PutOffBound,
  promote,
  RECALL_LIMIT,
  recall,
  releaseAllOfDomain,
  releaseDomain,
  releaseRemoved,
} from './queue.ts'
export { queueFigures } from './queue-figures.ts'
export { queueAnnouncer, whenQueued } from './queue-signal.ts'
export { AttachmentFields, framed, wireAttachment } from './readable-content.ts'
export { readingTurns } from './reading-turns.ts'
export {
  lockReportedEmail,
  markBounced,
  markComplained,
  type ReportedEmail,
  type ReportKey,
} from './reports.ts'
export { storedResponse } from './responses.ts'
export { type EmailRoutesOptions, emailRoutes } from './routes.ts'
export { type QueueRoutesOptions, queueRoutes } from './routes-queue.ts'
export { type SiteReporter, siteReporter } from './site-reports.ts'
export { type SiteIds, siteIds } from './sites.ts'
export * from './types.ts'

/**
 * The emails of an account in a range of ids, as SQL for another module's statement: rows of (id uuid, domain_id uuid, risk
 * jsonb).
 *
 * @param range SQL expressions of the outer statement; `from` is inclusive, `below` exclusive
 */
export function judgedEmailsSql(range: {
  readonly accountId: string
  readonly from: string
  readonly below: string
}): string {
  return judgedEmails(range)
}
