// Finds the route for the mail to a recipient's domain, in direct and in relay mode.
//
// The plan of a domain comes from the DNS and is kept for a minute. Domains with the same servers (next-hops.ts) share a route
// (route-table.ts) with its connections and its pace; the next plan leads to the same route.

import { setMaxListeners } from 'node:events'
import { createSecureContext } from 'node:tls'
import { type MxPlan, planOf } from '../../mail/dns/mx.ts'
import type { Timeouts } from '../../mail/smtp/client.ts'
import type { Clock } from '../../platform/clock.ts'
import { isPassing } from '../../platform/db.ts'
import { askedFor, type Resolver } from '../../platform/dns.ts'
import { CLIENT_TLS } from '../../platform/network/tls-client.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { SitePolicy, Transport } from '../transport/index.ts'
import { lookUpWatch } from './look-up-watch.ts'
import { exchangersOf, type NextHops, nextHopsOf, routeKeysOf } from './next-hops.ts'
import type { Pace } from './pace.ts'
import { type Relay, relayAddresses, relayTerms } from './relay.ts'
import { relayVerdict } from './relay-verdict.ts'
import { localReport } from './results.ts'
import { Route, type RouteOptions, type RouteResult } from './route.ts'
import { routeTable } from './route-table.ts'
import { socketsOf } from './sockets.ts'
import { tlsFaults } from './tls-faults.ts'
import type { DeliveryJob, Verdict } from './types.ts'
import { ANY_SOURCE, type SourceChoice } from './warm-up.ts'

export interface NetworkOptions {
  readonly resolver: Resolver
  readonly clock: Clock
  readonly chance: () => number
  readonly hostname: string
  /** Port of MX hosts. */
  readonly port: number
  readonly sourceIps: readonly string[]
  /** Absent: all source addresses may carry any mail. */
  readonly sources?: SourceChoice
  readonly allowPrivate: boolean
  /** Whether a host at an address is this service itself. */
  readonly isOurs: (host: string, address: string | null) => boolean
  /** Null: mail goes directly to the MX hosts. */
  readonly relay: Relay | null
  /** The TLS policies of receivers; absent: none. They do not apply to a relay, which follows the operator's settings. */
  readonly transport?: Transport
  readonly timeouts: Partial<Timeouts>
  readonly maxSockets: number
  readonly onError: (error: unknown) => void
}

export interface Network {
  /** @param site the recipient's domain in A-labels. Resolves to null when the mail is to be handed back untouched. */
  send(site: string, job: DeliveryJob): Promise<RouteResult>
  /** Milliseconds until the site may be tried again; 0 when nothing speaks against it. */
  pauseMs(site: string): number
  /** Whether the site has answered, and not turned silent since. */
  answers(site: string): boolean
  /** Whether the site's mails always take long. */
  isSlow(site: string): boolean
  /** True while most names seem not to exist or to have no hosts: the fault is more likely in our resolver. */
  namesDoubtful(): boolean
  /** Gives back waiting mail; mail under way continues. */
  release(): void
  /** Breaks all connections. */
  abort(): void
}

const PLAN_MS = 60_000
const FAILED_PLAN_MS = 10_000
const MAX_PLANS = 20_000
/** A plan beyond this size counts as several. The owner of a domain chooses how many addresses it has. */
const PLAN_BYTES = 2_048
/** Of a host or an address, beside its text. */
const OVERHEAD_BYTES = 64

/** Status codes of findings that a second look must confirm: the domain does not exist, or has no host that takes mail. */
export const NO_SUCH_DOMAIN = '4.1.2'
export const NO_HOST = '4.4.4'

/**
 * Where mail goes, and how. `closed`: there are hosts, but the domain's policy allows mail to none of them. `unasked`: the
 * database, which keeps the policies, is away or too slow; that says nothing about the domain.
 */
type Plan =
  | (Hosts & {
      readonly kind: 'open'
      readonly hops: NextHops
      readonly route: Route
      readonly policy: SitePolicy | null
    })
  | (Hosts & { readonly kind: 'closed'; readonly detail: string; readonly noteFault: () => void })
  | { readonly kind: 'unasked' }
  | Exclude<MxPlan, { readonly kind: 'hosts' }>

