// Sending domains: the names that accounts send from, the DNS records that verify them, their signing keys and settings.
//
// - Four TXT records verify a domain (src/mail/dns/records.ts); the states and the rechecks are in states.ts.
// - Two accounts may have the same name. Each has its own token, selector and key, and is verified by its own records: the
//   verification of one does not affect the other, and no answer reveals that there is another. The owner of the DNS
//   decides by publishing one token, the other, or both. An account whose token disappears loses the domain at a recheck.
// - Private keys are sealed with the row's id as additional data: swapped ciphertexts do not open. A key is shown once, in
//   the answer to the creation.
// - Removing a domain deletes its row; `onRemoved` runs in that transaction. Queued mail with an id that `signingKeys` no
//   longer knows fails with reason domain_removed. `afterRemoved` releases what is too much for one transaction; if it is
//   interrupted, the remaining mail fails when it is due.
// - The DKIM keys are replaced by a pair under another selector, once its record is found (dkim-rotation.ts).
// - An API key that is bound to domains sees and changes only these.
// - A recheck is leased by its due time: a worker that dies during one delays it by two minutes. The result is judged
//   under the row's lock, so each change of state is reported once even when checks overlap.

export { domainTables } from './account-tables.ts'
export { domainCommands } from './cli.ts'
export {
  type DomainName,
  domainsUsing,
  leaveTrackingDomain,
  oldestUsable,
  ownedDomains,
  trackingAssignments,
} from './domain-lookups.ts'
export {
  type DomainChange,
  type Domains,
  type DomainsOptions,
  domainsOf,
  type NewDomain,
  type RemovedDomain,
  type Verified,
} from './domains.ts'
export { errors } from './errors.ts'
export type { Holder } from './holder.ts'
export { activeDomainId, type InstanceKey, instanceKeyOf } from './instance-key.ts'
export { type RecheckOptions, recallRechecks, recheckDue, recheckLoop } from './jobs.ts'
export { SELECTOR_PATTERN } from './keys.ts'
export { domainRoutes } from './routes.ts'
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
export { wireDomain, wireRecords } from './wire.ts'
