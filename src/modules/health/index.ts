// Health: a score from 0 to 100 of the last 30 days of UTC, today included, from the roll-ups alone. Each account that sent
// gets a record a day; a refresh replaces the day's. A grade that differs from the record before is told to the log in the
// transaction that keeps it. Less than 100 emails sent say nothing: no score, no grade.

export { type Health, healthOf } from './formula.ts'
export type { HealthContext } from './health.ts'
export { healthLoop } from './jobs.ts'
export { type HealthRoutesOptions, healthRoutes } from './routes.ts'
