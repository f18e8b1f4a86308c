// The dashboard's sign-in. These endpoints act for a person, not for a key: they take the session's cookie and nothing else.

import { type Static, Type } from 'typebox'
import {
  type Answer,
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  NO_STORE,
  named,
  single,
  Uuid,
} from '../../platform/http.ts'
import type { SettingsReader } from './account-settings.ts'
import { errors } from './errors.ts'
import { type UserRoutesOptions, userRoutes } from './routes-users.ts'
import { MAX_EMAIL_CHARS, MAX_PASSWORD_CHARS, Password, RoleName } from './schemas.ts'
import { sessionChecks } from './session-checks.ts'
import { accountOf, roleOf, SCOPES_OF } from './session-roles.ts'
import { selectAccount } from './sql.ts'
import {
  changeUserPassword,
  deleteSession,
  deleteSessionsBut,
  type FoundSession,
  listSessions,
  listUsers,
  offerTotp,
  type UserRow,
} from './sql-users.ts'

export interface SessionRoutesOptions extends UserRoutesOptions {
  readonly settings: SettingsReader
  readonly publicUrl: string
}

const TAG = 'Dashboard'

const Code = Type.String({ minLength: 6, maxLength: 32 })
const Me = named(
  'CurrentSession',
  Type.Object({
    user: named(
      'CurrentUser',
      Type.Object({
        id: Uuid,
        email: Type.String(),
        role: RoleName,
        totp_enabled: Type.Boolean(),
        operator: Type.Boolean({ description: 'Whether the user is an operator of the installation.' }),
      }),
    ),
    account: named(
      'CurrentAccount',
      Type.Object({
        id: Uuid,
        name: Type.String(),
        plan: Type.String(),
        suspended: Type.Boolean({
          description:
            'Whether the account is suspended: it can read, but not write or send, until an operator resumes it.',
        }),
      }),
    ),
    acting: Type.Boolean({ description: 'Whether the session is that of an operator who has opened another account.' }),
    scopes: Type.Array(Type.String()),
    session_id: Uuid,
    expires_at: DateTime,
  }),
)
const Session = named(
  'Session',
  Type.Object({
    id: Uuid,
    current: Type.Boolean(),
    created_at: DateTime,
    last_seen_at: DateTime,
    expires_at: DateTime,
    ip: Type.String(),
    user_agent: Type.String(),
  }),
)

export function sessionRoutes(options: SessionRoutesOptions): readonly AnyEndpoint[] {
  return [...signInRoutes(options), ...factorRoutes(options), ...userRoutes(options)]
}

async function userOf({ database }: SessionRoutesOptions, session: FoundSession): Promise<UserRow> {
  const user = (await listUsers(database.system, session.account_id)).find(({ id }) => id === session.user_id)
  if (user === undefined) throw errors.not_signed_in()
  return user
}

/** @throws ApiError when the page came over plain HTTP: the browser drops the cookie, and the password could be read */
function assertSecurePage(origin: string | undefined, publicUrl: string): void {
  const wanted = new URL(publicUrl)
  const page = origin !== undefined && URL.canParse(origin) ? new URL(origin) : null
  if (wanted.protocol !== 'https:' || page?.protocol !== 'http:' || page.hostname !== wanted.hostname) return
  throw errors.cross_site_request({ use: publicUrl }, { message: `Sign in over https: ${publicUrl}` })
}

