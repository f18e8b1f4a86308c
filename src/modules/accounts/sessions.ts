// Sessions of the dashboard. Who has signed in (sign-in-checks.ts) gets a random token in a cookie that scripts cannot read and
// other sites cannot send; only its SHA-256 is stored. A session ends after 12 hours without use, after 7 days in any case,
// when it is revoked, and with its user. It acts for its account with the scopes of its user's role (session-roles.ts).

import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { isFromOurPages } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { errors } from './errors.ts'
import { hashOf } from './key-format.ts'
import { recordOperatorAction } from './operator-actions.ts'
import type { Passwords } from './passwords.ts'
import { newRecoveryCodes, newTotp, recoveryHash, stepOf, TOTP_SEAL } from './second-factor.ts'
import { sessionCookie, sessionToken } from './session-cookie.ts'
import { type SignInAttempt, signInChecks } from './sign-in-checks.ts'
import {
  addSession,
  confirmTotp,
  deleteSession,
  type FoundSession,
  findSession,
  removeTotp,
  type SessionRow,
  touchSession,
  type UserRow,
} from './sql-users.ts'

export const SESSION_IDLE_MS = 12 * 3_600_000
export const SESSION_LIFE_MS = 7 * 86_400_000
const TOUCH_EVERY_MS = 60_000
const TOKEN_BYTES = 32
const MAX_AGENT_CHARS = 300

export interface SessionsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: Secrets
  readonly passwords: Passwords
  /** Where the dashboard is reached. */
  readonly publicUrl: string
}

export interface SignIn extends SignInAttempt {
  readonly agent: string
}

export interface Sessions {
  /** @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded */
  signIn(asked: SignIn): Promise<{ readonly token: string; readonly session: FoundSession }>
  /** The token in a request's cookies; null when it carries no session cookie of ours. */
  tokenIn(cookie: string | undefined): string | null
  /** Whether a request only reads, or comes from a page of ours: only then may it use a session. */
  isFromOurPages(method: string, headers: IncomingHttpHeaders): boolean
  /** The `Set-Cookie` header for a new session; null deletes the cookie. */
  cookieOf(token: string | null): string
  /** Null when the token is unknown or its session is over. */
  find(token: string): Promise<FoundSession | null>
  signOut(session: FoundSession): Promise<void>
  /** Logs what an operator is about to change in another account; otherwise does nothing. */
  noteActing(
    session: FoundSession,
    asked: { readonly method: string; readonly path: string; readonly ip: string },
  ): Promise<void>
  /** @throws ApiError invalid_credentials, rate_limit_exceeded */
  checkPassword(user: UserRow, password: string, ip: string): Promise<void>
  /** A new second factor: its secret, the URL for the QR code, and its sealed form for storage. */
  newSecret(user: UserRow): { readonly secret: string; readonly url: string; readonly sealed: Buffer }
  /**
   * Removes the second factor.
   *
   * @param given `code`: from the authenticator, or a recovery code; null when there is no second factor
   * @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded
   */
  removeSecret(user: UserRow, given: { password: string; code: string | null }, ip: string): Promise<void>
  /** Enables the offered second factor. @returns the recovery codes, shown only here; null when the code is wrong */
  confirmSecret(user: UserRow, code: string): Promise<readonly string[] | null>
}

export function sessionsOf({ database, clock, ids, secrets, passwords, publicUrl }: SessionsOptions): Sessions {
  const secure = publicUrl.startsWith('https:')
  const checks = signInChecks({ database, clock, secrets, passwords })

  const signIn = async (asked: SignIn): ReturnType<Sessions['signIn']> => {
    const { ip, agent } = asked
    const user = await checks.signIn(asked)
    const token = ids.bytes(TOKEN_BYTES).toString('base64url')
    const now = clock.now()
    const session: SessionRow = {
      account_id: user.account_id,
      id: ids.next(),
      user_id: user.id,
      created_at: now,
      seen_at: now,
      expires_at: new Date(now.getTime() + SESSION_LIFE_MS),
      ip,
      agent: agent.slice(0, MAX_AGENT_CHARS),
    }
    if (!(await addSession(database.system, session, hashOf(token), user))) throw errors.invalid_credentials()
    const { operator, role } = user
    return {
      token,
      session: { ...session, email: user.email, role, operator, totp: user.totp_secret !== null, acting_id: null },
    }
  }

  return {
    signIn,
    tokenIn: (cookie) => sessionToken(cookie, secure),
    isFromOurPages: (method, headers) => isFromOurPages(method, headers, publicUrl),
    cookieOf: (token) =>
      sessionCookie(token ?? '', { secure, maxAgeSeconds: token === null ? 0 : SESSION_LIFE_MS / 1_000 }),
    find: async (token) => {
      const session = await findSession(database.system, hashOf(token))
      const now = clock.now()
      if (session === null || session.expires_at <= now) return null
      const idleMs = now.getTime() - session.seen_at.getTime()
      if (idleMs > SESSION_IDLE_MS) return null
      if (idleMs > TOUCH_EVERY_MS) await touchSession(database.system, session, now)
      return session
    },
    signOut: async ({ account_id, user_id, id }) => {
      await deleteSession(database.system, account_id, user_id, id)
    },
    noteActing: async ({ acting_id: accountId, email }, { method, path, ip }) => {
      if (accountId === null || method === 'GET' || method === 'HEAD') return
      const detail = { method, path }
      await recordOperatorAction(
        database.system,
        { ids, clock },
        { email, ip },
        { action: 'account.request', accountId, detail },
      )
    },
    checkPassword: checks.checkPassword,
    removeSecret: async (user, given, ip) => {
      await checks.checkAgain(user, given, ip)
      await removeTotp(database.system, user)
    },
    newSecret: (user) => {
      const { secret, url } = newTotp(user.email)
      return { secret, url, sealed: secrets.seal(TOTP_SEAL, user.id, secret) }
    },
    confirmSecret: async (user, code) => {
      if (user.totp_pending === null) return null
      const step = stepOf(secrets.open(TOTP_SEAL, user.id, user.totp_pending).toString(), code, clock.now())
      if (step === null) return null
      const codes = newRecoveryCodes(ids)
      return (await confirmTotp(database.system, user, { step, recovery: codes.map(recoveryHash) })) ? codes : null
    },
  }
}
