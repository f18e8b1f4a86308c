// Tracking: what readers of a mail do, told honestly. Tokens in links, the public pages, hits, the verdict whether a
// person or a machine was there, and the branded names of links with their certificates.
//
// A hit is durable before its answer (intake.ts), becomes an event when it can be judged, some 2 s later (judge.ts), and
// counts once whatever dies in between: its id is chosen when it comes in and stays the event's.

export { type OwnCertificateState, ownCertificateState } from './certificates.ts'
export { trackingCommands } from './cli.ts'
export { rotateTokenKey } from './keys.ts'
export { type TrackingDomainFacts, trackingDomainExists, trackingDomainFacts, trackingDomainRecord } from './names.ts'
export { dropHits, ensureHitPartitions } from './partitions.ts'
export { type TrackingOptions, type TrackingRoom, trackingRoom } from './room.ts'
export { trackingSecrets } from './sealed.ts'
export type { Treating } from './treat.ts'
export type { EmailLedger, EngagedEmail, TrackedLetter } from './types.ts'
