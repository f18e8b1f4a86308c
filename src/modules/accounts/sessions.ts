// Signing in to the dashboard: by email and password, plus a second factor where the user has one (RFC 6238). The browser
// then carries a random token in a cookie that scripts cannot read and other sites cannot send; only its SHA-256 is stored.
// A session ends after 12 hours without use, after 7 days in any case, when it is revoked, and with its user.
//
// - A wrong password, an unknown address and a wrong code get the same answer after the same number of hashings: two, as an
//   address with users in two accounts needs. An address with more users takes longer; hashing for the maximum on every
//   sign-in would cost half a second of a processor. To hide the time, a refused password is answered only at the end of a
//   whole second, within which an address with users in 20 accounts is checked (20 hashings take about 0.4 s).
// - An address has at most 20 users across all accounts. Operators and users made together with their account, which an
//   operator creates, are checked first: no account can add users to push another account's owner out of the check.
// - An address (IPv6: its /64) may fail 10 times in a row, then once a minute. A user may fail 100 times in a row over all
//   addresses, even when other accounts have users with the same email: every wrong password tried against the user counts,
//   and only the user's own sign-in clears the count. A network the user has signed in from is exempt and limited only by
//   its own count, so that guessing elsewhere locks nobody out. All of these counts live in the process.
// - A time step of the second factor works once, and so does a recovery code.
// - A session acts for its account with the scopes of its user's role.

import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { errors } from './errors.ts'
import { randomBase62 } from './key-format.ts'
import { recordOperatorAction } from './operator-actions.ts'
import type { Passwords } from './passwords.ts'
import { SCOPES } from './scopes.ts'
import { sessionCookie, sessionToken } from './session-cookie.ts'
import {
  addSession,
  confirmTotp,
  deleteSession,
  type FoundSession,
  findSession,
  type Role,
  removeTotp,
  type SessionRow,
  touchSession,
  type UserRow,
  useRecoveryHash,
  usersByEmail,
  useTotpStep,
} from './sql-users.ts'
import { type Throttle, throttle } from './throttle.ts'

export const SESSION_IDLE_MS = 12 * 3_600_000
export const SESSION_LIFE_MS = 7 * 86_400_000
export const TOTP_SEAL = 'totp'
const TOUCH_EVERY_MS = 60_000
const TRIES_OF_AN_ADDRESS = 10
const TRIES_AT_A_USER = 100
/** Attempts at an authenticator code by someone who knows the password; then one per quarter of an hour. */
const TRIES_OF_A_CODE = 5
const CODE_EVERY_MS = 900_000
/** Limit of remembered networks that users have signed in from; the least recently used is forgotten. */
const MAX_PLACES = 10_000
const TOKEN_BYTES = 32
const MAX_AGENT_CHARS = 300
export const MAX_USERS_OF_AN_EMAIL = 20
const LEAST_HASHINGS = 2
/** A refused sign-in is answered at a multiple of this time after it began. */
const REFUSED_EVERY_MS = 1_000
const RECOVERY_CODES = 10
const RECOVERY_CHARS = 16
const STEP_SECONDS = 30
const STEPS_OFF = 1

export interface SessionsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly secrets: Secrets
  readonly passwords: Passwords
  /** True when the dashboard is reached over TLS. */
  readonly secure: boolean
}

export interface SignIn {
  readonly email: string
  readonly password: string
  /** An authenticator code or a recovery code. */
  readonly code: string | null
  readonly ip: string
  readonly agent: string
}

