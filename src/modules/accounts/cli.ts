// The operator's commands on accounts: `posthorn account ...`. An account is named by id, or by email when only one account
// has it. A secret is printed only by the command that creates it.

import { parseAddress } from '../../mail/address.ts'
import {
  type Command,
  type CommandContext,
  JSON_OPTION,
  noMore,
  type OptionValues,
  UsageError,
} from '../../platform/command.ts'
import { printRecord, printRecords } from '../../platform/command-output.ts'
import {
  ACCOUNT_NAME,
  createAccount,
  type OperatorContext,
  resume,
  setFeature,
  setLimits,
  setPlan,
  suspend,
} from './accounts.ts'
import { keyCommands } from './cli-keys.ts'
import { operatorCommands } from './cli-operator.ts'
import { findAccount, required, text } from './cli-options.ts'
import { deleteAccount } from './deletion.ts'
import { passwords } from './passwords.ts'
import { FEATURES, isPlan, PLANS, type Plan, plansFrom, RATE_CLASSES, type RateClass, RESOURCES } from './plans.ts'
import { type AccountRow, listAccounts, selectAccount, selectAccountsByEmail } from './sql.ts'

const LIMITS = [...RESOURCES, 'webhooks'] as const
const DEFAULT_PLAN: Plan = 'enterprise'
const PAGE = 500
const NOBODY = '00000000-0000-0000-0000-000000000000'

const LIMITED: Readonly<Record<(typeof LIMITS)[number], string>> = {
  emails: 'emails accepted in a month',
  validations: 'addresses validated in a month',
  content_checks: 'content checks in a month',
  risk_previews: 'risk previews in a month',
  webhooks: 'webhook endpoints',
}

const RATE_OPTION = {
  type: 'string',
  multiple: true,
  value: 'class=per second:burst',
  about: `requests of one class (${RATE_CLASSES.join(', ')}), or class=plan; may be repeated`,
} as const

const limitOptions = Object.fromEntries(
  LIMITS.map((name) => [
    name.replaceAll('_', '-'),
    { type: 'string' as const, value: 'number|unlimited|plan', about: LIMITED[name] },
  ]),
)

export const accountCommands: readonly Command[] = [
  {
    path: ['account', 'create'],
    summary: 'create an account with a live key, a test key and a dashboard user',
    usage: '--email <address> --name <name> [--plan <plan>]',
    options: {
      email: {
        type: 'string',
        value: 'address',
        about: 'of the owner, who signs in to the dashboard with it; required',
      },
      name: { type: 'string', value: 'name', about: `of the account; required` },
      plan: { type: 'string', value: 'plan', about: `${PLANS.join(', ')} (default: ${DEFAULT_PLAN})` },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      noMore(positionals, 0)
      const email = required(values, 'email')
      if (!parseAddress(email).ok) throw new UsageError(`"${email}" is not an email address`)
      const name = required(values, 'name')
      if (!ACCOUNT_NAME.test(name)) throw new UsageError('--name must be a single line of at most 200 characters')
      const [namesake] = await selectAccountsByEmail(context.database.system, email)
      const made = await createAccount(operatorOf(context), {
        email,
        name,
        plan: planOf(text(values, 'plan') ?? DEFAULT_PLAN),
      })
      printRecord(context, values, {
        account_id: made.accountId,
        api_key: made.apiKey,
        test_api_key: made.testApiKey,
        dashboard_password: made.dashboardPassword,
      })
      // One person may have several accounts, so this is not refused; the warning is for someone who meant the existing one.
      if (namesake !== undefined)
        context.warn(`account ${namesake.account_id} has ${email} too. Both accounts remain; name them by id`)
    },
  },
  {
    path: ['account', 'list'],
    summary: 'list accounts',
    usage: '',
    options: JSON_OPTION,
    run: async (context, values, positionals) => {
      noMore(positionals, 0)
      const all: ReturnType<typeof shown>[] = []
      for (let after = NOBODY; ; ) {
        const rows = await listAccounts(context.database.system, after, PAGE)
        all.push(...rows.map(shown))
        const last = rows.at(-1)
        if (last === undefined || rows.length < PAGE) break
        after = last.account_id
      }
      printRecords(context, values, all, ['account_id', 'email', 'plan', 'suspended_at', 'name'])
    },
  },
  {
    path: ['account', 'set-plan'],
    summary: `set the plan of an account: ${PLANS.join(', ')}`,
    usage: '<account> <plan>',
    options: JSON_OPTION,
    run: (context, values, positionals) =>
      change(context, values, positionals, 2, (operator, { account_id }) =>
        setPlan(operator, account_id, planOf(positionals[1] ?? '')),
      ),
  },
  {
    path: ['account', 'set-limits'],
    summary: 'override limits of the plan for one account: a number, `unlimited`, or `plan` to remove the override',
    usage: '<account> [--emails 5000] [--webhooks unlimited] [--rate send=500:1000] [--rate default=plan]',
    options: { ...limitOptions, rate: RATE_OPTION, ...JSON_OPTION },
    run: (context, values, positionals) =>
      change(context, values, positionals, 1, async (operator, { account_id, limits }) => {
        const changes = limitChanges(values)
        const rates = rateChanges(values, limits.rates ?? {})
        if (Object.keys(changes).length === 0 && rates === null)
          throw new UsageError('name at least one limit, such as --emails 5000')
        await setLimits(operator, account_id, { ...changes, ...(rates !== null && { rates }) })
      }),
  },
  {
    path: ['account', 'set-feature'],
    summary: `turn a feature of one account on or off: ${FEATURES.join(', ')}; \`plan\` removes the override`,
    usage: '<account> <feature> <on|off|plan>',
    options: JSON_OPTION,
    run: (context, values, positionals) =>
      change(context, values, positionals, 3, (operator, { account_id }) => {
        const [, name, to = ''] = positionals
        const feature = FEATURES.find((one) => one === name)
        if (feature === undefined) throw new UsageError(`unknown feature "${name}"; use ${FEATURES.join(', ')}`)
        if (!['on', 'off', 'plan'].includes(to)) throw new UsageError(`"${to}" is not on, off or plan`)
        return setFeature(operator, account_id, feature, to === 'plan' ? null : to === 'on')
      }),
  },
  {
    path: ['account', 'suspend'],
    summary: 'suspend an account: it becomes read-only, and its sending and its queue stop within 5 s',
    usage: '<account>',
    options: JSON_OPTION,
    run: (context, values, positionals) =>
      change(context, values, positionals, 1, (operator, { account_id }) => suspend(operator, account_id)),
  },
  {
    path: ['account', 'resume'],
    summary: 'resume a suspended account',
    usage: '<account>',
    options: JSON_OPTION,
    run: (context, values, positionals) =>
      change(context, values, positionals, 1, (operator, { account_id }) => resume(operator, account_id)),
  },
  {
    path: ['account', 'delete'],
    summary: 'delete an account with all its data; this cannot be undone',
    usage: '<account> --confirm <email of the account>',
    options: { confirm: { type: 'string', about: 'the email address of the account, as a safeguard' } },
    run: async (context, values, positionals) => {
      noMore(positionals, 1)
      const { account_id } = await findAccount(context, positionals[0])
      await deleteAccount(operatorOf(context), account_id, required(values, 'confirm'))
      context.print(`${account_id} is deleted; its data will be within minutes, or hours if there is much of it`)
    },
  },
  ...keyCommands,
  ...operatorCommands,
]

