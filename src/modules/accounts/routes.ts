// The endpoints of an account about itself: profile, usage, limits, SMTP credentials (contract sections 6 and 16).

import { type Static, Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { connectionShare } from '../../platform/db/connection-share.ts'
import type { Database, Db } from '../../platform/db.ts'
import { graceMsOf, Rotation } from '../../platform/http/grace-period.ts'
import {
  type AnyEndpoint,
  bare,
  bareOf,
  type Call,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  NO_STORE,
  named,
  nullable,
  ONE_LINE,
  single,
  Uuid,
} from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { LANGUAGES } from '../../platform/languages.ts'
import type { Logger } from '../../platform/log.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { errors } from './errors.ts'
import type { KeyContext } from './keys.ts'
import { recordOperatorAction } from './operator-actions.ts'
import { PLANS, RATE_CLASSES, type Rates } from './plans.ts'
import { changeProfile, profileFaults } from './profile.ts'
import type { Accounts } from './room.ts'
import { keyRoutes } from './routes-keys.ts'
import { MAX_EMAIL_CHARS } from './schemas.ts'
import {
  readSmtpCredential,
  readSmtpUser,
  rotateSmtpCredential,
  type SmtpCredential,
  type SmtpUser,
} from './smtp-credential.ts'
import { type AccountRow, selectAccount } from './sql.ts'
import { assertWholeAccount } from './whole-account.ts'

export interface DeliveryFigures {
  readonly delivered: number
  readonly bounced: number
  readonly failed: number
  readonly deferred: number
  readonly complained: number
  /** In [0, 1], four decimals; null when nothing was sent. */
  readonly delivery_rate: number | null
}

/** Where mail is submitted. */
export interface SubmissionFace {
  readonly host: string
  readonly starttlsPorts: readonly number[]
  readonly implicitTlsPorts: readonly number[]
}

export interface AccountRoutesOptions {
  readonly accounts: Accounts
  readonly database: Database
  readonly secrets: Secrets
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Logger
  readonly submission: SubmissionFace
  readonly ownedDomains: KeyContext['ownedDomains']
  /** Runs in the transaction that changes an account's address. @returns a callback to run after the commit */
  readonly onMoved: (db: Db, moved: { accountId: string; before: string; after: string }) => Promise<() => void>
  /** The figures of the month that starts on `month` (`YYYY-MM-01`). Absent: none are known. */
  readonly deliveryFigures?: (db: Db, accountId: string, month: string) => Promise<DeliveryFigures>
}

const TAG = 'Account'
const MAX_TEXT_CHARS = 200
const MAX_RETENTION_DAYS = 3_650

const Line = Type.String({ minLength: 1, maxLength: MAX_TEXT_CHARS, pattern: ONE_LINE })

const CHANGEABLE = {
  name: Line,
  email: Type.String({ minLength: 3, maxLength: MAX_EMAIL_CHARS, description: 'Receives notices to the account.' }),
  company: nullable(Line),
  timezone: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['Europe/Vienna'],
    description: 'An IANA time zone name, for your own use. Statistics take their own `timezone`.',
  }),
  locale: Type.String({
    minLength: 1,
    maxLength: 35,
    examples: ['en'],
    description: `Language tag. Sets the language of the pages for your recipients (unsubscribe, confirm) and of the built-in confirmation email: ${LANGUAGES.join(', ')}, or English for any other.`,
  }),
  tracking_enabled: Type.Boolean({
    description: 'Whether opens and clicks are tracked at all. A domain or an email can override each of these four.',
  }),
  open_tracking_enabled: Type.Boolean({ description: 'Whether opens are tracked while tracking_enabled is true.' }),
  click_tracking_enabled: Type.Boolean({ description: 'Whether clicks are tracked while tracking_enabled is true.' }),
  unsubscribe_header_enabled: Type.Boolean({
    description: 'Whether every email has a List-Unsubscribe header. Bulk and broadcast emails always have it.',
  }),
  enforce_sender_verification: Type.Boolean({
    description: 'Whether email is refused while its domain is not in use.',
  }),
  block_disposable_emails: Type.Boolean({ description: 'Whether disposable addresses count in the risk verdict.' }),
  disposable_confidence_threshold: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'A disposable address whose confidence is above it is blocked; others from 0.5 get a warning.',
  }),
  retention_days: Type.Integer({
    minimum: 1,
    maximum: MAX_RETENTION_DAYS,
    description:
      'Days after which contents, attempts, events and bounces are deleted. The rows of emails stay 60 days at least.',
  }),
}
const PlanName = named('Plan', Type.Enum([...PLANS]))
const Profile = named('Profile', Type.Object({ id: Uuid, ...CHANGEABLE, plan: PlanName, created_at: DateTime }))
const ProfileChange = named(
  'UpdateProfileRequest',
  Type.Partial(Type.Object(CHANGEABLE), { additionalProperties: false }),
)

