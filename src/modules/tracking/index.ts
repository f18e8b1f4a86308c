// Tracking reports honestly what the readers of a mail do. It holds the tokens in links, the public pages, hits, the verdict
// whether a person or a machine made a hit, and the branded link names with their certificates.
//
// A hit is durable before it is answered (intake.ts) and becomes an event once it can be judged, some 2 s later (hit-judging.ts).
// It counts once whatever crashes in between: its id is chosen on arrival and becomes the event's id.

export { trackingTables } from './account-tables.ts'
export {
  endingCertificates,
  missingCertificates,
  type OwnCertificateState,
  ownCertificateState,
} from './certificates.ts'
export { trackingCommands } from './cli.ts'
export { rotateTokenKey } from './keys.ts'
export type { MessageLinks } from './message-links.ts'
export { dropHits, ensureHitPartitions, eraseHits } from './partitions.ts'
export { recallTracking, type TrackingOptions, type TrackingRoom, trackingRoom } from './room.ts'
export { trackingSecrets } from './sealed.ts'
export {
  type TrackingDomainFacts,
  trackingDomainExists,
  trackingDomainFacts,
  trackingDomainRecord,
} from './tracking-domains.ts'
export type { EmailLedger, EngagedEmail, TrackedEmail } from './types.ts'
