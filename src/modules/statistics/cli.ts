import { type Command, JSON_OPTION } from '../../platform/command.ts'
import { rebuildStatistics } from './jobs.ts'

export const statisticsCommands: readonly Command[] = [
  {
    path: ['stats', 'rebuild'],
    summary: 'rebuild the statistics from the event log',
    usage: '',
    options: JSON_OPTION,
    run: async ({ database, print }, values) => {
      const events = await rebuildStatistics(database)
      print(values['json'] === true ? JSON.stringify({ events }) : `${events} events counted`)
    },
  },
]