const Count = nullable(Type.Integer())
const Metered = named('MeteredUsage', Type.Object({ used: Type.Integer(), limit: Count, remaining: Count }))
const ALL_METERED = { validations: Metered, content_checks: Metered, risk_previews: Metered }
const UsageReport = named(
  'Usage',
  Type.Object({
    period: Type.String({ description: 'Calendar month in UTC, as YYYY-MM.' }),
    plan: PlanName,
    reset_at: DateTime,
    emails: named(
      'EmailUsage',
      Type.Object({ used: Type.Integer(), sent: Type.Integer(), limit: Count, remaining: Count }),
    ),
    ...ALL_METERED,
    delivery: named(
      'DeliveryFigures',
      Type.Object(
        {
          delivered: Type.Integer(),
          bounced: Type.Integer(),
          failed: Type.Integer(),
          deferred: Type.Integer(),
          complained: Type.Integer(),
          delivery_rate: nullable(
            Type.Number({
              description: 'Delivered emails divided by sent emails, at most 1. Null when nothing was sent this month.',
            }),
          ),
        },
        {
          description:
            'Outcomes that occurred this month, as in all statistics. An email sent in one month and delivered in the next counts as sent in the first and delivered in the second, so there can be more deliveries than emails sent.',
        },
      ),
    ),
  }),
)
const Rate = named('RateLimit', Type.Object({ limit: Type.Integer(), window_seconds: Type.Integer() }))
const LimitsReport = named(
  'Limits',
  Type.Object({
    plan: PlanName,
    limits: named(
      'PlanLimits',
      Type.Object({
        emails: Count,
        validations: Count,
        content_checks: Count,
        risk_previews: Count,
        webhooks: Count,
        rate: named('RateLimits', Type.Object(Object.fromEntries(RATE_CLASSES.map((name) => [name, Rate])))),
      }),
    ),
    features: named('Features', Type.Object({ risk: Type.Boolean(), content_events: Type.Boolean() })),
    usage: named('LimitedUsage', Type.Object({ emails: Metered, ...ALL_METERED })),
  }),
)
const SUBMISSION = {
  username: Type.String(),
  host: Type.String(),
  port: Type.Integer(),
  ports: named(
    'SubmissionPorts',
    Type.Object({ starttls: Type.Array(Type.Integer()), implicit_tls: Type.Array(Type.Integer()) }),
  ),
  encryption: Type.String(),
  auth_methods: Type.Array(Type.String()),
  created_at: DateTime,
  rotated_at: nullable(DateTime),
  last_used_at: nullable(DateTime),
}
const SMTP = { ...SUBMISSION, password: Type.String() }
const Smtp = bareOf(named('SmtpCredentials', Type.Object(SMTP)))
const ROTATED_SMTP = { ...SMTP, previous_valid_until: nullable(DateTime) }
const RotatedSmtp = bareOf(named('RotatedSmtpCredentials', Type.Object(ROTATED_SMTP)))

export function accountRoutes(options: AccountRoutesOptions): readonly AnyEndpoint[] {
  return [...profileRoutes(options), ...usageRoutes(options), ...smtpRoutes(options), ...keyRoutes(options)]
}

const MOVE_WITHIN_MS = 4_000

