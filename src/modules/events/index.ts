// The append-only log: one row per fact, written in the transaction of the fact. Emitters do not know their followers.
// Statistics, webhooks, health and the bounce history follow this one log. Each advances its cursor in the transaction of
// its own effect, so a follower that crashes repeats nothing and skips nothing.
//
// The facts of an email (recipient, subject, metadata ...) are stored only in its first event, which is written when the
// email is accepted. Later events are joined to it by the email's id, whose time gives the partition. Once retention has
// deleted the first event, the facts come from the store of the email itself, while that keeps it (`KeptFacts`).

export { append, type NewEvent } from './append.ts'
export {
  type FollowedEvent,
  type FollowOptions,
  follow,
  followApart,
  followerLags,
  logBegins,
  loggedAt,
  rewind,
  type Share,
} from './follow.ts'
export { dropEvents, ensureEventPartitions, forgetEvents, hasEvents, readUpTo } from './partitions.ts'
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
export { eventsAboutEmails, eventsAboutPerson, type PersonalEvent, redactEvents } from './redact.ts'
export { type EventRoutesOptions, eventRoutes } from './routes.ts'
export { type UnfollowedExpressions, unfollowedSql } from './sql.ts'
export { type EventStreams, type EventStreamsOptions, eventStreams } from './stream.ts'
export { type EmailFacts, EVENT_TYPES, type EventType, eventType, type Stream, type WireEvent } from './types.ts'
