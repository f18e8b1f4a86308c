// The operator's endpoints on accounts: the list of all accounts, a single account, the log of operators' actions, and the
// plans. They act for a signed-in person who is an operator; an account's owner is refused.

import { type Static, Type } from 'typebox'
import { parseAddress } from '../../mail/address.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { validationError } from '../../platform/errors.ts'
import {
  type Answer,
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  list,
  listOf,
  NO_STORE,
  named,
  nullable,
  ONE_LINE,
  PageLimit,
  Page as PageNumber,
  PagePagination,
  pageWindow,
  paginationOf,
  single,
  Uuid,
} from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { createAccount, type OperatorContext, resume, setFeature, setLimits, setPlan, suspend } from './accounts.ts'
import { errors } from './errors.ts'
import { closeAccount, openAccount } from './operators.ts'
import { FEATURES, PLANS, type Plan, type Plans, RATE_CLASSES, RESOURCES, termsOf } from './plans.ts'
import type { Accounts } from './room.ts'
import { deletionRoute } from './routes-deletion.ts'
import { MAX_EMAIL_CHARS } from './schemas.ts'
import { sessionChecks } from './session-checks.ts'
import { type AccountRow, selectAccount } from './sql.ts'
import { selectUsage } from './sql-meter.ts'
import {
  type AccountOverview,
  accountOverviews,
  accountsPerPlan,
  countAccounts,
  countOperatorActions,
  type OverviewFilter,
  operatorActions,
} from './sql-operator.ts'
import { listUsers } from './sql-users.ts'
import { SYSTEM_ACCOUNT_ID } from './system.ts'

export interface OperatorRoutesOptions {
  readonly accounts: Accounts
  readonly plans: Plans
  readonly database: Database
  readonly secrets: Secrets
  readonly ids: Ids
  readonly clock: Clock
}

const TAG = 'Operator'
const MAX_TEXT_CHARS = 200

const Line = Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARS, pattern: ONE_LINE })
const PlanName = named('Plan', Type.Enum([...PLANS]))
const Count = nullable(Type.Integer())
const Limit = nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
const LIMIT_NAMES = [...RESOURCES, 'webhooks'] as const

const OVERVIEW = {
  id: Uuid,
  name: Type.String(),
  email: Type.String(),
  plan: PlanName,
  suspended_at: nullable(DateTime),
  created_at: DateTime,
}
const Overview = named(
  'AccountOverview',
  Type.Object({ ...OVERVIEW, emails_this_month: Type.Integer(), users: Type.Integer() }),
)
const counts = Object.fromEntries(LIMIT_NAMES.map((name) => [name, Count]))
const Numbers = named(
  'AccountLimits',
  Type.Object(counts, { description: 'Limits of the account or plan. Null means unlimited.' }),
)
const Features = named('Features', Type.Object(Object.fromEntries(FEATURES.map((name) => [name, Type.Boolean()]))))
const Detail = named(
  'Account',
  Type.Object({
    ...OVERVIEW,
    limits: Numbers,
    own_limits: named(
      'OwnLimits',
      Type.Partial(Type.Object(counts), { description: 'Limits set for this account that override its plan.' }),
    ),
    features: Features,
    own_features: named(
      'OwnFeatures',
      Type.Partial(Type.Object(Object.fromEntries(FEATURES.map((name) => [name, Type.Boolean()])))),
    ),
    used_this_month: named(
      'MonthlyUse',
      Type.Object(Object.fromEntries(RESOURCES.map((name) => [name, Type.Integer()]))),
    ),
    users: Type.Array(
      named(
        'AccountUser',
        Type.Object({
          id: Uuid,
          email: Type.String(),
          role: Type.String(),
          operator: Type.Boolean(),
          last_seen_at: nullable(DateTime),
        }),
      ),
    ),
  }),
)
const Action = named(
  'OperatorAction',
  Type.Object({
    id: Uuid,
    at: DateTime,
    operator: Type.String(),
    ip: nullable(Type.String()),
    action: Type.String(),
    account_id: nullable(Uuid),
    account_name: nullable(Type.String()),
    detail: Type.Object({}, { additionalProperties: true }),
  }),
)
const PlanReport = named(
  'PlanTerms',
  Type.Object({
    plan: PlanName,
    accounts: Type.Integer(),
    limits: Numbers,
    features: Features,
    rates: named(
      'PlanRates',
      Type.Object(
        Object.fromEntries(
          RATE_CLASSES.map((name) => [
            name,
            named('PlanRate', Type.Object({ per_second: Type.Number(), burst: Type.Integer() })),
          ]),
        ),
      ),
    ),
  }),
)
const Created = named(
  'CreatedAccount',
  Type.Object({
    id: Uuid,
    api_key: Type.String(),
    test_api_key: Type.String(),
    dashboard_password: Type.String(),
  }),
)
const Change = named(
  'UpdateAccountRequest',
  Type.Object(
    {
      plan: Type.Optional(PlanName),
      limits: Type.Optional(
        named(
          'ChangedLimits',
          Type.Partial(
            Type.Object(
              Object.fromEntries(LIMIT_NAMES.map((name) => [name, Type.Union([Limit, Type.Literal('plan')])])),
            ),
            {
              additionalProperties: false,
              description:
                'Limits that override the plan: a number, null for unlimited, or `plan` to remove the override.',
            },
          ),
        ),
      ),
      features: Type.Optional(
        named(
          'ChangedFeatures',
          Type.Partial(Type.Object(Object.fromEntries(FEATURES.map((name) => [name, nullable(Type.Boolean())]))), {
            additionalProperties: false,
            description: 'Features that override the plan. Null removes the override.',
          }),
        ),
      ),
    },
    { additionalProperties: false },
  ),
)