interface Hosts {
  readonly mx: Extract<MxPlan, { readonly kind: 'hosts' }>
}

interface Planned {
  readonly plan: Promise<Plan>
  untilMs: number
  /** The plan's route. Until the plan resolves, or if it leads to no route, the route of the previous plan. */
  route: Route | null
}

export function networkOf(options: NetworkOptions): Network {
  const { clock, relay, transport } = options
  const plans = recentlyUsed<Planned>(MAX_PLANS)
  const sockets = socketsOf(options.maxSockets)
  const secureContext = createSecureContext(CLIENT_TLS)
  const faults = tlsFaults(clock)
  const lookUps = lookUpWatch(clock)
  let aborting = newController()
  let releases = 0

  const planned = (site: string, accountId: string): Planned => {
    const nowMs = clock.monotonicMs()
    const known = plans.get(site)
    if (known !== undefined && nowMs < known.untilMs) return known
    const entry: Planned = { plan: ask(site, accountId), untilMs: nowMs + PLAN_MS, route: known?.route ?? null }
    void entry.plan.then((plan) => {
      if (plan.kind === 'open') entry.route = plan.route
      else if (plan.kind === 'unasked') entry.untilMs = 0
      else entry.untilMs = clock.monotonicMs() + FAILED_PLAN_MS
      if (plans.peek(site) !== entry) return
      // A table does not weigh an entry anew that it has.
      plans.delete(site)
      plans.set(site, entry, { size: Math.ceil(bytesOf(plan) / PLAN_BYTES) })
    })
    plans.set(site, entry)
    return entry
  }

  /** @param accountId whose mail it is that needs the plan first */
  const ask = async (site: string, accountId: string): Promise<Plan> => {
    try {
      if (relay !== null) return opened(site, await relayPlan(relay, options.resolver), null)
      const plan = await planOf(site, {
        resolver: askedFor(options.resolver, accountId),
        chance: options.chance,
        allowPrivate: options.allowPrivate,
        isOurs: options.isOurs,
        ...familiesOf(options.sourceIps),
        signal: aborting.signal,
      })
      lookUps.add(site, plan.kind === 'nxdomain' || plan.kind === 'no_hosts')
      if (plan.kind !== 'hosts' || transport === undefined) return opened(site, plan, null)
      const hosts = plan.hosts.map(({ host }) => host)
      return opened(site, plan, await transport.policyOf(site, hosts))
    } catch (error) {
      if (isPassing(error)) return { kind: 'unasked' }
      if (!aborting.signal.aborted) options.onError(error)
      return { kind: 'defer', detail: `${site} could not be looked up` }
    }
  }

  const opened = (site: string, plan: MxPlan, policy: SitePolicy | null): Plan => {
    if (plan.kind !== 'hosts') return plan
    const exchangers = exchangersOf(plan, policy)
    const [first] = exchangers
    const hops = nextHopsOf(exchangers)
    if (hops.targets.length > 0 || first?.rule.kind !== 'closed' || policy === null)
      return { kind: 'open', mx: plan, hops, route: routes.routeOf(routeKeysOf(plan, exchangers)), policy }
    const { host, rule, addresses } = first
    const ip = addresses[0] ?? ''
    const session = { site, policy: policy.reported(host), fault: rule.fault, host, ip, sourceIp: null }
    return { kind: 'closed', mx: plan, detail: rule.why, noteFault: () => transport?.note(session) }
  }

  const newRoute = (): Route =>
    new Route({
      port: relay?.port ?? options.port,
      ehloName: options.hostname,
      ...(relay === null ? { tls: 'opportunistic', auth: undefined } : { auth: undefined, ...relayTerms(relay) }),
      weigh: relay === null ? (verdict) => verdict : relayVerdict,
      sourceIps: options.sourceIps,
      sources: options.sources ?? ANY_SOURCE,
      timeouts: options.timeouts,
      clock,
      sockets,
      secureContext,
      tlsFaults: faults,
      signal: aborting.signal,
      onSession: noteSession,
      onError: options.onError,
    })
  const routes = routeTable(newRoute)

  const paceOf = (site: string): Pace | undefined => plans.get(relay === null ? site : '')?.route?.pace

  const noteSession: RouteOptions['onSession'] = (site, { host, ip }, sourceIp, fault) => {
    if (transport === undefined || relay !== null) return
    void plans.get(site)?.plan.then((plan) => {
      if (plan.kind === 'open' && plan.policy !== null)
        transport.note({ site, policy: plan.policy.reported(host), fault, host, ip, sourceIp })
    })
  }

  return {
    send: async (site, job) => {
      const startedAt = clock.now()
      const startedMs = clock.monotonicMs()
      const released = releases
      const found = await planned(relay === null ? site : '', job.accountId).plan
      // The mail has also waited for the DNS.
      if (releases > released) return null
      const plan = !job.obeysTlsPolicy && 'mx' in found ? opened(site, found.mx, null) : found
      if (plan.kind === 'unasked') return null
      if (plan.kind === 'closed') plan.noteFault()
      if (plan.kind !== 'open') return localReport(planVerdict(plan), startedAt, clock.monotonicMs() - startedMs)
      return plan.route.send(job, plan.hops)
    },
    pauseMs: (site) => paceOf(site)?.pauseMs(clock.monotonicMs()) ?? 0,
    answers: (site) => paceOf(site)?.proven ?? false,
    isSlow: (site) => paceOf(site)?.slow ?? false,
    namesDoubtful: lookUps.doubtful,
    release: () => {
      releases++
      routes.release()
    },
    abort: () => {
      aborting.abort(new Error('delivery stops'))
      routes.release()
      aborting = newController()
      routes.clear()
      plans.clear()
    },
  }
}