function profileRoutes({ accounts, database, onMoved }: AccountRoutesOptions): readonly AnyEndpoint[] {
  const path = '/api/v1/customer/profile'
  // What is told to a former address needs further connections. Transactions that held all of them, and each waited for one more,
  // would hold up the whole process, so there is one such transaction at a time.
  const inTurn = connectionShare(1, MOVE_WITHIN_MS)
  return [
    endpoint({
      method: 'GET',
      path,
      access: { scope: 'profile:read' },
      operationId: 'getProfile',
      summary: 'Get the account profile and its default settings',
      tag: TAG,
      answers: { 200: dataOf(Profile) },
      handle: async ({ principal: { accountId } }) => {
        const row = await database.tenant(accountId, (db) => selectAccount(db, accountId))
        if (row === null) throw errors.not_found()
        return single(wireProfile(row))
      },
    }),
    endpoint({
      method: 'PATCH',
      path,
      access: { scope: 'profile:write' },
      operationId: 'updateProfile',
      summary: 'Update the account profile and its default settings',
      tag: TAG,
      examples: exampleBody(
        { open_tracking_enabled: false, click_tracking_enabled: true, retention_days: 30 },
        'Track clicks only, and keep mail for thirty days',
      ),
      body: ProfileChange,
      moreFaults: profileFaults,
      answers: { 200: dataOf(Profile) },
      handle: async ({ principal, body }) => {
        assertWholeAccount(principal, 'A key bound to domains cannot change what holds for the others too')
        const { accountId, keyId, scopes } = principal
        // The account's notices go to this address.
        if (body.email !== undefined && keyId === null && !scopes.includes('full')) throw errors.insufficient_role()
        const change = async (db: Db) => {
          const { before, after } = await changeProfile(db, accountId, withoutUndefined(body))
          const moved = before.email.toLowerCase() !== after.email.toLowerCase()
          const onChanged = moved ? await onMoved(db, { accountId, before: before.email, after: after.email }) : null
          return { after, onChanged }
        }
        // The old address is notified by a system mail, which the tenant's database role cannot write.
        const { after, onChanged } = await (body.email === undefined
          ? database.tenant(accountId, change)
          : inTurn('moves', () => database.transaction(change)))
        accounts.forget(accountId)
        onChanged?.()
        return single(wireProfile(after))
      },
    }),
  ]
}

function usageRoutes({ accounts, database, deliveryFigures }: AccountRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/usage',
      legacyPath: '/api/customer/usage',
      access: { scope: 'stats:read' },
      operationId: 'getUsage',
      summary: "Get this month's usage and delivery figures",
      tag: TAG,
      answers: { 200: dataOf(UsageReport) },
      handle: async ({ principal: { accountId } }) => {
        const { plan } = await accounts.settings(accountId)
        const { month, resetAt } = accounts.quotas.period()
        const { used, delivery } = await database.tenant(accountId, async (db) => ({
          used: await accounts.quotas.read(db, accountId),
          delivery: (await deliveryFigures?.(db, accountId, month)) ?? NO_FIGURES,
        }))
        const emails = { ...used.emails, sent: used.emails.used }
        return single({ period: month.slice(0, 7), plan, reset_at: resetAt, ...used, emails, delivery })
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/limits',
      access: { scope: 'stats:read' },
      operationId: 'getLimits',
      summary: 'Get the account limits and current usage',
      tag: TAG,
      answers: { 200: dataOf(LimitsReport) },
      handle: async ({ principal: { accountId } }) => {
        const { plan, limits, features, rates } = await accounts.settings(accountId)
        const usage = await database.tenant(accountId, (db) => accounts.quotas.read(db, accountId))
        return single({ plan, limits: { ...limits, rate: wireRates(rates) }, features, usage })
      },
    }),
  ]
}

type Asking = Pick<Call<never, never, never>, 'principal' | 'requestId' | 'headers' | 'ip'>

