// The append-only log: one row per fact, written in the transaction of the fact. Emitters do not know their followers.
// Statistics, webhooks, health and the bounce history follow this one log, each with a cursor that is advanced in the
// transaction of its own effect; a follower that dies repeats nothing and skips nothing.
//
// A mail's own facts (recipient, subject, metadata ...) stand in the first event of the email alone, which is written
// when the email is accepted; later events are joined to it by the email's id, whose time says in which partition it is.
// When retention has taken the first event, whoever keeps the email itself is asked, for as long as it is kept (`KeptFacts`).

export { append, type NewEvent } from './append.ts'
export { type FollowedEvent, type FollowOptions, follow, followerLags, logBegins, rewind } from './follow.ts'
export { dropEvents, ensureEventPartitions, forgetEvents, readUpTo } from './partitions.ts'
export { ComplaintDkim, describedEvents, EventItem, TlsSession } from './payloads.ts'
export {
  type EventPeriod,
  type EventReference,
  eventsByReference,
  eventsOfEmail,
  eventsOfPeriod,
  factsOf,
  firstAndLast,
  type KeptFacts,
  wireEvent,
} from './read.ts'
export { type EventRoutesOptions, eventRoutes } from './routes.ts'
export { type UnfollowedExpressions, unfollowedSql } from './sql.ts'
export { type EventStreams, type EventStreamsOptions, eventStreams } from './stream.ts'
export { type EmailFacts, EVENT_TYPES, type EventType, eventType, type Stream, type WireEvent } from './types.ts'
