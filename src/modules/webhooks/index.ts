// Webhooks: notifying the accounts' own servers of events (contract section 12).
//
// - The follower `webhooks` turns each event of the log into one pending delivery per endpoint that wants it: for a whole
//   stretch of the log or not at all. Delivery is at least once; a repetition has the same event_id.
// - A delivery waits, is claimed, and then ends as success or failed, or waits again. A worker that dies over a delivery
//   delays it by the lease. Retries follow a schedule; final failures stay in the delivery log and can be replayed.
// - A slow or dead receiver does not affect the others (fair-share.ts). One that answers 410, or fails without a success for five
//   days, is disabled.
// - Requests go out only through the guarded connector: the owner chooses an endpoint's address, but must not abuse it.
// - An endpoint gets nothing that happens while it is disabled, then or later.

export { webhookTables } from './account-tables.ts'
export type { Asker, EndpointContext } from './endpoints.ts'
export { webhookFigures } from './figures.ts'
export { eraseDeliveries, oldestUntold, untoldOf, webhookServices } from './jobs.ts'
export { dropDeliveries, ensureWebhookPartitions } from './partitions.ts'
export type { FinishedRequest } from './requests.ts'
export { type WebhookRoutesOptions, webhookRoutes } from './routes.ts'
export { webhookSecrets } from './sealed.ts'
export type { DisabledEndpoint, DisabledReason } from './types.ts'
export type { WorkerOptions } from './worker.ts'
