// Statistics: roll-ups of the event log. Emitters know nothing of them. The follower `statistics` counts each event once, in
// the transaction that advances its cursor, so the figures equal the log exactly after any crash, and a replay
// (`posthorn stats rebuild`) gives the same figures. They lag by some seconds at most.
//
// - An event counts on the day on which it happened, in the time zone of the request. Days in UTC are read from the daily
//   roll-ups, days in other zones from days, hours and quarters of an hour.
// - Unique opens and clicks count once per email, on its first day, separately for people and for anyone. When an earlier first
//   arrives late, the count moves.
// - The answers of mailbox providers are counted per attempt, under the name that mail/dns/providers.ts gives to the host asked.
// - Retention removes days from the log; their figures stay, also in a rebuild.
// - A key bound to domains sees only the figures of these domains.

export { statisticsTables } from './account-tables.ts'
export { statisticsCommands } from './cli.ts'
export type { Counts } from './counters.ts'
export {
  activeAccounts,
  complainedDomains,
  countsOf,
  deliveryFigures,
  type MonthFigures,
  openedDomains,
  rate,
  type SentByDomain,
  sentByDomain,
} from './figures.ts'
export { followStatistics, forgetFirsts, isCountedUpTo, rebuildStatistics, statisticsLoop } from './jobs.ts'
export { type StatisticsRoutesOptions, statisticsRoutes } from './routes.ts'
