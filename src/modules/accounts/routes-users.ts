// The users of an account, managed by its owners: people sign in to the dashboard with them (routes-session.ts).

import { type Static, Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
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
  nullable,
  single,
  Uuid,
} from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { errors } from './errors.ts'
import { newPassword, type Passwords } from './passwords.ts'
import { MAX_EMAIL_CHARS, RoleName } from './schemas.ts'
import { sessionChecks } from './session-checks.ts'
import { accountOf } from './session-roles.ts'
import type { Sessions } from './sessions.ts'
import { MAX_USERS_OF_AN_EMAIL } from './sign-in-checks.ts'
import { lockAccount } from './sql.ts'
import {
  addUser,
  deleteSessionsBut,
  deleteUser,
  type FoundSession,
  listUsers,
  lockUsers,
  type Role,
  removeTotp,
  setUserPassword,
  setUserRole,
  type UserRow,
  usersByEmail,
} from './sql-users.ts'

export interface UserRoutesOptions {
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly database: Database
  readonly ids: Ids
  readonly clock: Clock
}

const TAG = 'Dashboard'
const MAX_USERS = 100
const User = named(
  'User',
  Type.Object({
    id: Uuid,
    email: Type.String(),
    role: RoleName,
    totp_enabled: Type.Boolean(),
    created_at: DateTime,
    last_seen_at: nullable(DateTime),
  }),
)
const UserWithPassword = named('UserWithPassword', Type.Object({ ...User.properties, password: Type.String() }))