const READ = [errors.not_signed_in, errors.not_operator]
const WRITE = [...READ, errors.cross_site_request]

export function operatorRoutes(options: OperatorRoutesOptions): readonly AnyEndpoint[] {
  return [...accountRoutes(options), ...oneAccountRoutes(options), ...logRoutes(options)]
}

function contextOf({ accounts, database, secrets, ids, clock }: OperatorRoutesOptions): OperatorContext {
  return { database, secrets, ids, clock, passwords: accounts.passwords }
}

function accountRoutes(options: OperatorRoutesOptions): readonly AnyEndpoint[] {
  const { accounts, database } = options
  const checks = sessionChecks(accounts.sessions)
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/accounts',
      access: null,
      authenticate: checks.operator,
      operationId: 'listAccounts',
      summary: 'List accounts, newest first',
      tag: TAG,
      query: Type.Object({
        search: Type.Optional(
          Type.String({
            maxLength: MAX_EMAIL_CHARS,
            description:
              'Part of the name or email address of the account, or of the email address of a user; or the ID of the account.',
          }),
        ),
        plan: Type.Optional(PlanName),
        suspended: Type.Optional(Type.Boolean()),
        page: PageNumber,
        limit: PageLimit,
      }),
      answers: { 200: listOf(Overview, PagePagination) },
      errors: READ,
      handle: async (call): Promise<Answer> => {
        const { search = '', plan = null, suspended = null } = call.query
        const filter: OverviewFilter = {
          month: accounts.quotas.period().month,
          but: SYSTEM_ACCOUNT_ID,
          search: search.trim() === '' ? null : search.trim(),
          plan: plan as Plan | null,
          suspended,
        }
        const window = pageWindow(call.query)
        const total = await countAccounts(database.system, filter)
        const rows = await accountOverviews(database.system, filter, window)
        return list(rows.map(wireOverview), paginationOf(window, rows.length, total))
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/operator/accounts',
      access: null,
      authenticate: checks.operator,
      operationId: 'createAccount',
      summary: 'Create an account. Its API keys and the password of its owner are shown only once.',
      tag: TAG,
      examples: exampleBody({ email: 'ben@store.example', name: 'Store', plan: 'professional' }),
      body: named(
        'CreateAccountRequest',
        Type.Object(
          {
            email: Type.String({ minLength: 3, maxLength: MAX_EMAIL_CHARS }),
            name: Line,
            plan: Type.Optional(PlanName),
          },
          { additionalProperties: false },
        ),
      ),
      answers: { 201: dataOf(Created) },
      errors: WRITE,
      handle: async (call): Promise<Answer> => {
        const { email: operator } = call.visitor
        const { email, name, plan } = call.body
        if (!parseAddress(email).ok)
          throw validationError([{ field: 'email', rule: 'email', message: 'is no email address' }])
        const context = { ...contextOf(options), by: { email: operator, ip: call.ip } }
        const made = await createAccount(context, { email, name, ...(plan !== undefined && { plan: plan as Plan }) })
        const { accountId: id, apiKey, testApiKey, dashboardPassword } = made
        const data = { id, api_key: apiKey, test_api_key: testApiKey, dashboard_password: dashboardPassword }
        return { ...single(data, { status: 201 }), headers: NO_STORE }
      },
    }),
  ]
}