function signInRoutes(options: SessionRoutesOptions): readonly AnyEndpoint[] {
  const { sessions, database } = options
  const checks = sessionChecks(options.sessions)
  const me = async (session: FoundSession): Promise<Static<typeof Me>> => {
    const account = await selectAccount(database.system, accountOf(session))
    if (account === null) throw errors.not_signed_in()
    const role = roleOf(session)
    const { user_id: id, email, totp, operator } = session
    return {
      user: { id, email, role, totp_enabled: totp, operator },
      account: {
        id: account.account_id,
        name: account.name,
        plan: account.plan,
        suspended: account.suspended_at !== null,
      },
      acting: session.acting_id !== null,
      scopes: [...SCOPES_OF[role]],
      session_id: session.id,
      expires_at: session.expires_at.toISOString(),
    }
  }
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/session',
      access: null,
      operationId: 'signIn',
      summary: 'Sign in',
      tag: TAG,
      examples: exampleBody(
        { email: 'ann@shop.example', password: 'a long pass phrase', code: '123456' },
        'With a code of the second factor',
      ),
      body: named(
        'SignInRequest',
        Type.Object(
          {
            email: Type.String({ maxLength: MAX_EMAIL_CHARS }),
            password: Type.String({ maxLength: MAX_PASSWORD_CHARS }),
            code: Type.Optional(Type.String({ maxLength: 32 })),
          },
          { additionalProperties: false },
        ),
      ),
      answers: { 200: dataOf(Me) },
      errors: [
        errors.invalid_credentials,
        errors.second_factor_required,
        errors.rate_limit_exceeded,
        errors.cross_site_request,
      ],
      handle: async (call): Promise<Answer> => {
        if (!sessions.isFromOurPages(call.method, call.headers)) throw errors.cross_site_request()
        assertSecurePage(call.headers.origin, options.publicUrl)
        const { email, password, code = null } = call.body
        const agent = call.headers['user-agent'] ?? ''
        const { token, session } = await sessions.signIn({ email, password, code, ip: call.ip, agent })
        const cookie = options.sessions.cookieOf(token)
        return { ...single(await me(session)), headers: { ...NO_STORE, 'set-cookie': cookie } }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/session',
      access: null,
      authenticate: checks.person,
      operationId: 'getSession',
      summary: 'Get the current session',
      tag: TAG,
      answers: { 200: dataOf(Me) },
      errors: [errors.not_signed_in],
      handle: async (call): Promise<Answer> => ({
        ...single(await me(call.visitor)),
        headers: NO_STORE,
      }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/api/v1/session',
      access: null,
      authenticate: checks.person,
      operationId: 'signOut',
      summary: 'Sign out',
      tag: TAG,
      answers: { 204: Type.Null() },
      errors: [errors.not_signed_in, errors.cross_site_request],
      handle: async (call): Promise<Answer> => {
        await sessions.signOut(call.visitor)
        return {
          status: 204,
          body: undefined,
          headers: { 'set-cookie': options.sessions.cookieOf(null) },
        }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/api/v1/sessions',
      access: null,
      authenticate: checks.person,
      operationId: 'listSessions',
      summary: 'List sessions of the signed-in user',
      tag: TAG,
      answers: { 200: named('SessionList', Type.Object({ data: Type.Array(Session) })) },
      errors: [errors.not_signed_in],
      handle: async (call): Promise<Answer> => {
        const current = call.visitor
        const rows = await listSessions(database.system, current.account_id, current.user_id)
        const data = rows.map((row) => ({
          id: row.id,
          current: row.id === current.id,
          created_at: row.created_at.toISOString(),
          last_seen_at: row.seen_at.toISOString(),
          expires_at: row.expires_at.toISOString(),
          ip: row.ip,
          user_agent: row.agent,
        }))
        return { status: 200, body: { data } }
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/api/v1/sessions/{id}',
      access: null,
      authenticate: checks.person,
      operationId: 'endSession',
      summary: 'End a session of the signed-in user',
      tag: TAG,
      params: IdParams,
      answers: { 204: Type.Null() },
      errors: [errors.not_signed_in, errors.not_found, errors.cross_site_request],
      handle: async (call): Promise<Answer> => {
        const { account_id, user_id } = call.visitor
        if (!(await deleteSession(database.system, account_id, user_id, call.params.id))) throw errors.not_found()
        return { status: 204, body: undefined }
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/api/v1/session/password',
      access: null,
      authenticate: checks.person,
      operationId: 'changePassword',
      summary: 'Change your password. All your other sessions end.',
      tag: TAG,
      examples: exampleBody({ current_password: 'a long pass phrase', new_password: 'another long pass phrase' }),
      body: named(
        'ChangePasswordRequest',
        Type.Object(
          { current_password: Type.String({ maxLength: MAX_PASSWORD_CHARS }), new_password: Password },
          { additionalProperties: false },
        ),
      ),
      answers: { 204: Type.Null() },
      errors: [errors.not_signed_in, errors.invalid_credentials, errors.cross_site_request],
      handle: async (call): Promise<Answer> => {
        const session = call.visitor
        const user = await userOf(options, session)
        await sessions.checkPassword(user, call.body.current_password, call.ip)
        const hash = await options.passwords.hash(call.body.new_password)
        await database.transaction(async (db) => {
          if (!(await changeUserPassword(db, user, hash))) throw errors.invalid_credentials()
          await deleteSessionsBut(db, user.account_id, user.id, session.id)
        })
        return { status: 204, body: undefined }
      },
    }),
  ]
}

function factorRoutes(options: SessionRoutesOptions): readonly AnyEndpoint[] {
  const { sessions, database } = options
  const checks = sessionChecks(options.sessions)
  return [
    endpoint({
      method: 'POST',
      path: '/api/v1/session/totp',
      access: null,
      authenticate: checks.person,
      operationId: 'offerSecondFactor',
      summary: 'Start second-factor setup. Returns a secret for an authenticator app; it takes effect once enabled.',
      tag: TAG,
      answers: { 200: dataOf(named('SecondFactorOffer', Type.Object({ secret: Type.String(), url: Type.String() }))) },
      errors: [errors.not_signed_in, errors.cross_site_request, errors.second_factor_in_force],
      handle: async (call): Promise<Answer> => {
        const user = await userOf(options, call.visitor)
        const { secret, url, sealed } = sessions.newSecret(user)
        if (!(await offerTotp(database.system, user.account_id, user.id, sealed))) throw errors.second_factor_in_force()
        return { ...single({ secret, url }), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/api/v1/session/totp',
      access: null,
      authenticate: checks.person,
      operationId: 'enableSecondFactor',
      summary:
        'Enable the second factor with a code from the authenticator app. The recovery codes are shown only once.',
      tag: TAG,
      examples: exampleBody({ code: '123456' }, 'The code that the authenticator shows'),
      body: named('EnableSecondFactorRequest', Type.Object({ code: Code }, { additionalProperties: false })),
      answers: { 200: dataOf(named('RecoveryCodes', Type.Object({ recovery_codes: Type.Array(Type.String()) }))) },
      errors: [errors.not_signed_in, errors.invalid_credentials, errors.cross_site_request],
      handle: async (call): Promise<Answer> => {
        const user = await userOf(options, call.visitor)
        const codes = await sessions.confirmSecret(user, call.body.code)
        if (codes === null) throw errors.invalid_credentials()
        return { ...single({ recovery_codes: codes }), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/session/totp/remove',
      access: null,
      authenticate: checks.person,
      operationId: 'removeSecondFactor',
      summary: 'Remove the second factor. Needs the password and an authenticator or recovery code.',
      tag: TAG,
      examples: exampleBody({ current_password: 'a long pass phrase', code: '123456' }),
      body: named(
        'RemoveSecondFactorRequest',
        Type.Object(
          { current_password: Type.String({ maxLength: MAX_PASSWORD_CHARS }), code: Type.Optional(Code) },
          { additionalProperties: false },
        ),
      ),
      answers: { 204: Type.Null() },
      errors: [
        errors.not_signed_in,
        errors.invalid_credentials,
        errors.second_factor_required,
        errors.cross_site_request,
      ],
      handle: async (call): Promise<Answer> => {
        const user = await userOf(options, call.visitor)
        const { current_password: password, code = null } = call.body
        await sessions.removeSecret(user, { password, code }, call.ip)
        return { status: 204, body: undefined }
      },
    }),
  ]
}
