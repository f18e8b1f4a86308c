// Notices: what an account or the operator must hear of even when nobody is looking. Each is first a record, written together
// with its fact and under a key that identifies the fact, so nothing is reported twice. It then becomes a system mail, in the
// transaction that marks the record as mailed. A crash in between delays a notice, but neither loses nor duplicates it.
//
// To the account's address: a disabled endpoint, a changed health grade, a domain that lost its records, a tracking domain's
// certificate that cannot be renewed, monthly quotas used to 80 and to 100 per cent, a domain with too many complaints or
// with mail that is opened far more often than it was delivered. To the account's former address: the change of the address.
// To POSTHORN_OPERATOR_EMAIL: an account whose grade fell to D or F or that has such a domain, a verified domain that looks like
// another's, a nearly full disk, a follower of the log that stands still, a certificate about to expire; without an operator's
// address these stay records only. Mail that people write to postmaster and abuse is forwarded to the operator.

export { noticeTables } from './account-tables.ts'
export { type ForwardOptions, operatorForward } from './forward.ts'
export {
  forgetNotices,
  type NoticesOptions,
  noteDisabled,
  noteTrackingLost,
  noticeServices,
  tellFormerAddress,
} from './jobs.ts'
export type { EndingCertificate, EndingTrackingCertificate } from './notice-texts.ts'
export { inboxOwner, isTlsReport, type SystemMail, type SystemMailer, systemMailer } from './system-mail.ts'