function oneAccountRoutes(options: OperatorRoutesOptions): readonly AnyEndpoint[] {
  const { accounts, database } = options
  const checks = sessionChecks(accounts.sessions)
  const path = '/api/v1/operator/accounts/{id}'
  const one = { params: IdParams, access: null, authenticate: checks.operator, tag: TAG } as const
  const turn = (verb: 'suspend' | 'resume', summary: string, act: typeof suspend): AnyEndpoint =>
    endpoint({
      ...one,
      method: 'POST',
      path: `${path}/${verb}`,
      operationId: `${verb}Account`,
      summary,
      answers: { 200: dataOf(Detail) },
      errors: [...WRITE, errors.not_found],
      handle: async (call): Promise<Answer> => {
        const { email } = call.visitor
        await act({ ...contextOf(options), by: { email, ip: call.ip } }, call.params.id)
        return single(await detailOf(options, call.params.id))
      },
    })
  return [
    endpoint({
      ...one,
      method: 'GET',
      path,
      operationId: 'getAccount',
      summary: 'Get an account with its limits, usage and users',
      answers: { 200: dataOf(Detail) },
      errors: [...READ, errors.not_found],
      handle: async (call): Promise<Answer> => {
        return single(await detailOf(options, call.params.id))
      },
    }),
    endpoint({
      ...one,
      method: 'PATCH',
      path,
      operationId: 'updateAccount',
      summary: "Update an account's plan, and the limits and features that override it",
      examples: exampleBody(
        { plan: 'business', limits: { emails: 250_000 }, features: { content_events: true } },
        'Another plan, with a limit and a feature of its own',
      ),
      body: Change,
      answers: { 200: dataOf(Detail) },
      errors: [...WRITE, errors.not_found],
      handle: async (call): Promise<Answer> => {
        const { email } = call.visitor
        await change({ ...contextOf(options), by: { email, ip: call.ip } }, call.params.id, call.body)
        return single(await detailOf(options, call.params.id))
      },
    }),
    turn('suspend', 'Suspend an account. It becomes read-only, and its queue stops within 5 seconds.', suspend),
    turn('resume', 'Resume a suspended account', resume),
    deletionRoute(options, contextOf(options)),
    endpoint({
      ...one,
      method: 'POST',
      path: `${path}/open`,
      operationId: 'openAccount',
      summary: 'Open an account. The session then acts on it with the rights of an owner.',
      answers: { 204: Type.Null() },
      errors: [...WRITE, errors.not_found],
      handle: async (call): Promise<Answer> => {
        await openAccount({ ...options, database }, call.visitor, call.ip, call.params.id)
        return { status: 204, body: undefined }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/operator/leave',
      access: null,
      authenticate: checks.operator,
      operationId: 'leaveAccount',
      summary: 'Leave the opened account and return to your own',
      tag: TAG,
      answers: { 204: Type.Null() },
      errors: WRITE,
      handle: async (call): Promise<Answer> => {
        await closeAccount({ ...options, database }, call.visitor, call.ip)
        return { status: 204, body: undefined }
      },
    }),
  ]
}

async function change(
  context: OperatorContext,
  id: string,
  { plan, limits, features }: Static<typeof Change>,
): Promise<void> {
  // Each change is logged separately; the first one checks that the account exists.
  if (plan !== undefined) await setPlan(context, id, plan as Plan)
  if (limits !== undefined) {
    const changes = Object.entries(limits).map(([name, value]) => [name, value === 'plan' ? undefined : value])
    await setLimits(context, id, Object.fromEntries(changes))
  }
  for (const name of FEATURES) {
    const wanted = (features as Readonly<Record<string, boolean | null>> | undefined)?.[name]
    if (wanted !== undefined) await setFeature(context, id, name, wanted)
  }
}

async function detailOf(options: OperatorRoutesOptions, id: string): Promise<Static<typeof Detail>> {
  const { database, plans, accounts } = options
  const row = id === SYSTEM_ACCOUNT_ID ? null : await selectAccount(database.system, id)
  if (row === null || row.deleted_at !== null) throw errors.not_found()
  const terms = termsOf(plans, row.plan, row)
  const used = await selectUsage(database.system, id, accounts.quotas.period().month)
  const { rates: _, ...own } = row.limits
  return {
    ...wireAccount(row),
    limits: terms.limits,
    own_limits: own,
    features: terms.features,
    own_features: row.features,
    used_this_month: Object.fromEntries(
      RESOURCES.map((name) => [name, used.find(({ resource }) => resource === name)?.used ?? 0]),
    ),
    users: (await listUsers(database.system, id)).map((user) => ({
      id: user.id,
      email: user.email,
      role: user.role,
      operator: user.operator,
      last_seen_at: user.last_seen_at?.toISOString() ?? null,
    })),
  }
}

function logRoutes({ accounts, database, plans }: OperatorRoutesOptions): readonly AnyEndpoint[] {
  const checks = sessionChecks(accounts.sessions)
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/actions',
      access: null,
      authenticate: checks.operator,
      operationId: 'listOperatorActions',
      summary: 'List operator actions and SMTP password views, newest first',
      tag: TAG,
      query: Type.Object({ account_id: Type.Optional(Uuid), page: PageNumber, limit: PageLimit }),
      answers: { 200: listOf(Action, PagePagination) },
      errors: READ,
      handle: async (call): Promise<Answer> => {
        const { account_id: accountId = null } = call.query
        const window = pageWindow(call.query)
        const total = await countOperatorActions(database.system, accountId)
        const rows = await operatorActions(database.system, accountId, window)
        const actions = rows.map((row) => ({ ...row, at: row.at.toISOString() }))
        return list(actions, paginationOf(window, actions.length, total))
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/plans',
      access: null,
      authenticate: checks.operator,
      operationId: 'listPlans',
      summary: 'List the plans of this installation and the number of accounts on each',
      tag: TAG,
      answers: { 200: named('PlanTermsList', Type.Object({ data: Type.Array(PlanReport) })) },
      errors: READ,
      handle: async (): Promise<Answer> => {
        const counted = await accountsPerPlan(database.system, SYSTEM_ACCOUNT_ID)
        const data = PLANS.map((plan) => ({
          plan,
          accounts: counted.find((one) => one.plan === plan)?.accounts ?? 0,
          limits: plans[plan].limits,
          features: plans[plan].features,
          rates: Object.fromEntries(
            RATE_CLASSES.map((name) => {
              const { perSecond, burst } = plans[plan].rates[name]
              return [name, { per_second: perSecond, burst }]
            }),
          ),
        }))
        return { status: 200, body: { data } }
      },
    }),
  ]
}

function wireAccount(row: Pick<AccountRow, 'account_id' | 'name' | 'email' | 'plan' | 'suspended_at' | 'created_at'>) {
  return {
    id: row.account_id,
    name: row.name,
    email: row.email,
    plan: row.plan,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }
}

function wireOverview(row: AccountOverview): Static<typeof Overview> {
  return { ...wireAccount(row), emails_this_month: row.emails, users: row.users }
}
