// Statistics: roll-ups of the log. Emitters know nothing of them; the follower `statistics` counts each event once, in the
// transaction that advances its cursor, so the figures equal the log to the unit whatever is killed, and a replay
// (`posthorn stats rebuild`) gives the same ones. They lie at most some seconds behind.
//
// - An event counts on the day on which it happened, in the time zone of whoever asks. Days of UTC are read from roll-ups by
//   day, those of other zones from quarters of an hour.
// - Unique opens and clicks count once per email, on its first day, those of people and of anyone apart; a first that arrives
//   late moves.
// - What mailbox providers answered is counted by try, under the name that mail/providers.ts gives to the host that was asked.
// - Retention takes days out of the log; their figures stay, also in a rebuild.
// - A key that is bound to domains sees the figures of these alone.

export { statisticsCommands } from './cli.ts'
export type { Counts } from './counters.ts'
export {
  activeAccounts,
  countsOf,
  deliveryFigures,
  type MonthFigures,
  rate,
  type SentByDomain,
  sentByDomain,
} from './figures.ts'
export { followStatistics, forgetFirsts, rebuildStatistics, statisticsLoop } from './jobs.ts'
export { type StatisticsRoutesOptions, statisticsRoutes } from './routes.ts'
