// The door of the room: it takes what is in the outbox to where it belongs, and tells what became of it. The rules stand
// in worker.ts (claims, bounds, leases, stop), route.ts (connections), schedule.ts (when to try again) and results.ts (what
// an answer means). Sandbox mail takes the same path up to the network and then stands in the inbox.

export { type Composer, composerOf } from './compose.ts'
export { errors } from './errors.ts'
export { type HtmlReader, htmlReader } from './html-reader.ts'
export { forgetInbox } from './inbox.ts'
export { type DeliveryOptions, LIMITS, type Limits, type TriedEmail } from './options.ts'
export { askRelay, type Relay, type RelayAnswer } from './relay.ts'
export { type InboxRoutesOptions, inboxRoutes } from './routes.ts'
export type { SigningKey, SigningKeys, Tracking, UnsubscribeLinks } from './types.ts'
export { type Delivery, deliveryService } from './worker.ts'
