import type { Command } from '../../platform/command.ts'
import { rebuildStatistics } from './jobs.ts'

export const statisticsCommands: readonly Command[] = [
  {
    path: ['stats', 'rebuild'],
    summary: 'rebuild the statistics from the event log',
    usage: '',
    options: { json: { type: 'boolean' } },
    run: async ({ database, print }, values) => {
      const events = await rebuildStatistics(database)
      print(values['json'] === true ? JSON.stringify({ events }) : `${events} events counted`)
    },
  },
]
