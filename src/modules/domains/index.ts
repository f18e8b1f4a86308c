// Sending domains: the names that accounts send from, the DNS records that prove them, the keys that sign for them, and
// their settings.
//
// - A domain is proved by four TXT records (src/mail/dns-records.ts); the states and the rechecks are in states.ts.
// - Two accounts may have the same name. Each has its own token, selector and key, and each is judged by its own proof:
//   when one verifies, nothing happens to the other, and no answer tells that there is another. Whoever rules the DNS
//   decides, by publishing one token, the other, or both; an account whose token disappears loses the domain by recheck.
// - Private keys are sealed with the row's id as additional data: two ciphertexts swapped do not open. A key is shown
//   once, in the answer to the creation.
// - Removing a domain removes its row; `onRemoved` runs in that transaction, and mail that is queued for an id that
//   `signingKeys` no longer knows ends failed with reason domain_removed. `afterRemoved` lets go what is too much for one transaction; where it
//   breaks off, such mail ends when its own time comes.
// - A key that is bound to domains sees and changes these alone.
// - A recheck is leased by its due time: a worker that dies over one delays it by two minutes. The result is judged under
//   the row's lock, so crossing checks tell each change of state once.

export { domainCommands } from './cli.ts'
export {
  type DomainChange,
  type Domains,
  type DomainsOptions,
  domainsOf,
  type Holder,
  type NewDomain,
  type RemovedDomain,
  type Verified,
} from './domains.ts'
export {
  type DomainName,
  domainsUsing,
  leaveTrackingDomain,
  oldestUsable,
  ownedDomains,
  trackingAssignments,
} from './door.ts'
export { errors } from './errors.ts'
export { type RecheckOptions, recheckDue, recheckLoop } from './jobs.ts'
export { domainRoutes, wireDomain, wireRecords } from './routes.ts'
export { domainSecrets } from './sealed.ts'
export {
  type SenderDomain,
  type SenderDomains,
  type SenderDomainsOptions,
  type SigningKey,
  senderDomainsOf,
} from './senders.ts'
export { removedSql } from './sql.ts'
export { type DomainStatus, STATUSES } from './states.ts'
export type { Domain, DomainSettings } from './types.ts'
