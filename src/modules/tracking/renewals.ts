// Asks the certificate authority about every certificate when to renew it (renewal-information.ts), and moves the order there.
// One certificate at a time; machines share the work. An authority without such information is asked once a day for all of
// them, one that does not answer once an hour. Without an answer, a certificate is renewed at two thirds of its life.

import type { Db } from '../../platform/db.ts'
import { type FreshCache, freshCache } from '../../platform/fresh-cache.ts'
import { loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import { RetryAfterError } from './acme-retry-after.ts'
import { type AuthorityOptions, askedWithin, directoryOf, orderPause, unreachable } from './certificate-authority.ts'
import {
  certificateId,
  LATEST_ASKING_MS,
  nothingSuggested,
  renewalInfoUrl,
  type Suggestion,
  suggestionOf,
} from './renewal-information.ts'
import * as sql from './sql-renewals.ts'

export interface RenewalOptions extends AuthorityOptions {
  readonly log: Logger
  /** The end of an order's lease that begins now: an order due by then is left alone. */
  readonly leaseEnd: (now: Date) => Date
}

interface Context extends RenewalOptions {
  readonly directories: FreshCache<unknown>
}

const IDLE_MS = 5_000
const ANSWERED_WITHIN_MS = 60_000
/** How long a machine may take with one certificate before another asks about it. */
const LEASE_MS = 120_000
const NOT_OFFERED_MS = 86_400_000
const UNREACHABLE_MS = 3_600_000
/** For how long the directory of an authority that gives the information is not read again. */
const DIRECTORY_MS = 3_600_000

/** The two tables that hold certificates. */
const NAMES = { ask: sql.askAboutName, answered: sql.nameRenewal }
const OWN = { ask: sql.askAboutOwn, answered: sql.ownRenewal }

export function renewalService(given: RenewalOptions): Service {
  const directories = freshCache<unknown>({ clock: given.clock, maxAgeMs: DIRECTORY_MS, maxEntries: 1 })
  const options = { ...given, directories }
  return loop({
    name: 'renewal information',
    turn: async (signal) => {
      const asked = [await askAboutOne(options, OWN, signal), await askAboutOne(options, NAMES, signal)]
      return asked.includes(true) ? 0 : IDLE_MS
    },
    onError: (err) => options.log.warn({ err }, 'the certificate authority will be asked again when to renew'),
    retryMs: IDLE_MS,
  })
}

/** Makes due what a clock that was ahead has put off for longer than anything is. */
export async function recallRenewals(db: Db, now: Date): Promise<void> {
  const latest = new Date(now.getTime() + LATEST_ASKING_MS)
  await db.execute(sql.recallNames, [now, latest])
  await db.execute(sql.recallOwn, [now, latest])
}

/** @returns false when no certificate is due, or the authority is not to be asked now */
async function askAboutOne(options: Context, { ask, answered }: typeof NAMES, signal: AbortSignal): Promise<boolean> {
  const { database, clock, log } = options
  const now = clock.now()
  const row = await database.system.one<sql.AskingRow>(ask, [now, new Date(now.getTime() + LEASE_MS)])
  if (row === null) return false
  const held = await orderPause(options)
  if (held !== null) return askLater(options, held.until)
  try {
    const found = await suggestionFor(options, row.certificate, signal)
    if (found === null) return await askLater(options, new Date(clock.now().getTime() + NOT_OFFERED_MS))
    const { id, askAt, renewAt, explanation } = found
    const leaseEnd = options.leaseEnd(clock.now())
    await database.system.execute(answered, [row.key, row.certificate, askAt, id, renewAt, leaseEnd])
    if (renewAt !== null && renewAt <= clock.now())
      log.info({ certificate_of: row.key, explanation }, 'the certificate authority wants a certificate renewed now')
    return true
  } catch (err) {
    if (signal.aborted) return false
    log.info({ err }, 'the certificate authority does not say when to renew')
    const until = err instanceof RetryAfterError ? err.until : new Date(clock.now().getTime() + UNREACHABLE_MS)
    return askLater(options, until)
  }
}

/** For all certificates that are due, the leased one included. */
async function askLater({ database, clock }: RenewalOptions, until: Date): Promise<false> {
  const now = clock.now()
  const latest = new Date(Math.min(until.getTime(), now.getTime() + LATEST_ASKING_MS))
  const due = new Date(now.getTime() + LEASE_MS)
  await database.system.execute(sql.askNamesLater, [due, latest])
  await database.system.execute(sql.askOwnLater, [due, latest])
  return false
}

/**
 * @returns null when the authority gives no such information; `id` is null when it does not know the certificate
 * @throws Unreachable, or the wait that the authority asked for
 */
function suggestionFor(
  options: Context,
  chain: string,
  signal: AbortSignal,
): Promise<(Suggestion & { readonly id: string | null }) | null> {
  return askedWithin({ options, withinMs: ANSWERED_WITHIN_MS, signal }, async ({ axios }) => {
    const id = await certificateId(chain)
    if (id === null) return { ...nothingSuggested(options.clock.now()), id }
    const name = directoryOf(options)
    const asOfMs = options.clock.monotonicMs()
    const known = options.directories.get(name)
    const directory: unknown = known ?? (await axios.get(name).catch(unreachable)).data
    const url = renewalInfoUrl(directory, id)
    if (url === null) return null
    if (known === undefined) options.directories.set(name, directory, asOfMs)
    // Any status is an answer: the library throws only when there is none.
    const { status, data, headers } = await axios.get(url, { validateStatus: null }).catch(unreachable)
    const answer = { status, data, retryAfter: textOf(headers['retry-after']), date: textOf(headers['date']) }
    return { ...suggestionOf(answer, chain, options.clock.now()), id: status === 200 ? id : null }
  })
}

function textOf(header: unknown): string {
  return typeof header === 'string' ? header.trim() : ''
}
