// The room as one unit that starts and stops: what delivery needs for each mail, the public endpoints, the intake of hits,
// the judge, and the state kept in memory and refreshed (token keys, blocked targets, branded names and their owners).

import path from 'node:path'
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import type { Resolver } from '../../platform/dns.ts'
import type { AnyEndpoint } from '../../platform/http.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Loop, loop, type Service } from '../../platform/lifecycle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Certificate } from '../../platform/network/certificates.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Accounts } from '../accounts/index.ts'
import { blockedTargets } from './blocked-targets.ts'
import { certificateServices, recallOrders } from './certificates.ts'
import { hitJudgingLoop, recallHits } from './hit-judging.ts'
import { type Intake, intakeOf } from './intake.ts'
import { tokenKeys } from './keys.ts'
import { type UnsubscribeMail, unsubscribeByMail } from './mail.ts'
import { type MessageLinks, messageLinks } from './message-links.ts'
import { whenNamesChanged } from './name-changes.ts'
import { nameOwners } from './name-owners.ts'
import { challengeRoute, publicRoutes, type Sender } from './public-routes.ts'
import { trackingRoutes } from './routes.ts'
import { servedNames } from './served-domains.ts'
import * as sql from './sql.ts'
import { FIRST_KEYS, type TokenKeys, tokensOf } from './tokens.ts'
import { recallNameChecks, type TrackingDomainsOptions, trackingDomainsOf } from './tracking-domains.ts'
import type { EmailLedger } from './types.ts'

export interface TrackingOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly secrets: Secrets
  readonly accounts: Pick<Accounts, 'settings' | 'stoppedAccounts'>
  readonly ledger: EmailLedger
  readonly dataDir: string
  readonly publicUrl: string
  readonly hostname: string
  /** For tracking domains; must not cache. */
  readonly resolver: Resolver
  /** Null: nothing here serves TLS, so no certificate is ordered. */
  readonly httpsPort: number | null
  /** The public URL's host when it needs a certificate from a CA, else null. */
  readonly ownName: string | null
  /** Null: Let's Encrypt. */
  readonly acmeDirectory: string | null
  readonly acmeCaFile: string | null
  readonly operatorEmail: string | null
  readonly onLost: TrackingDomainsOptions['onLost']
}

export interface TrackingRoom {
  /** For delivery: the links and addresses to put into an outgoing mail. */
  readonly tracking: MessageLinks
  /** The API of tracking domains. */
  readonly endpoints: readonly AnyEndpoint[]
  /** For the tracking role; they need no API key. */
  readonly publicEndpoints: readonly AnyEndpoint[]
  /** Certificate of a branded name or of the public URL's host; null: none. Throws if its key cannot be opened. */
  contextFor(name: string): SecureContext | null
  /** The certificate of the public URL's host, from the database or else from memory; null: it has none from a CA. */
  ownCertificate(): Promise<Certificate | null>
  /** Whether this is a customer's name that is served here; such a name serves only the public pages. */
  isBranded(name: string): boolean
  /** For the MX: the unsubscribe that mail to this local part asks for; null: it is not one of our unsubscribe addresses. */
  unsubscribeMail(localPart: string): UnsubscribeMail | null
  /** For delivery: whether the database holds all acknowledged unsubscribes. */
  readonly journals: Intake['journals']
  /** For every process: refreshes the state in memory. */
  readonly memory: Service
  /** For the tracking role: takes hits in. */
  readonly intake: Service
  /** For the worker role: judge hits, check names, order certificates. */
  readonly workers: readonly Service[]
}

const REFRESH_MS = 2_000
const NAME_WITHIN_MS = 1_000

export function trackingRoom(options: TrackingOptions): TrackingRoom {
  const { database, clock, ids, log, secrets, accounts, ledger, publicUrl, hostname } = options
  let keys: TokenKeys = FIRST_KEYS
  const tokens = tokensOf(secrets, () => keys)
  const targets = blockedTargets()
  const intake = intakeOf({ database, clock, ids, log, ledger, folder: path.join(options.dataDir, 'tracking') })
  const wantsCertificates = options.httpsPort !== null
  const names = trackingDomainsOf({ ...options, wantsCertificates })
  const { ownName } = options
  const served = servedNames(options, options)
  const owners = nameOwners({ database, clock, publicUrl })
  const unsubscribeMac = secrets.signer('verp unsubscribe')
  const refreshNames = whenNamesChanged(options, async () => {
    await served.refresh()
    await owners.refresh()
  })
  const memory = refreshed(options, async () => {
    await served.refreshOwn()
    await refreshNames()
    keys = await tokenKeys(database.system)
    targets.set((await database.system.query<{ host: string }>(sql.blockedTargets)).map(({ host }) => host))
  })
  return {
    tracking: messageLinks({
      tokens,
      publicUrl,
      hostname,
      brandedBase: (domainId) => served.brandedBase(domainId),
      unsubscribeMac,
    }),
    endpoints: trackingRoutes(names, () => clock.now()),
    publicEndpoints: [
      challengeRoute({ database, clock }),
      ...publicRoutes({
        tokens,
        intake,
        clock,
        ids,
        log,
        isStopped: (accountId, url) => accounts.stoppedAccounts().has(accountId) || targets.isBlocked(url),
        isOfAnother: owners.isOfAnother,
        senderOf: (accountId) => senderOf(accounts, accountId),
      }),
    ],
    contextFor: (name) => served.contextFor(name),
    ownCertificate: () => served.ownCertificate(),
    isBranded: (name) => served.isBranded(name),
    unsubscribeMail: (localPart) =>
      unsubscribeByMail({ database, clock, ids, ledger, unsubscribeMac, tokens }, localPart),
    journals: intake.journals,
    memory,
    intake: intake.service,
    workers: [
      hitJudgingLoop({ database, clock, ids, log, ledger, isBurst: intake.isBurst }),
      names.rechecks,
      ...(wantsCertificates
        ? certificateServices({
            database,
            clock,
            log,
            secrets,
            names,
            ownName,
            directory: options.acmeDirectory,
            caFile: options.acmeCaFile,
            email: options.operatorEmail,
          })
        : []),
    ],
  }
}

/** Makes due what a clock that was ahead has put off further than the schedules allow. */
export async function recallTracking(db: Db, now: Date): Promise<void> {
  await recallHits(db, now)
  await recallNameChecks(db, now)
  await recallOrders(db, now)
}

/** Null when the lookup fails or takes longer than 1 s: the page does not wait for a database that is down. */
async function senderOf(accounts: Pick<Accounts, 'settings'>, accountId: string): Promise<Sender | null> {
  const late = new Promise<null>((resolve) => {
    setTimeout(resolve, NAME_WITHIN_MS, null).unref()
  })
  return Promise.race([accounts.settings(accountId).catch(() => null), late])
}

/** Start waits for the first refresh, which the first mail or hit needs; when a later refresh fails, the old state stays. */
function refreshed({ log }: TrackingOptions, refresh: () => Promise<void>): Service {
  const turn = async (): Promise<number> => {
    await refresh()
    return REFRESH_MS
  }
  const again: Loop = loop({
    name: 'tracking',
    turn,
    onError: (err) => log.warn({ err }, 'what tracking keeps in memory could not be refreshed'),
    retryMs: REFRESH_MS,
  })
  return {
    ...again,
    start: async () => {
      await turn()
      await again.start()
    },
  }
}
