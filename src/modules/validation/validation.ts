// From texts to facts, for one address or many: syntax, DNS, the lists, the probe. `score` rates the facts.
//
//   budget     10 s for one address, 30 s for a batch; an address without an answer by then is `timeout`, never invalid
//   a batch    runs in parallel; each distinct text is checked once, and answered as often as it was asked
//   probe      left out (`skipped`): by the kill switch POSTHORN_VALIDATION_PROBES=off, while mail goes to the sandbox
//              (POSTHORN_DELIVERY=sandbox: nothing leaves the machine), for sandbox keys, for providers whose answers say
//              nothing, and when a server would be asked more often than is polite
//   kept       per account: a clear answer 24 h, a block 10 minutes, greylisting and silence 1 minute, so that asking again
//              probes again. Per domain, for all accounts: whether it accepts every address, 24 h.
//   greylist   a greylisted address is asked about again in the background, 2, 6, 20 and 65 minutes after the previous answer,
//              until the server says more; a later request is answered at once
//   DNS        no answer disproves nothing: the domain counts as existing, scores below what any server said, and the
//              suggestion says so
//
// A crash loses only what was in progress; the credits of an unanswered call stay consumed.

import { type Address, parseAddress } from '../../mail/address.ts'
import { type MxPlan, planOf } from '../../mail/dns/mx.ts'
import { providerOf, UNKNOWN_PROVIDER } from '../../mail/dns/providers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { askedFor, type Resolver } from '../../platform/dns.ts'
import type { Ids } from '../../platform/ids.ts'
import { type Buckets } from '../accounts/index.ts'
import { disposableConfidence, isAliasRelay } from './disposable.ts'
import { patternOf } from './local-part.ts'
import { type Probed, type Prober, proberOf, UNCLEAR } from './probe.ts'
import { probeLimits, sharedProbeLimits } from './probe-limits.ts'
import { type Exchanger, type Facts, type Scored, type SmtpResult, score } from './score.ts'
import * as sql from './sql.ts'
import { meantAddress, meantDomain } from './typos.ts'

export interface CheckerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly resolver: Resolver
  /** Name given in EHLO. */
  readonly hostname: string
  readonly smtpPort: number
  readonly sourceIps: readonly string[]
  readonly allowPrivateNetworks: boolean
  /** False: no address is probed. */
  readonly probes: boolean
  readonly buckets: Buckets
  /** 32 bytes, unpredictable to outsiders and the same in all processes. */
  readonly mac: (text: string) => Buffer
}

export interface Asked {
  readonly accountId: string
  /** The request of a sandbox key: only DNS queries reach the network. */
  readonly sandboxed: boolean
  readonly budgetMs: number
}

export interface Checked extends Scored {
  readonly email: string
}

export interface Checker {
  /** @returns one result per text, in order */
  check(texts: readonly string[], asked: Asked): Promise<readonly Checked[]>
  /** Asks again about greylisted addresses that are due. @returns how many; MAX_REPROBES means that there may be more */
  reprobe(): Promise<number>
}

const DAY_MS = 86_400_000
const KEPT_MS: Readonly<Record<SmtpResult, number>> = {
  deliverable: DAY_MS,
  rejected: DAY_MS,
  catch_all: DAY_MS,
  blocked: 600_000,
  greylisted: 60_000,
  timeout: 60_000,
  skipped: 0,
}
export const LONGEST_KEPT_MS = DAY_MS
/** Longest time for one probe, in ms, not counting the wait for a turn. */
const PROBE_MS = 9_500
export const MAX_REPROBES = 50
export const REPROBE_AFTER_MS = [120_000, 360_000, 1_200_000, 3_900_000]
/** When a process dies during a reprobe, another one asks again after this time. */
const REPROBE_LEASE_MS = 120_000
const UNCLEAR_AGAIN_MS = 300_000
const RANDOM_LOCALS = [1, 2]
const RANDOM_LOCAL_CHARS = 20
const SKIPPED: Probed = { result: 'skipped', latencyMs: null, note: null }

