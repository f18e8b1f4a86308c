// The operator's commands for spam traps and overrides.

import { createReadStream } from 'node:fs'
import {
  type Command,
  type CommandContext,
  JSON_OPTION,
  noMore,
  type OptionValues,
  UsageError,
} from '../../platform/command.ts'
import { printRecords } from '../../platform/command-output.ts'
import { isUuid } from '../../platform/ids.ts'
import { listOverrides } from './overrides.ts'
import { changeTraps, countTraps } from './traps.ts'

const DAY_MS = 86_400_000
const OVERRIDE_DAYS = 30
const MOST_DAYS = 36_500
const MAX_OVERRIDES = 1_000

/** Purpose of the MAC under which the list of spam traps is stored. */
export const TRAP_PURPOSE = 'spamtrap'

export const riskCommands: readonly Command[] = [
  {
    path: ['spamtrap', 'import'],
    summary: 'add addresses and domains to the list of spam traps; one per line, `-` reads standard input',
    usage: '<file>',
    options: JSON_OPTION,
    run: (context, values, positionals) => change(context, values, positionals, 'add'),
  },
  {
    path: ['spamtrap', 'remove'],
    summary: 'remove addresses and domains from the list of spam traps',
    usage: '<file>',
    options: JSON_OPTION,
    run: (context, values, positionals) => change(context, values, positionals, 'remove'),
  },
  {
    path: ['spamtrap', 'count'],
    summary: 'count the spam traps on the list',
    usage: '',
    options: JSON_OPTION,
    run: async ({ database, print }, values) => {
      const spamtraps = await countTraps(database)
      print(values['json'] === true ? JSON.stringify({ spamtraps }) : `${spamtraps} spam traps`)
    },
  },
  {
    path: ['risk', 'overrides'],
    summary: 'list the soft blocks that senders have overridden, newest first, at most 1,000',
    usage: '[account id] [--days 30]',
    options: {
      days: { type: 'string', value: 'number', about: `how far back (default: ${OVERRIDE_DAYS})` },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const [accountId = null] = positionals
      const days = Number(values['days'] ?? OVERRIDE_DAYS)
      if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
        throw new UsageError(`--days must be a whole number from 1 to ${MOST_DAYS}`)
      if (accountId !== null && !isUuid(accountId)) throw new UsageError(`"${accountId}" is not an account id`)
      const from = new Date(context.clock.now().getTime() - days * DAY_MS)
      const rows = await listOverrides(context.database.system, { accountId, from, limit: MAX_OVERRIDES })
      printRecords(context, values, rows, ['at', 'account_id', 'email_id', 'key_id', 'reason', 'score'])
    },
  },
]

async function change(
  { database, secrets, clock, print }: CommandContext,
  values: OptionValues,
  positionals: readonly string[],
  how: 'add' | 'remove',
): Promise<void> {
  const [file, more] = positionals
  if (file === undefined || more !== undefined) throw new UsageError('name one file')
  const store = { database, mac: (text: string) => secrets.mac(TRAP_PURPOSE, text), now: () => clock.now() }
  const summary = await changeTraps(store, file === '-' ? process.stdin : createReadStream(file), how)
  if (values['json'] === true) {
    print(JSON.stringify(summary))
    return
  }
  for (const { line, text, message } of summary.errors) print(`line ${line}: "${text}" ${message}`)
  const { read, changed, failed } = summary
  print(`${read} rows read, ${changed} ${how === 'add' ? 'added to' : 'removed from'} the list, ${failed} invalid`)
}
