// Proof of who signs in to the dashboard: by email and password, plus a second factor where the user has one.
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

import { senderNetwork } from '../../platform/addresses.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { ApiError } from '../../platform/errors.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { errors } from './errors.ts'
import type { Passwords } from './passwords.ts'
import { isOfAuthenticator, recoveryHash, stepOf, TOTP_SEAL } from './second-factor.ts'
import { type UserRow, useRecoveryHash, usersByEmail, useTotpStep } from './sql-users.ts'
import { type Throttle, throttle } from './throttle.ts'

const TRIES_OF_AN_ADDRESS = 10
const TRIES_AT_A_USER = 100
/** Attempts at an authenticator code by someone who knows the password; then one per quarter of an hour. */
const TRIES_OF_A_CODE = 5
const CODE_EVERY_MS = 900_000
/** Limit of remembered networks that users have signed in from; the least recently used is forgotten. */
const MAX_PLACES = 10_000
export const MAX_USERS_OF_AN_EMAIL = 20
const LEAST_HASHINGS = 2
/** A refused sign-in is answered at a multiple of this time after it began. */
const REFUSED_EVERY_MS = 1_000

export interface SignInAttempt {
  readonly email: string
  readonly password: string
  /** An authenticator code or a recovery code. */
  readonly code: string | null
  readonly ip: string
}

export interface SignInChecks {
  /** @throws ApiError invalid_credentials, second_factor_required, rate_limit_exceeded */
  signIn(attempt: SignInAttempt): Promise<UserRow>
  /** For a user who has signed in. @throws ApiError invalid_credentials, rate_limit_exceeded */
  checkPassword(user: UserRow, password: string, ip: string): Promise<void>
  /** The password and the second factor, for a user who has signed in. @throws as `signIn` */
  checkAgain(user: UserRow, given: Pick<SignInAttempt, 'password' | 'code'>, ip: string): Promise<void>
}

export interface SignInChecksOptions {
  readonly database: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly passwords: Passwords
}

export function signInChecks({ database, clock, secrets, passwords }: SignInChecksOptions): SignInChecks {
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
  const provenUser = async ({ email, password, ip }: SignInAttempt): Promise<UserRow> => {
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
      if (await useRecoveryHash(database.system, user, recoveryHash(code))) return
      throw errors.invalid_credentials()
    }
    await guarded([[byCode, user.id]], async () => {
      const step = stepOf(secrets.open(TOTP_SEAL, user.id, sealed).toString(), code, clock.now())
      if (step === null || !(await useTotpStep(database.system, user, step))) throw errors.invalid_credentials()
    })
    byCode.forget(user.id)
  }

  return {
    signIn: (attempt) =>
      guarded([[byAddress, senderNetwork(attempt.ip)]], async () => {
        const user = await refusedEvenly(() => provenUser({ ...attempt, email: attempt.email.toLowerCase() }))
        await checkCode(user, attempt.code)
        signedInAt(attempt.ip, user)
        return user
      }),
    checkPassword: (user, password, ip) => guardedAt(ip, user, () => prove(user, password)),
    checkAgain: (user, { password, code }, ip) =>
      guardedAt(ip, user, async () => {
        await prove(user, password)
        await checkCode(user, code)
      }),
  }
}