export function checkerOf(options: CheckerOptions): Checker {
  const { database, clock } = options
  const from = (ms: number): Date => new Date(clock.now().getTime() + ms)
  const ago = (ms: number): Date => from(-ms)
  const probe: Prober = proberOf({
    clock,
    manners: probeLimits(clock),
    shared: sharedProbeLimits(options),
    hostname: options.hostname,
    port: options.smtpPort,
    sourceIps: options.sourceIps,
    randomLocals: (domain) => {
      const day = clock.now().toISOString().slice(0, 10)
      return RANDOM_LOCALS.map((n) => options.mac(`${n} ${day} ${domain}`).toString('hex').slice(0, RANDOM_LOCAL_CHARS))
    },
    catchAllOf: async (domain) => {
      const values = [domain, clock.now(), from(DAY_MS), ago(UNCLEAR_AGAIN_MS)]
      if ((await database.system.one(sql.CLAIM_CATCH_ALL, values)) !== null) return 'ask'
      const row = await database.system.one<{ catch_all: boolean | null }>(sql.KNOWN_CATCH_ALL, [domain, clock.now()])
      return row?.catch_all ?? null
    },
    learnt: async (domain, isCatchAll) => {
      await database.system.execute(sql.KEEP_CATCH_ALL, [domain, isCatchAll])
    },
  })
  const rowOf = (accountId: string, address: string, fresh: Probed, reprobes: number): readonly unknown[] => {
    const { result, latencyMs, note } = fresh
    const againMs = result === 'greylisted' ? REPROBE_AFTER_MS[reprobes] : undefined
    const again = againMs === undefined ? null : from(againMs)
    return [accountId, address, result, latencyMs, note, from(KEPT_MS[result]), again, reprobes]
  }

  return {
    check: async (texts, asked) => {
      const signal = AbortSignal.timeout(asked.budgetMs)
      const mayProbe = options.probes && !asked.sandboxed
      const unique = [...new Set(texts)]
      const parsed = new Map(unique.map((text) => [text, parseAddress(text.trim())]))
      const addresses = [...parsed.values()].flatMap((result) => (result.ok ? [result.address.address] : []))
      const known = mayProbe ? await knownResults(options, asked.accountId, addresses) : new Map<string, Probed>()
      const plans = new Map<string, Promise<MxPlan>>()
      const asking = { ...options, resolver: askedFor(options.resolver, `validation ${asked.accountId}`) }
      const plan = (domain: string): Promise<MxPlan> => {
        const found = plans.get(domain) ?? planWithin(domain, asking, signal)
        plans.set(domain, found)
        return found
      }
      const probed = async (address: Address, domainPlan: MxPlan): Promise<Probed> => {
        if (!mayProbe || domainPlan.kind !== 'hosts') return SKIPPED
        const kept = known.get(address.address)
        if (kept !== undefined) return kept
        const target = { address: address.address, domain: address.domain, hosts: domainPlan.hosts }
        const fresh = await probe(target, signal, PROBE_MS)
        if (fresh.result !== 'skipped')
          await database.system.execute(sql.KEEP_RESULT, rowOf(asked.accountId, address.address, fresh, 0))
        return fresh
      }
      const found = await Promise.all(
        unique.map(async (text): Promise<readonly [string, Scored]> => {
          const result = parsed.get(text)
          if (result?.ok !== true) return [text, score({ ...NO_ADDRESS, didYouMean: meantAddress(text) })]
          return [text, score(await factsOf(result.address, await plan(result.address.domain), probed))]
        }),
      )
      const results = new Map(found)
      return texts.map((email) => ({ email, ...(results.get(email) ?? score(NO_ADDRESS)) }))
    },
    reprobe: async () => {
      if (!options.probes) return 0
      const leaseEnd = from(REPROBE_LEASE_MS)
      const due = await database.system.query<ReprobeRow>(sql.CLAIM_REPROBES, [clock.now(), leaseEnd, MAX_REPROBES])
      const signal = AbortSignal.timeout(REPROBE_WITHIN_MS)
      await Promise.all(
        due.map(async ({ account_id: accountId, address: text, reprobes }) => {
          const parsed = parseAddress(text)
          if (!parsed.ok) throw new Error('what was kept is no address')
          const { address, domain } = parsed.address
          const found = await planWithin(domain, options, signal)
          const fresh =
            found.kind === 'hosts' ? await probe({ address, domain, hosts: found.hosts }, signal, PROBE_MS) : SKIPPED
          // Without a turn, a server or an answer the address stays greylisted, and the attempt counts.
          const clear = fresh.result !== 'skipped' && fresh.result !== 'timeout' && fresh.result !== 'blocked'
          const row = rowOf(accountId, address, clear ? fresh : { ...SKIPPED, result: 'greylisted' }, reprobes + 1)
          await database.system.execute(sql.KEEP_REPROBED, [...row, leaseEnd])
        }),
      )
      return due.length
    },
  }
}

