// Health: a score from 0 to 100 over the last 30 days in UTC, including today, computed only from the roll-ups. Each account
// that sent gets one record per day; a refresh replaces the day's record. A grade that differs from the previous record is
// appended to the event log in the transaction that stores it. Fewer than 100 emails sent give no score and no grade.

export { healthTables } from './account-tables.ts'
export { type Health, healthOf } from './formula.ts'
export type { HealthContext } from './health.ts'
export { healthLoop } from './jobs.ts'
export { type HealthRoutesOptions, healthRoutes } from './routes.ts'
