// `posthorn queue`: shows and speeds up what waits. It only uses the tables, so it can run on any machine; the delivery role
// sees what has become ready at its next poll, at most a quarter of a second later.

import { type Command, type CommandContext, JSON_OPTION, UsageError } from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import { platformErrors } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { CONSOLE } from '../accounts/index.ts'
import { runningRoles } from '../machines/index.ts'
import { type RetryOptions, retryEmail } from './control.ts'
import { holdDestination, retryDestination } from './destinations.ts'
import { ownerOfEmail } from './owner.ts'
import { EXAMINED, waitingCauses, wireCause } from './queue-causes.ts'
import { type QueuedDestination, queueByDestination, queueFigures } from './queue-figures.ts'
import { wireDestination } from './routes-queue.ts'

const LISTED = 100

type RetryRefusalOf = (context: CommandContext) => RetryOptions['retryRefusal']

export const queueCommands = (retryRefusalOf: RetryRefusalOf): readonly Command[] => [
  {
    path: ['queue', 'list'],
    summary: 'list the queued emails, by destination',
    usage: '',
    options: {
      limit: { type: 'string', value: 'number', about: `how many destinations (default: ${LISTED})` },
      ...JSON_OPTION,
    },
    run: async ({ database, clock, print, warn }, values) => {
      const limit = Number(values['limit'] ?? LISTED)
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number, 1 or more')
      const [figures, destinations, running] = await Promise.all([
        queueFigures(database.system, clock.now()),
        queueByDestination(database.system, { limit, now: clock.now() }),
        runningRoles(database.system),
      ])
      const ready = figures.find(({ state }) => state === 'ready')?.emails ?? 0
      if (ready > 0 && !running.has('delivery'))
        warn('the delivery role is not running: no email is delivered until a process with it starts')
      if (values['json'] === true) return print(JSON.stringify(destinations.map(wireDestination)))
      print(
        figures
          .map(({ state, emails }) => `${emails} ${state === 'waiting' ? 'waiting or scheduled' : state}`)
          .join(', '),
      )
      if (destinations.length === 0) return
      const rows = destinations.map((one) => tableRow(one, clock.now()))
      printRecords({ print }, values, rows, [
        'destination',
        'ready',
        'leased',
        'waiting',
        'scheduled',
        'next_attempt',
        'paused_since',
        'last_response',
      ])
    },
  },
  {
    path: ['queue', 'causes'],
    summary: 'list why deferred emails wait, for one destination or all',
    usage: '[destination]',
    options: JSON_OPTION,
    run: async ({ database, print }, values, [destination = null, ...more]) => {
      if (more.length > 0) throw new UsageError('name one destination, or none for all')
      const asked = { destination: destination?.toLowerCase() ?? null, limit: LISTED }
      const { causes, examined } = await waitingCauses(database.system, asked)
      if (values['json'] === true) return print(JSON.stringify(causes.map(wireCause)))
      print(`${examined} deferred emails examined${examined === EXAMINED ? ', those that are due first' : ''}`)
      const rows = causes.map(({ topDestinations, ...one }) => ({ ...one, top: topDestinations.join(' ') }))
      if (rows.length > 0)
        printRecords({ print }, values, rows, ['emails', 'accounts', 'destinations', 'top', 'response'])
    },
  },
  {
    path: ['queue', 'flush'],
    summary: 'retry deferred emails now, for one destination or all',
    usage: '[destination]',
    options: JSON_OPTION,
    run: async ({ database, clock, ids, print }, values, [destination = null, ...more]) => {
      if (more.length > 0) throw new UsageError('name one destination, or none to flush all')
      const name = destination?.toLowerCase() ?? null
      const emails = await known(name, retryDestination({ database, clock, ids }, CONSOLE, name))
      const subject = emails === 1 ? '1 email is' : `${emails} emails are`
      print(values['json'] === true ? JSON.stringify({ emails }) : `${subject} ready for delivery`)
    },
  },
  ...(['pause', 'resume'] as const).map(
    (verb): Command => ({
      path: ['queue', verb],
      summary:
        verb === 'pause' ? 'stop delivery to a destination, on all machines' : 'resume delivery to a destination',
      usage: '<destination>',
      options: JSON_OPTION,
      run: async ({ database, clock, ids, print }, values, [given, ...more]) => {
        if (given === undefined || more.length > 0) throw new UsageError('name one destination')
        const destination = given.toLowerCase()
        await known(destination, holdDestination({ database, clock, ids }, CONSOLE, destination, verb === 'pause'))
        const state = verb === 'pause' ? 'paused' : 'resumed'
        print(values['json'] === true ? JSON.stringify({ destination, state }) : `${destination} is ${state}`)
      },
    }),
  ),
  {
    path: ['queue', 'retry'],
    summary: 'retry one email now, whether deferred, failed or bounced',
    usage: '<email id>',
    options: JSON_OPTION,
    run: async (context, values, [id, ...more]) => {
      const { database, clock, ids, print } = context
      if (id === undefined || more.length > 0 || !isUuid(id)) throw new UsageError('name one email by its id')
      const accountId = await ownerOfEmail(database.system, id).catch((cause: unknown) => {
        throw isUnknown(cause) ? new Error(`there is no email ${id}`) : cause
      })
      const options = { database, clock, ids, onQueued: () => undefined, retryRefusal: retryRefusalOf(context) }
      await retryEmail(options, accountId, id)
      print(values['json'] === true ? JSON.stringify({ id, status: 'queued' }) : `${id} is ready for delivery`)
    },
  },
]

function tableRow(one: QueuedDestination, now: Date) {
  const { destination, ready, leased, waiting, scheduled, nextAttemptAt, pausedAt, lastResponse } = one
  return {
    ...{ destination, ready, leased, waiting, scheduled },
    next_attempt: nextAttemptAt === null ? null : inWords(nextAttemptAt.getTime() - now.getTime()),
    paused_since: pausedAt,
    last_response: lastResponse,
  }
}

/** @throws Error that names the destination when nothing was ever sent there */
function known<Done>(destination: string | null, work: Promise<Done>): Promise<Done> {
  return work.catch((cause: unknown) => {
    throw isUnknown(cause) ? new Error(`no email was ever sent to "${destination ?? ''}"`) : cause
  })
}

function isUnknown(cause: unknown): boolean {
  return (cause as { code?: string }).code === platformErrors.not_found.code
}

function inWords(ms: number): string {
  if (ms <= 0) return 'now'
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.round(seconds / 60)} min`
}