const NO_ADDRESS: Facts = {
  syntaxValid: false,
  exchanger: 'none',
  disposable: 0,
  aliasRelay: false,
  pattern: 'generic',
  provider: UNKNOWN_PROVIDER,
  smtp: 'skipped',
  catchAllUnclear: false,
  latencyMs: null,
  didYouMean: null,
  notes: [],
}

async function factsOf(
  address: Address,
  plan: MxPlan,
  probed: (address: Address, plan: MxPlan) => Promise<Probed>,
): Promise<Facts> {
  const { domain, local } = address
  const exchanger = exchangerOf(plan)
  const hosts = plan.kind === 'hosts' && !plan.implicit ? plan.hosts.map(({ host }) => host) : []
  const provider = plan.kind === 'hosts' && plan.implicit ? providerOf(domain, [domain]) : providerOf(domain, hosts)
  const takesMail = exchanger === 'usable' || exchanger === 'implicit'
  const meant = meantDomain(domain, takesMail)
  const { result, latencyMs, note } = provider.probed ? await probed(address, plan) : SKIPPED
  return {
    syntaxValid: true,
    exchanger,
    disposable: disposableConfidence(domain),
    aliasRelay: isAliasRelay(domain),
    pattern: patternOf(local, domain),
    provider: hosts.length === 0 && exchanger !== 'implicit' ? UNKNOWN_PROVIDER : provider,
    smtp: result,
    catchAllUnclear: result === 'deliverable' && note === UNCLEAR,
    latencyMs,
    didYouMean: meant === null ? null : `${local}@${meant}`,
    notes: note === null ? [] : [note],
  }
}

function exchangerOf(plan: MxPlan): Exchanger {
  switch (plan.kind) {
    case 'hosts':
      return plan.implicit ? 'implicit' : 'usable'
    case 'null_mx':
      return 'null_mx'
    case 'nxdomain':
      return 'no_domain'
    case 'no_hosts':
      return plan.implicit ? 'none' : 'dead'
    case 'private':
      return 'private'
    case 'defer':
      return 'unknown'
  }
}

async function planWithin(
  domain: string,
  { resolver, ids, allowPrivateNetworks }: CheckerOptions,
  signal: AbortSignal,
): Promise<MxPlan> {
  try {
    return await planOf(domain, { resolver, chance: ids.chance, allowPrivate: allowPrivateNetworks, signal })
  } catch (error) {
    if (!signal.aborted) throw error
    return { kind: 'defer', detail: 'no answer in time' }
  }
}

const REPROBE_WITHIN_MS = 60_000

interface ReprobeRow {
  readonly account_id: string
  readonly address: string
  readonly reprobes: number
}

interface ResultRow {
  readonly address: string
  /** Whether the domain accepts every address, as known by now; null when unknown. */
  readonly catch_all: boolean | null
  readonly result: SmtpResult
  readonly latency_ms: number | null
  readonly note: string | null
}

async function knownResults(
  { database, clock }: CheckerOptions,
  accountId: string,
  addresses: readonly string[],
): Promise<Map<string, Probed>> {
  if (addresses.length === 0) return new Map()
  const rows = await database.system.query<ResultRow>(sql.KNOWN_RESULTS, [accountId, addresses, clock.now()])
  return new Map(rows.map((row) => [row.address, knownOf(row)]))
}

/** A confirmed mailbox means less once the domain is known to accept every address, and more once it is known not to. */
function knownOf({ result, latency_ms: latencyMs, note, catch_all: catchAll }: ResultRow): Probed {
  if (result !== 'deliverable' || catchAll === null) return { result, latencyMs, note }
  return { result: catchAll ? 'catch_all' : 'deliverable', latencyMs, note: null }
}
