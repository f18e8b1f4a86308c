// The entrance of the module: bounces, complaints and reports, and their history.

export { bounceTables } from './account-tables.ts'
export { type ReportCount, reportCommands, reportCounts } from './cli.ts'
export type { ReportedEmail, StoredEmails } from './effects.ts'
export {
  type AggregateReports,
  type Inbound,
  type InboundOptions,
  inboundOf,
  type OperatorMail,
  type ReportKind,
  recallReports,
} from './inbound.ts'
export { type ReportReader, reportReader } from './reader.ts'
export {
  type Bounce,
  type BounceSource,
  type BounceType,
  type Context,
  eraseBounces,
  forgetBounces,
  type NewBounce,
  recordBounces,
} from './record.ts'
export { type BounceRoutesOptions, bounceRoutes } from './routes.ts'
export { type InboundRoutesOptions, inboundRoutes } from './routes-inbound.ts'
