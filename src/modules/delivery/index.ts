// The entrance of the module: sends the mail of the outbox and reports the results. The rules are in worker.ts (claims,
// bounds, leases, stop), conclude.ts (one email), route.ts (connections), schedule.ts (retry times) and results.ts (the meaning of
// answers). Sandbox mail takes the same path up to the network and then goes into the inbox.

export { inboxTables } from './account-tables.ts'
export { type Composer, composerOf } from './compose.ts'
export { errors } from './errors.ts'
export { type HtmlReader, htmlReader } from './html-reader.ts'
export { eraseInbox, forgetInbox } from './inbox.ts'
export { type DeliveryOptions, HALF_LIMITS, LIMITS, type Limits, type TriedEmail } from './options.ts'
export { askRelay, type Relay, type RelayAnswer } from './relay.ts'
export { type InboxRoutesOptions, inboxRoutes } from './routes.ts'
export { sideBySide } from './side-by-side.ts'
export type { SigningKey, SigningKeys, Tracking, UnsubscribeLinks } from './types.ts'
export { type WarmUp, warmUpFindings, warmUpOf } from './warm-up.ts'
export { type Delivery, deliveryService } from './worker.ts'