export interface Sessions {
  /** @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded */
  signIn(asked: SignIn): Promise<{ readonly token: string; readonly session: FoundSession }>
  /** The token in a request's cookies; null when it carries no session cookie of ours. */
  tokenIn(cookie: string | undefined): string | null
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

export function sessionsOf({ database, clock, ids, secrets, passwords, secure }: SessionsOptions): Sessions {
  const byAddress: Throttle = throttle(clock, TRIES_OF_AN_ADDRESS)
  const byUser: Throttle = throttle(clock, TRIES_AT_A_USER)
  const byCode: Throttle = throttle(clock, TRIES_OF_A_CODE, CODE_EVERY_MS)

  /** @throws ApiError rate_limit_exceeded */
  const guarded = async <T>(names: readonly (readonly [Throttle, string])[], work: () => Promise<T>): Promise<T> => {
    const begun: (typeof names)[number][] = []
    let failed = false
    try {
      // Always in the same order, so that no two attempts deadlock.
      for (const [tries, name] of names) {
        const retryAfter = await tries.begin(name)
        if (retryAfter > 0) throw errors.rate_limit_exceeded({ retry_after: retryAfter }, { retryAfter })
        begun.push([tries, name])
      }
      return await work()
    } catch (error) {
      failed = error instanceof ApiError && error.code === 'invalid_credentials'
      throw error
    } finally {
      for (const [tries, name] of begun) tries.end(name, failed)
    }
  }
  const places = recentlyUsed<true>(MAX_PLACES)
  const placeOf = (ip: string, name: string): string => `${senderNetwork(ip)} ${name}`
  const guardedAt = <T>(ip: string, user: UserRow, work: () => Promise<T>): Promise<T> => {
    const atAddress = [byAddress, senderNetwork(ip)] as const
    return guarded(places.has(placeOf(ip, user.id)) ? [atAddress] : [atAddress, [byUser, user.id]], work)
  }
  const signedInAt = (ip: string, user: UserRow): void => {
    const place = placeOf(ip, user.id)
    if (!places.has(place)) byUser.forget(user.id)
    places.set(place, true)
  }

  /** The first user with this email whose password matches. @throws ApiError invalid_credentials, rate_limit_exceeded */
  const provenUser = async ({ email, password, ip }: SignIn): Promise<UserRow> => {
    const users: readonly (UserRow | null)[] = await usersByEmail(database.system, email, MAX_USERS_OF_AN_EMAIL)
    let user: UserRow | null = null
    let retryAfter = 0
    for (const candidate of users.length === 0 ? [null] : users) {
      // Once the password matched a user it is no guess at the others, but is hashed for each all the same.
      if (user !== null) {
        await passwords.verify(password, null)
        continue
      }
      const name = candidate?.id ?? email
      const isCounted = !places.has(placeOf(ip, name))
      const waitSeconds = isCounted ? await byUser.begin(name) : 0
      retryAfter = Math.max(retryAfter, waitSeconds)
      if (waitSeconds > 0) continue
      let isWrong = false
      try {
        isWrong = !(await passwords.verify(password, candidate?.password_hash ?? null))
        if (!isWrong) user = candidate
      } finally {
        if (isCounted) byUser.end(name, isWrong)
      }
    }
    if (user === null && retryAfter > 0) throw errors.rate_limit_exceeded({ retry_after: retryAfter }, { retryAfter })
    for (let done = Math.max(1, users.length); done < LEAST_HASHINGS; done++) await passwords.verify(password, null)
    if (user === null) throw errors.invalid_credentials()
    return user
  }

  /** Delays a refusal to a moment that does not reveal how long the check took. */
  const refusedEvenly = async <T>(work: () => Promise<T>): Promise<T> => {
    const beganMs = clock.monotonicMs()
    try {
      return await work()
    } catch (error) {
      const tookMs = clock.monotonicMs() - beganMs
      const waitMs = Math.ceil(tookMs / REFUSED_EVERY_MS) * REFUSED_EVERY_MS - tookMs
      if (waitMs > 0) await clock.sleep(waitMs, AbortSignal.timeout(2 * REFUSED_EVERY_MS)).catch(() => undefined)
      throw error
    }
  }

  /** @throws ApiError invalid_credentials */
  const prove = async (user: UserRow, password: string): Promise<void> => {
    if (!(await passwords.verify(password, user.password_hash))) throw errors.invalid_credentials()
  }

  /** @throws ApiError second_factor_required, invalid_credentials, rate_limit_exceeded */
  const checkCode = async (user: UserRow, code: string | null): Promise<void> => {
    const { totp_secret: sealed } = user
    if (sealed === null) return
    if (code === null) throw errors.second_factor_required()
    // Recovery codes are too long to guess. A user whose code attempts others have used up can still sign in with one.
    if (!isOfAuthenticator(code)) {
      if (await useRecoveryHash(database.system, user, hashOf(normalized(code)))) return
      throw errors.invalid_credentials()
    }
    await guarded([[byCode, user.id]], async () => {
      const step = stepOf(secrets.open(TOTP_SEAL, user.id, sealed).toString(), code, clock.now())
      if (step === null || !(await useTotpStep(database.system, user, step))) throw errors.invalid_credentials()
    })
    byCode.forget(user.id)
  }

  const signIn = async (asked: SignIn): ReturnType<Sessions['signIn']> => {
    const { code, ip, agent } = asked
    const user = await refusedEvenly(() => provenUser(asked))
    await checkCode(user, code)
    signedInAt(ip, user)
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
    signIn: ({ email: given, ...asked }) => {
      const email = given.toLowerCase()
      return guarded([[byAddress, senderNetwork(asked.ip)]], () => signIn({ ...asked, email }))
    },
    tokenIn: (cookie) => sessionToken(cookie, secure),
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
    checkPassword: (user, password, ip) => guardedAt(ip, user, () => prove(user, password)),
    removeSecret: (user, { password, code }, ip) =>
      guardedAt(ip, user, async () => {
        await prove(user, password)
        await checkCode(user, code)
        await removeTotp(database.system, user)
      }),
    newSecret: (user) => {
      const secret = new Secret({ size: 20 })
      return {
        secret: secret.base32,
        url: totpOf(secret.base32, user.email).toString(),
        sealed: secrets.seal(TOTP_SEAL, user.id, secret.base32),
      }
    },
    confirmSecret: async (user, code) => {
      if (user.totp_pending === null) return null
      const step = stepOf(secrets.open(TOTP_SEAL, user.id, user.totp_pending).toString(), code, clock.now())
      if (step === null) return null
      const codes = Array.from({ length: RECOVERY_CODES }, () => randomBase62(RECOVERY_CHARS, ids.bytes).toLowerCase())
      const recovery = codes.map((one) => hashOf(normalized(one)))
      if (!(await confirmTotp(database.system, user, { step, recovery }))) return null
      return codes.map((one) => one.replaceAll(/(.{4})(?=.)/g, '$1-'))
    },
  }
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Posthorn', label, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS })
}

/** The time step a code belongs to, at most one off; null when it belongs to none. */
function stepOf(secret: string, code: string, now: Date): number | null {
  if (!isOfAuthenticator(code)) return null
  const timestamp = now.getTime()
  const off = totpOf(secret, '').validate({ token: code.trim(), timestamp, window: STEPS_OFF })
  return off === null ? null : Math.floor(timestamp / 1_000 / STEP_SECONDS) + off
}

function isOfAuthenticator(code: string): boolean {
  return /^\d{6}$/.test(code.trim())
}

function normalized(code: string): string {
  return code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const READING = SCOPES.filter((scope) => scope.endsWith(':read'))

/** What a role may do, as the scopes of a key. Owners also handle users and keys. */
export const SCOPES_OF: Readonly<Record<Role, readonly string[]>> = {
  owner: ['full'],
  developer: SCOPES.filter((scope) => scope !== 'full' && scope !== 'api_keys:write' && scope !== 'smtp:write'),
  viewer: READING.filter((scope) => scope !== 'smtp:read' && scope !== 'api_keys:read'),
}

/** An operator acts as an owner in another account. */
export function roleOf({ role, acting_id }: Pick<FoundSession, 'role' | 'acting_id'>): Role {
  return acting_id === null ? role : 'owner'
}

export function principalOfSession(session: FoundSession): Principal {
  const scopes = SCOPES_OF[roleOf(session)]
  return { accountId: accountOf(session), keyId: null, mode: 'live', scopes, domainIds: null }
}

/** The account that a session acts for. */
export function accountOf({ account_id, acting_id }: Pick<FoundSession, 'account_id' | 'acting_id'>): string {
  return acting_id ?? account_id
}