function smtpRoutes(options: AccountRoutesOptions): readonly AnyEndpoint[] {
  const { accounts, database, secrets, ids, clock, log, submission } = options
  /** Logs before the password is shown; a caller who cannot be named is shown none. */
  const noteShown = async (call: Asking, what: 'read' | 'rotate'): Promise<void> => {
    const { accountId, keyId, mode } = call.principal
    const token = keyId === null ? accounts.sessions.tokenIn(call.headers.cookie) : null
    const session = token === null ? null : await accounts.sessions.find(token)
    const by = keyId !== null ? `key ${keyId}` : session?.email
    if (by === undefined) throw errors.not_signed_in()
    const action = { action: `smtp_password.${what}`, accountId, detail: { mode, request_id: call.requestId } }
    await recordOperatorAction(database.system, { ids, clock }, { email: by, ip: call.ip }, action)
    log.info({ account_id: accountId, key_id: keyId, request_id: call.requestId, what }, 'SMTP password shown')
  }
  const path = '/api/v1/smtp-credentials'
  return [
    endpoint({
      method: 'GET',
      path,
      access: { scope: 'smtp:read' },
      operationId: 'getSmtpCredentials',
      summary: 'Get the SMTP credentials. A sandbox key gets a password for sandbox email.',
      tag: TAG,
      answers: { 200: Smtp },
      handle: async (call) => {
        const { principal } = call
        const credential = await database.tenant(principal.accountId, (db) =>
          readSmtpCredential(db, secrets, principal, clock.now()),
        )
        await noteShown(call, 'read')
        return { ...bare(wireSmtp(credential, submission)), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'GET',
      path: `${path}/settings`,
      access: { scope: 'smtp:read' },
      operationId: 'getSmtpSettings',
      summary: 'Get the SMTP settings without the password',
      tag: TAG,
      answers: { 200: dataOf(named('SmtpSettings', Type.Object(SUBMISSION))) },
      handle: async ({ principal }) => {
        const user = await database.tenant(principal.accountId, (db) => readSmtpUser(db, principal, clock.now()))
        return single(wireSubmission(user, submission))
      },
    }),
    endpoint({
      method: 'POST',
      path: `${path}/rotate`,
      access: { scope: 'smtp:write' },
      operationId: 'rotateSmtpPassword',
      summary: 'Rotate the SMTP password. The old one can stay valid for a grace period.',
      tag: TAG,
      examples: exampleBody({ grace_period_hours: 24 }, 'The old password works for a day'),
      body: Rotation,
      answers: { 200: RotatedSmtp },
      handle: async (call) => {
        const { principal, body } = call
        const credential = await database.tenant(principal.accountId, (db) =>
          rotateSmtpCredential(db, { secrets, ids, clock }, principal, graceMsOf(body)),
        )
        await noteShown(call, 'rotate')
        const fields = { ...wireSmtp(credential, submission), previous_valid_until: credential.previousValidUntil }
        return { ...bare(fields), headers: NO_STORE }
      },
    }),
  ]
}

const NO_FIGURES: DeliveryFigures = {
  delivered: 0,
  bounced: 0,
  failed: 0,
  deferred: 0,
  complained: 0,
  delivery_rate: null,
}

function wireProfile(row: AccountRow): Static<typeof Profile> {
  return {
    id: row.account_id,
    email: row.email,
    name: row.name,
    company: row.company,
    timezone: row.timezone,
    locale: row.locale,
    plan: row.plan,
    tracking_enabled: row.tracking_enabled,
    open_tracking_enabled: row.open_tracking_enabled,
    click_tracking_enabled: row.click_tracking_enabled,
    unsubscribe_header_enabled: row.unsubscribe_header_enabled,
    enforce_sender_verification: row.enforce_sender_verification,
    block_disposable_emails: row.block_disposable_emails,
    disposable_confidence_threshold: row.disposable_confidence_threshold,
    retention_days: row.retention_days,
    created_at: row.created_at.toISOString(),
  }
}

/** As in headers and errors: the bucket's size, per the time it takes to fill. */
function wireRates(rates: Rates): object {
  return Object.fromEntries(
    RATE_CLASSES.map((name) => {
      const { burst, perSecond } = rates[name]
      return [name, { limit: burst, window_seconds: Math.ceil(burst / perSecond) }]
    }),
  )
}

function wireSmtp(credential: SmtpCredential, face: SubmissionFace): object {
  return { ...wireSubmission(credential, face), password: credential.password }
}

function wireSubmission(user: SmtpUser, { host, starttlsPorts, implicitTlsPorts }: SubmissionFace): object {
  return {
    username: user.username,
    host,
    port: starttlsPorts[0] ?? implicitTlsPorts[0] ?? 0,
    ports: { starttls: starttlsPorts, implicit_tls: implicitTlsPorts },
    encryption: starttlsPorts.length > 0 ? 'STARTTLS' : 'TLS',
    auth_methods: ['PLAIN', 'LOGIN'],
    created_at: user.createdAt,
    rotated_at: user.rotatedAt,
    last_used_at: user.lastUsedAt,
  }
}

type Defined<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> }

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>
}