export function userRoutes(options: UserRoutesOptions): readonly AnyEndpoint[] {
  const { database, ids, clock, passwords } = options
  const checks = sessionChecks(options.sessions)
  const known = [errors.not_signed_in, errors.insufficient_role, errors.cross_site_request]
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/users',
      access: null,
      authenticate: checks.person,
      operationId: 'listUsers',
      summary: 'List users of the account',
      tag: TAG,
      answers: { 200: named('UserList', Type.Object({ data: Type.Array(User) })) },
      errors: [errors.not_signed_in],
      handle: async (call): Promise<Answer> => {
        const accountId = accountOf(call.visitor)
        return { status: 200, body: { data: (await listUsers(database.system, accountId)).map(wireUser) } }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/users',
      access: null,
      authenticate: checks.owner,
      operationId: 'createUser',
      summary: 'Create a user. The initial password is shown only once.',
      tag: TAG,
      examples: exampleBody({ email: 'ben@shop.example', role: 'viewer' }, 'Somebody who may read'),
      body: named(
        'CreateUserRequest',
        Type.Object(
          {
            email: Type.String({ minLength: 3, maxLength: MAX_EMAIL_CHARS, pattern: '^[^\\s@]+@[^\\s@]+$' }),
            role: RoleName,
          },
          { additionalProperties: false },
        ),
      ),
      answers: { 201: dataOf(UserWithPassword) },
      errors: [...known, errors.already_exists, errors.invalid_state],
      handle: async (call): Promise<Answer> => {
        const account_id = accountOf(call.visitor)
        const password = newPassword(ids.bytes)
        const password_hash = await passwords.hash(password)
        const { email, role } = call.body
        const row = { account_id, id: ids.next(), email, password_hash, role: role as Role, created_at: clock.now() }
        const added = await database.transaction(async (db) => {
          // A separate statement counts under the lock: one that itself waited for the lock would not see rows added meanwhile.
          await lockAccount(db, account_id)
          if ((await listUsers(db, account_id)).length >= MAX_USERS) throw errors.invalid_state({ limit: MAX_USERS })
          // Sign-in checks no more users than this.
          const known = await usersByEmail(db, email, MAX_USERS_OF_AN_EMAIL)
          if (known.length >= MAX_USERS_OF_AN_EMAIL) throw errors.invalid_state({ limit: MAX_USERS_OF_AN_EMAIL })
          return addUser(db, row)
        })
        if (added === null) throw errors.already_exists()
        return { ...single({ ...wireUser(added), password }, { status: 201 }), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'PATCH',
      path: '/api/v1/users/{id}',
      access: null,
      authenticate: checks.owner,
      operationId: 'updateUser',
      summary: "Update a user's role",
      tag: TAG,
      params: IdParams,
      examples: exampleBody({ role: 'developer' }),
      body: named('UpdateUserRequest', Type.Object({ role: RoleName }, { additionalProperties: false })),
      answers: { 200: dataOf(User) },
      errors: [...known, errors.not_found, errors.last_owner],
      handle: async (call): Promise<Answer> => {
        const account_id = accountOf(call.visitor)
        const { role } = call.body
        const changed = await database.transaction(async (db) => {
          if (role !== 'owner') assertAnotherOwner(await lockUsers(db, account_id), call.params.id)
          return setUserRole(db, account_id, call.params.id, role as Role)
        })
        if (changed === null) throw errors.not_found()
        return single(wireUser(changed))
      },
    }),
    endpoint({
      method: 'POST',
      path: '/api/v1/users/{id}/password',
      access: null,
      authenticate: checks.owner,
      operationId: 'resetUserPassword',
      summary:
        'Give a user a new password, shown only once. Their sessions end, and their second factor is removed. Not for yourself and not for operators.',
      tag: TAG,
      params: IdParams,
      body: named('ResetUserPasswordRequest', Type.Object({}, { additionalProperties: false })),
      answers: { 200: dataOf(UserWithPassword) },
      errors: [...known, errors.not_found, errors.invalid_state],
      handle: async (call): Promise<Answer> => {
        const account_id = accountOf(call.visitor)
        const { id } = call.params
        const password = newPassword(ids.bytes)
        const password_hash = await passwords.hash(password)
        const user = await database.transaction(async (db) => {
          const found = (await lockUsers(db, account_id)).find((one) => one.id === id)
          if (found === undefined) throw errors.not_found()
          assertResettable(found, call.visitor)
          await setUserPassword(db, account_id, id, password_hash)
          await removeTotp(db, found)
          await deleteSessionsBut(db, account_id, id, null)
          return found
        })
        return { ...single({ ...wireUser(user), totp_enabled: false, password }), headers: NO_STORE }
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/api/v1/users/{id}',
      access: null,
      authenticate: checks.owner,
      operationId: 'deleteUser',
      summary: 'Delete a user and end their sessions',
      tag: TAG,
      params: IdParams,
      answers: { 204: Type.Null() },
      errors: [...known, errors.not_found, errors.last_owner],
      handle: async (call): Promise<Answer> => {
        const account_id = accountOf(call.visitor)
        const gone = await database.transaction(async (db) => {
          assertAnotherOwner(await lockUsers(db, account_id), call.params.id)
          return deleteUser(db, account_id, call.params.id)
        })
        if (!gone) throw errors.not_found()
        return { status: 204, body: undefined }
      },
    }),
  ]
}

/**
 * One's own password needs the current one. An owner who sets an operator's password could sign in as the operator, whose
 * rights go beyond the account.
 */
function assertResettable({ account_id, id, operator }: UserRow, session: FoundSession): void {
  if (account_id === session.account_id && id === session.user_id)
    throw errors.invalid_state({}, { message: 'Change your own password instead, with PUT /api/v1/session/password' })
  if (operator)
    throw errors.invalid_state({}, { message: 'The password of an operator is reset with posthorn operator token' })
}

/** An account always has an owner. */
function assertAnotherOwner(users: readonly UserRow[], id: string): void {
  const owners = users.filter(({ role }) => role === 'owner')
  if (owners.length === 1 && owners[0]?.id === id) throw errors.last_owner()
}

function wireUser(user: UserRow): Static<typeof User> {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    totp_enabled: user.totp_secret !== null,
    created_at: user.created_at.toISOString(),
    last_seen_at: user.last_seen_at?.toISOString() ?? null,
  }
}
