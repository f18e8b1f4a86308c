// The operator's commands on API keys: `posthorn key ...`.

import { parseNetwork } from '../../platform/addresses.ts'
import { type Command, type CommandContext, JSON_OPTION, noMore, UsageError } from '../../platform/command.ts'
import { printRecord, printRecords } from '../../platform/command-output.ts'
import { MAX_GRACE_HOURS } from '../../platform/http/grace-period.ts'
import { isUuid } from '../../platform/ids.ts'
import { isDateTime } from '../../platform/validation.ts'
import { findAccount, required, text } from './cli-options.ts'
import { createKey, KEY_NAME, MAX_NAME_CHARS, MAX_NETWORKS, revokeKey, rotateKey, UNBOUNDED } from './keys.ts'
import { wireKey } from './routes-keys.ts'
import { SCOPES } from './scopes.ts'
import { listKeys, selectKeyOwner } from './sql.ts'

const HOUR_MS = 3_600_000

export const keyCommands: readonly Command[] = [
  {
    path: ['key', 'create'],
    summary: 'create an API key and print it; it is shown only once',
    usage: '<account> --name <name> [--mode live|sandbox] [--scopes send,emails:read] [--allowed-ips 192.0.2.0/24]',
    options: {
      name: { type: 'string', value: 'name', about: 'what the key is for; required' },
      mode: {
        type: 'string',
        value: 'live|sandbox',
        about: 'mail sent with a sandbox key stays in the inbox (default: live)',
      },
      scopes: { type: 'string', value: 'scope,...', about: `${SCOPES.join(', ')} (default: full)` },
      'allowed-ips': { type: 'string', value: 'network,...', about: 'where it may be used from (default: anywhere)' },
      'expires-at': { type: 'string', value: 'time', about: 'such as 2030-01-31T00:00:00Z (default: never)' },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const name = required(values, 'name')
      if (name.length > MAX_NAME_CHARS || !KEY_NAME.test(name)) {
        throw new UsageError(`--name must be a single line of at most ${MAX_NAME_CHARS} characters`)
      }
      const mode = text(values, 'mode') ?? 'live'
      if (mode !== 'live' && mode !== 'sandbox') throw new UsageError(`--mode must be live or sandbox, not "${mode}"`)
      const scopes = words(text(values, 'scopes') ?? 'full')
      const unknown = scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope))
      if (scopes.length === 0 || unknown !== undefined) {
        throw new UsageError(`unknown scope "${unknown ?? ''}"; use ${SCOPES.join(', ')}`)
      }
      const networks = text(values, 'allowed-ips')
      const allowedIps = words(networks ?? '')
      // An empty variable of a script must not make a key that may be used from anywhere.
      if (networks !== undefined && allowedIps.length === 0)
        throw new UsageError('--allowed-ips names no network; leave it out for a key that may be used from anywhere')
      const wrong = allowedIps.find((network) => parseNetwork(network) === null)
      if (allowedIps.length > MAX_NETWORKS) throw new UsageError(`--allowed-ips takes at most ${MAX_NETWORKS} networks`)
      if (wrong !== undefined) throw new UsageError(`"${wrong}" is not a network; use the form 192.0.2.0/24`)
      const expiresAt = dateOf(text(values, 'expires-at'))
      if (expiresAt !== null && expiresAt <= context.clock.now()) throw new UsageError('--expires-at is in the past')
      const { account_id: accountId } = await findAccount(context, positionals[0])
      const request = {
        name,
        mode,
        scopes,
        domainIds: null,
        allowedIps,
        expiresAt,
      } as const
      const { row, key } = await context.database.transaction((db) =>
        createKey(db, { ...context, ownedDomains: async () => new Set() }, { accountId, ...UNBOUNDED }, request),
      )
      printRecord(context, values, { ...wireKey(row, context.clock.now()), key })
    },
  },
  {
    path: ['key', 'list'],
    summary: 'list the API keys of an account',
    usage: '<account>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const { account_id } = await findAccount(context, positionals[0])
      const rows = await listKeys(context.database.system, account_id, null, 0)
      const now = context.clock.now()
      printRecords(
        context,
        values,
        rows.map((row) => wireKey(row, now)),
        ['id', 'prefix', 'last4', 'mode', 'scopes', 'last_used_at', 'revoked_at', 'name'],
      )
    },
  },
  {
    path: ['key', 'revoke'],
    summary: 'revoke an API key; every process refuses it within 5 s',
    usage: '<key id>',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      const { id, accountId } = await findKey(context, positionals)
      const owner = { accountId, ...UNBOUNDED }
      const row = await context.database.transaction((db) => revokeKey(db, context.clock, owner, id))
      printRecord(context, values, wireKey(row, context.clock.now()))
    },
  },
  {
    path: ['key', 'rotate'],
    summary: 'give an API key a new secret and print it; it is shown only once',
    usage: '<key id> [--grace-period-hours 0-72]',
    options: {
      'grace-period-hours': {
        type: 'string',
        value: '0-72',
        about: 'how long the old secret still works (default: 0)',
      },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      const given = text(values, 'grace-period-hours') ?? '0'
      const hours = Number(given)
      // An empty value, as of a variable that is not set, would end the old secret at once.
      if (given.trim() === '' || !(hours >= 0 && hours <= MAX_GRACE_HOURS))
        throw new UsageError('--grace-period-hours must be between 0 and 72')
      const { id, accountId } = await findKey(context, positionals)
      const { row, key } = await context.database.transaction((db) =>
        rotateKey(db, context, { accountId, ...UNBOUNDED }, id, hours * HOUR_MS),
      )
      printRecord(context, values, { ...wireKey(row, context.clock.now()), key })
    },
  },
]

async function findKey(
  { database }: CommandContext,
  positionals: readonly string[],
): Promise<{ readonly id: string; readonly accountId: string }> {
  noMore(positionals, 1)
  const [id = ''] = positionals
  if (!isUuid(id)) throw new UsageError('name the key by its id; posthorn key list shows the ids')
  const accountId = await selectKeyOwner(database.system, id)
  if (accountId === null) throw new Error(`there is no key ${id}`)
  return { id, accountId }
}

function words(list: string): readonly string[] {
  return list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** A date alone begins in UTC. As in the API, a time has its zone: that of the shell would be a guess. */
function dateOf(value: string | undefined): Date | null {
  if (value === undefined) return null
  const moment = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value
  if (!isDateTime(moment)) throw new UsageError(`"${value}" is not a time; use the form 2030-01-31T00:00:00Z`)
  return new Date(moment)
}
