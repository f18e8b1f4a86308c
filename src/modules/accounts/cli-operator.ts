// `posthorn operator ...`: who manages the installation in the dashboard.

import { type Command, JSON_OPTION, noMore, UsageError } from '../../platform/command.ts'
import { printRecord, printRecords } from '../../platform/command-output.ts'
import { findAccount, text } from './cli-options.ts'
import { grantOperator, newSetupToken } from './operators.ts'
import { listOperators, operatorActions } from './sql-operator.ts'

const LISTED = 100

export const operatorCommands: readonly Command[] = [
  {
    path: ['operator', 'token'],
    summary: 'print a set-up token: the first person to open the dashboard with it within a week becomes an operator',
    usage: '[account]',
    options: JSON_OPTION,
    settings: ['POSTHORN_PUBLIC_URL'],
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const [account] = positionals
      const accountId = account === undefined ? null : (await findAccount(context, account)).account_id
      const token = await newSetupToken(context, accountId)
      printRecord(context, values, { token, address: `${context.config.publicUrl}/setup#${token}` })
    },
  },
  ...(['grant', 'revoke'] as const).map(
    (verb): Command => ({
      path: ['operator', verb],
      summary:
        verb === 'grant'
          ? 'make a dashboard user an operator'
          : 'remove operator rights from a user; takes effect at once',
      usage: '<address> [account]',
      options: JSON_OPTION,
      run: async (context, values, positionals) => {
        noMore(positionals, 2)
        const [email, account] = positionals
        if (email === undefined) throw new UsageError('name the email address of a user')
        const accountId = account === undefined ? null : (await findAccount(context, account)).account_id
        const changed = await grantOperator(context, { email, accountId, operator: verb === 'grant' })
        printRecord(context, values, { email, changed })
      },
    }),
  ),
  {
    path: ['operator', 'list'],
    summary: 'list operators',
    usage: '',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      noMore(positionals, 0)
      const rows = await listOperators(context.database.system)
      printRecords(context, values, rows, ['email', 'account_id', 'role', 'last_seen_at'])
    },
  },
  {
    path: ['operator', 'log'],
    summary: 'list the actions of operators, newest first',
    usage: '[account]',
    options: {
      limit: { type: 'string', value: 'number', about: `how many (default: ${LISTED})` },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const limit = Number(text(values, 'limit') ?? LISTED)
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit must be a whole number, 1 or more')
      const [account] = positionals
      const accountId = account === undefined ? null : (await findAccount(context, account)).account_id
      const rows = await operatorActions(context.database.system, accountId, { limit, offset: 0 })
      printRecords(context, values, rows, ['at', 'operator', 'ip', 'action', 'account_id', 'detail'])
    },
  },
]
