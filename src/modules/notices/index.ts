// Notices: what an account or the operator must hear of though nobody is looking. Each is a record first, written with the
// fact that it is about and under a key that stands for that fact, so nothing is told twice; then it becomes a mail of the
// system, in the transaction that marks the record as mailed. A crash in between delays a notice and neither loses nor
// doubles it.
//
// To the account's address: an endpoint that was switched off, a health grade that changed, a domain that lost its records,
// quotas of the month used to 80 and to 100 per cent. To the address that it had until a change of it: that change. To POSTHORN_OPERATOR_EMAIL: an account whose grade fell to D or F, a
// disk that is nearly full, a follower of the log that stands still; without an operator's address these are records alone.
// And what people write to postmaster and abuse goes on to the operator.

export { type ForwardOptions, operatorForward } from './forward.ts'
export { forgetNotices, type NoticesOptions, noteDisabled, noticeServices, tellFormerAddress } from './jobs.ts'
export { inboxOwner, isTlsReport, type SystemMail, type SystemMailer, systemMailer } from './system-mail.ts'
