// Webhooks: telling the accounts' own servers what happens (contract section 12).
//
// - The follower `webhooks` turns each event of the log into one waiting delivery for each endpoint that wants it: all of a
//   stretch of the log, or none of it. Delivery is at least once; a repetition has the same event_id.
// - A delivery waits, is claimed, and ends as success or failed, or waits again. A worker that dies over one delays it by the
//   lease. Retries follow a schedule; what failed for good stays in the delivery log and can be told again.
// - A slow or dead receiver costs the others nothing (share.ts). One that says 410, or only fails for five days, is switched
//   off.
// - Requests go out through the guarded connector alone: an endpoint's address is its owner's to choose, not to abuse.
// - While an endpoint is switched off nothing is told to it, nor later.

export type { Asker, EndpointContext } from './endpoints.ts'
export { webhookFigures } from './figures.ts'
export { oldestUntold, webhookServices } from './jobs.ts'
export { dropDeliveries, ensureWebhookPartitions } from './partitions.ts'
export { type WebhookRoutesOptions, webhookRoutes } from './routes.ts'
export { webhookSecrets } from './sealed.ts'
export type { DisabledEndpoint, DisabledReason } from './types.ts'
export type { Told as ToldWebhook, WorkerOptions } from './worker.ts'
