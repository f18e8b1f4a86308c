// Signing in to the dashboard: by email and password, and by a second factor where the user has one (RFC 6238). What the
// browser then carries is a random token in a cookie that scripts cannot read and other sites cannot send; stored is its
// SHA-256 alone. A session ends after 12 hours without use, after 7 days in any case, when it is revoked, and with its user.
//
// - A wrong password, an unknown address and a wrong code get one answer after as many hashings: two, as an address with users
//   in two accounts needs. One with more takes longer; a hashing for each that there could be would cost every sign-in half a
//   second of a processor. So that no time tells, whoever is not let in by their password hears so at the end of a whole second,
//   within which an address with users in 20 accounts is looked at (20 hashings take some 0.4 s).
// - An address has at most 20 users in all accounts. Those that were made with their accounts, which the operator makes, come
//   first: no account can add users so that another account's owner is not among those who are looked at.
// - An address (IPv6: its /64) may fail 10 times in a row and once a minute from then on; a user may be failed 100 times in
//   a row from all addresses together, whoever else has that user's email: each password that is held against a user and is
//   not theirs counts, and their own sign-in alone clears it. A network from which the user has signed in is not among these and held up by its
//   own count alone, so that nobody is shut out of their account by those who guess elsewhere. All of it lives in the process.
// - A time step of the second factor works once, a recovery code too.
// - A session acts for its account with the scopes of its user's role.

import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { noteDeed } from './deeds.ts'
import { errors } from './errors.ts'
import { randomBase62 } from './key-format.ts'
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
/** Of the authenticator, by who knows the password; then one each quarter of an hour. */
const TRIES_OF_A_CODE = 5
const CODE_EVERY_MS = 900_000
/** Networks from which users have signed in; of more, the one that was used longest ago is forgotten. */
const MAX_PLACES = 10_000
const TOKEN_BYTES = 32
const MAX_AGENT_CHARS = 300
export const MAX_USERS_OF_AN_EMAIL = 20
const LEAST_HASHINGS = 2
/** Who is not let in hears so a whole number of these after they asked. */
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
  /** The dashboard is reached over TLS. */
  readonly secure: boolean
}

export interface SignIn {
  readonly email: string
  readonly password: string
  /** Of the authenticator, or a recovery code. */
  readonly code: string | null
  readonly ip: string
  readonly agent: string
}

export interface Sessions {
  /** @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded */
  signIn(asked: SignIn): Promise<{ readonly token: string; readonly session: FoundSession }>
  /** The token in a request's cookies; null when there is none of the kind that this service sets. */
  tokenIn(cookie: string | undefined): string | null
  /** The header `Set-Cookie` for a session that has just begun; null takes the cookie away. */
  cookieOf(token: string | null): string
  /** Null when the token is none, or its session is over. */
  find(token: string): Promise<FoundSession | null>
  signOut(session: FoundSession): Promise<void>
  /** Writes down what an operator is about to change in an account that is not theirs; else nothing. */
  noteActing(
    session: FoundSession,
    asked: { readonly method: string; readonly path: string; readonly ip: string },
  ): Promise<void>
  /** @throws ApiError invalid_credentials, rate_limit_exceeded */
  checkPassword(user: UserRow, password: string, ip: string): Promise<void>
  /** A secret to be shown as a QR code, and how it is written down. */
  newSecret(user: UserRow): { readonly secret: string; readonly url: string; readonly sealed: Buffer }
  /**
   * Takes the second factor away.
   *
   * @param given `code`: of the authenticator, or a recovery code; null where there is no second factor
   * @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded
   */
  removeSecret(user: UserRow, given: { password: string; code: string | null }, ip: string): Promise<void>
  /** Turns the offered second factor on. @returns the recovery codes, shown this once; null when the code is wrong */
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
      // In one order, so that no two wait for one another.
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
  const places = new Set<string>()
  const placeOf = (ip: string, name: string): string => `${senderNetwork(ip)} ${name}`
  const guardedAt = <T>(ip: string, user: UserRow, work: () => Promise<T>): Promise<T> => {
    const atAddress = [byAddress, senderNetwork(ip)] as const
    return guarded(places.has(placeOf(ip, user.id)) ? [atAddress] : [atAddress, [byUser, user.id]], work)
  }
  const signedInAt = (ip: string, user: UserRow): void => {
    const place = placeOf(ip, user.id)
    if (!places.delete(place)) byUser.forget(user.id)
    places.add(place)
    const [oldest] = places
    if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest)
  }

  /** Of those with this email the first whose password it is. @throws ApiError invalid_credentials, rate_limit_exceeded */
  const provenUser = async ({ email, password, ip }: SignIn): Promise<UserRow> => {
    const users: readonly (UserRow | null)[] = await usersByEmail(database.system, email, MAX_USERS_OF_AN_EMAIL)
    let user: UserRow | null = null
    let retryAfter = 0
    for (const candidate of users.length === 0 ? [null] : users) {
      // Once it is somebody's, it is no guess at the others, and hashed all the same.
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

  /** Whoever is refused is so at a moment that does not tell how long it took to find out. */
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
    // Recovery codes are too long to be guessed: whose code others use up by guessing still gets in by one.
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
      await noteDeed(database.system, { ids, clock }, { email, ip }, { action: 'account.request', accountId, detail })
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

/** The time step that a code belongs to, one off at most; null when it belongs to none. */
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

/** An operator who looks into another account acts there as an owner. */
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