async function change(
  context: CommandContext,
  values: OptionValues,
  positionals: readonly string[],
  words: number,
  act: (operator: OperatorContext, row: AccountRow) => Promise<void>,
): Promise<void> {
  noMore(positionals, words)
  if (positionals.length < words) throw new UsageError('an argument is missing')
  const { account_id } = await findAccount(context, positionals[0])
  const before = await selectAccount(context.database.system, account_id)
  if (before === null) throw new Error(`there is no account ${account_id}`)
  await act(operatorOf(context), before)
  const after = await selectAccount(context.database.system, account_id)
  if (after !== null) printRecord(context, values, shown(after))
}

function operatorOf({ database, secrets, ids, clock }: CommandContext): OperatorContext {
  return { database, secrets, ids, clock, passwords: passwords(ids.bytes) }
}

function planOf(name: string): Plan {
  if (!isPlan(name)) throw new UsageError(`unknown plan "${name}"; use ${PLANS.join(', ')}`)
  return name
}

function limitChanges(values: OptionValues): Record<string, number | null | undefined> {
  const changes: Record<string, number | null | undefined> = {}
  for (const name of LIMITS) {
    const to = text(values, name.replaceAll('_', '-'))
    if (to !== undefined) changes[name] = limitOf(to)
  }
  return changes
}

/** Undefined = the plan's, null = unlimited. */
function limitOf(to: string): number | null | undefined {
  if (to === 'plan') return undefined
  if (to === 'unlimited') return null
  const number = Number(to)
  if (!/^\d+$/.test(to) || !Number.isSafeInteger(number)) {
    throw new UsageError(`"${to}" is not a whole number, unlimited or plan`)
  }
  return number
}

type RateOverrides = NonNullable<AccountRow['limits']['rates']>

/** Applies `class=perSecond:burst` options to the account's present overrides. Null when none is given. */
function rateChanges(values: OptionValues, present: RateOverrides): RateOverrides | null {
  const given = values['rate']
  if (!Array.isArray(given)) return null
  const rates: Record<string, unknown> = { ...present }
  for (const one of given) {
    const [, name = '', perSecond, burst] = /^(\w+)=(?:plan|([\d.]+):(\d+))$/.exec(String(one)) ?? []
    if (!(RATE_CLASSES as readonly string[]).includes(name)) {
      throw new UsageError(
        `"${one}" is not a rate; use the form send=100:200 (per second:burst), with one of ${RATE_CLASSES.join(', ')}`,
      )
    }
    delete rates[name]
    if (perSecond !== undefined) rates[name] = checkedRate(name as RateClass, Number(perSecond), Number(burst))
  }
  return rates as RateOverrides
}

function checkedRate(name: RateClass, perSecond: number, burst: number): RateOverrides[RateClass] {
  try {
    return plansFrom({ rates: { [name]: { per_second: perSecond, burst } } }).enterprise.rates[name]
  } catch (cause) {
    throw new UsageError(`${name}: ${(cause as Error).message}`, { cause })
  }
}

function shown(row: AccountRow) {
  const { account_id, email, name, plan, limits, features, suspended_at, created_at } = row
  return { account_id, email, name, plan, limits: shownLimits(limits), features, suspended_at, created_at }
}

/** With the field names of a plans file. */
function shownLimits({ rates, ...limits }: AccountRow['limits']): Record<string, unknown> {
  if (rates === undefined) return limits
  const named = Object.entries(rates).map(([name, { perSecond, burst }]) => [name, { per_second: perSecond, burst }])
  return { ...limits, rates: Object.fromEntries(named) }
}