function bytesOf(plan: Plan): number {
  if (!('mx' in plan)) return OVERHEAD_BYTES
  const terms = plan.kind === 'open' ? plan.hops.exchangers.map((one) => one.terms) : []
  const texts = [...terms, ...plan.mx.hosts.flatMap(({ host, addresses }) => [host, ...addresses])]
  return texts.reduce((sum, text) => sum + OVERHEAD_BYTES + text.length, 0)
}

function newController(): AbortController {
  const made = new AbortController()
  // Every connection listens to the signal.
  setMaxListeners(0, made.signal)
  return made
}

/** Source addresses of one family can reach only that family. */
function familiesOf(sourceIps: readonly string[]): { readonly families?: readonly (4 | 6)[] } {
  if (sourceIps.length === 0) return {}
  return { families: [...new Set(sourceIps.map((ip) => (ip.includes(':') ? 6 : 4)))] }
}

async function relayPlan(relay: Relay, resolver: Resolver): Promise<MxPlan> {
  const { host } = relay
  const addresses = await relayAddresses(relay, resolver)
  if (addresses.length === 0) return { kind: 'defer', detail: `the relay ${host} has no address` }
  return { kind: 'hosts', hosts: [{ host, preference: 0, addresses }], names: host, implicit: true }
}

function planVerdict(plan: Exclude<Plan, { readonly kind: 'open' | 'unasked' }>): Verdict {
  const command = 'connect'
  const localReply = (enhanced: string, text: string) => ({ code: null, enhanced, text: `${enhanced} ${text}` })
  const later = (enhanced: string, text: string): Verdict => {
    const finalReply = localReply(enhanced, text)
    return { kind: 'deferred', finalReply, cause: 'dns', category: 'dns_failure', command }
  }
  switch (plan.kind) {
    case 'null_mx': {
      // RFC 7505 section 4.1.
      const finalReply = localReply('5.1.10', 'the recipient domain takes no mail (null MX)')
      return { kind: 'bounced', finalReply, type: 'hard', category: 'bad_domain', command }
    }
    case 'nxdomain':
      return later(NO_SUCH_DOMAIN, 'the recipient domain does not exist')
    case 'no_hosts':
      return later(NO_HOST, plan.detail)
    case 'defer':
      return later('4.4.3', plan.detail)
    case 'closed': {
      const finalReply = localReply('4.7.5', plan.detail)
      return { kind: 'deferred', finalReply, cause: 'tls', category: 'policy', command }
    }
    case 'private':
      return { kind: 'failed', finalReply: localReply('5.4.6', plan.detail), cause: 'dns' }
  }
}
