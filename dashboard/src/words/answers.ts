// The sentences with which pages open: what a person came for, from the API's answers. Independent of the browser.

import { counted, figure } from './number-format.ts'
import { MIN_FOR_RATE, percent, rate, shareOf } from './rates.ts'

interface Figures {
  readonly sent: number
  readonly delivered: number
  readonly bounces: number
  readonly hard: number
  readonly soft: number
  readonly block: number
  readonly unknown: number
}

interface Bounce {
  readonly category: string
  readonly recipient: string
}

/**
 * How much of what was sent arrived.
 *
 * @param span the period, and the domain if there is one, such as `in the last 30 days`
 * @param latest bounces
 */
export function deliveryIn(figures: Figures, span: string, latest: readonly Bounce[]): string {
  const { sent, delivered, bounces } = figures
  if (sent === 0)
    return `No emails went to real recipients ${span}${bounces === 0 ? '' : `; ${figure(bounces)} sent earlier bounced`}.`
  const mostly = mostlyOf(latest)
  const lost =
    bounces === 0
      ? 'none bounced'
      : `${figure(bounces)} bounced${mostly === null ? kindsOf(figures) : `, mostly ${mostly}`}`
  return `${arrived(sent, delivered, span)}; ${lost}.`
}

function arrived(sent: number, delivered: number, span: string): string {
  // Those sent before the period can arrive in it.
  if (sent < MIN_FOR_RATE && delivered > sent)
    return `${figure(delivered)} emails were delivered ${span}, some of them sent earlier`
  const part = rate(delivered, sent)
  const share = sent < MIN_FOR_RATE ? part : `${part} of ${figure(sent)}`
  return `${share} ${sent === 1 ? 'email' : 'emails'} ${span} ${sent === 1 ? 'was' : 'were'} delivered`
}

const KINDS: readonly (readonly [kind: 'hard' | 'soft' | 'block' | 'unknown', name: string])[] = [
  ['hard', 'hard'],
  ['soft', 'soft'],
  ['block', 'blocked'],
  ['unknown', 'unknown'],
]

function kindsIn(figures: Pick<Figures, 'hard' | 'soft' | 'block' | 'unknown'>): readonly string[] {
  return KINDS.filter(([kind]) => figures[kind] > 0).map(([kind, name]) => `${figure(figures[kind])} ${name}`)
}

/** The kinds of bounces, used when no reason dominates, because each needs another remedy. */
function kindsOf(figures: Figures): string {
  const there = kindsIn(figures)
  return there.length < 2 ? '' : `: ${there.join(', ')}`
}

/** The reason and the domain that more than half of the latest bounces share, if any. */
function mostlyOf(bounces: readonly Bounce[]): string | null {
  const why = commonest(bounces.map(({ category }) => category.replaceAll('_', ' ')))
  const where = commonest(bounces.map(({ recipient }) => recipient.split('@').at(-1) ?? ''))
  if (why === null) return where === null ? null : `at ${where}`
  return where === null ? why : `${why} at ${where}`
}

function commonest(values: readonly string[]): string | null {
  const counted = [...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length] as const)
  const [value, count] = counted.toSorted((a, b) => b[1] - a[1])[0] ?? ['', 0]
  return count >= 2 && count * 2 > values.length ? value : null
}

/** Names that a sentence mentions; the others are counted. */
const NAMED = 2

/** Whether email can be sent from a domain in this state. */
export function maySend(state: string): boolean {
  return state === 'verified' || state === 'temporary_failure'
}

/** From which domains one can send, and from which not. */
export function sendingFrom(
  domains: readonly { readonly domain: string; readonly verification_status: string }[],
): string {
  if (domains.length === 0) return 'Domains you can send from, once their required DNS records are in place.'
  const [first] = domains
  const not = domains.filter(({ verification_status: state }) => !maySend(state)).map(({ domain }) => domain)
  if (not.length === 0)
    return `You can send from ${domains.length === 1 ? first?.domain : `all ${figure(domains.length)} domains`}.`
  const can = domains.length - not.length
  if (can === 0)
    return `You cannot send from ${listed(not)} yet: ${not.length === 1 ? 'its page' : 'the page of each'} says what is missing.`
  return `You can send from ${figure(can)} of ${figure(domains.length)} domains, not from ${listed(not)}.`
}

interface Endpoint {
  readonly name: string
  readonly url: string
  readonly is_active: boolean
  readonly last_delivery_at: string | null
  readonly consecutive_failures: number
  readonly disabled_reason: string | null
}

/** Which endpoints accept their events, and which do not. */
export function acceptedBy(endpoints: readonly Endpoint[]): string {
  const on = endpoints.filter(({ is_active: active }) => active)
  const failing = on.filter(({ consecutive_failures: failures }) => failures > 0)
  const accepting = on.filter(
    ({ consecutive_failures: failures, last_delivery_at: last }) => failures === 0 && last !== null,
  )
  const off = endpoints.filter(({ is_active: active, disabled_reason: reason }) => !active && reason !== null)
  const names = (of: readonly Endpoint[]): string => listed(of.map(({ name, url }) => (name === '' ? url : name)))
  if (endpoints.length === 0) return 'Events sent to your own servers: signed, and retried until accepted.'
  if (failing.length + off.length > 0) {
    const parts = [
      ...(failing.length === 0 ? [] : [`${names(failing)} ${failing.length === 1 ? 'is' : 'are'} failing`]),
      ...(off.length === 0 ? [] : [`${names(off)} ${off.length === 1 ? 'was' : 'were'} disabled automatically`]),
    ]
    return `${endpoints.length === 1 ? '' : `Of ${figure(endpoints.length)} endpoints, `}${parts.join('; ')}.`
  }
  if (on.length === 0)
    return endpoints.length === 1
      ? `${names(endpoints)} is disabled.`
      : `All ${figure(endpoints.length)} endpoints are disabled.`
  if (accepting.length === 0)
    return on.length === 1
      ? `${names(on)} has received no event yet.`
      : `None of ${figure(on.length)} endpoints has received an event yet.`
  if (endpoints.length === 1) return `${names(accepting)} accepts its events.`
  if (accepting.length === endpoints.length) return `All ${figure(endpoints.length)} endpoints accept their events.`
  const verb = accepting.length === 1 ? 'accepts its' : 'accept their'
  return `${figure(accepting.length)} of ${figure(endpoints.length)} endpoints ${verb} events.`
}

/** What people did with the emails; machines are counted apart. */
export function engagementIn(
  {
    delivered,
    unique_opens: opens,
    unique_clicks: clicks,
  }: { readonly delivered: number; readonly unique_opens: number; readonly unique_clicks: number },
  span: string,
): string {
  if (delivered + opens + clicks === 0) return `No emails were delivered to real recipients ${span}.`
  return `${counted(delivered, 'email')} ${delivered === 1 ? 'was' : 'were'} delivered ${span}; people opened ${figure(opens)} and clicked in ${figure(clicks)}.`
}

interface Finding {
  readonly evidence: { readonly sent?: number | null; readonly needed?: number | null }
}

/** Why there is no health score: too little was sent. */
export function withoutScore({ findings }: { readonly findings: readonly Finding[] }): string {
  const { sent, needed } = findings.find(({ evidence }) => typeof evidence.needed === 'number')?.evidence ?? {}
  if (typeof sent !== 'number' || typeof needed !== 'number') return 'No score yet.'
  return `No score yet: it needs ${figure(needed)} emails to real recipients in 30 days, and ${figure(sent)} ${sent === 1 ? 'was' : 'were'} sent.`
}

interface Bounced extends Pick<Figures, 'sent' | 'bounces' | 'hard' | 'soft' | 'block' | 'unknown'> {
  readonly spam_complaints: number
}

/** How much was sent back, and marked as spam. */
export function bouncesIn(figures: Bounced, span: string): string {
  const { sent, bounces, spam_complaints: complaints } = figures
  const marked = complaints === 0 ? '' : `; ${figure(complaints)} ${complaints === 1 ? 'was' : 'were'} marked as spam`
  if (sent + bounces === 0)
    return `No emails went to real recipients ${span}${marked}${complaints === 0 ? '' : ', sent earlier'}.`
  if (bounces === 0) return `None of ${counted(sent, 'email')} ${span} bounced${marked}.`
  return `${bouncedPart(sent, bounces, span)}: ${kindsIn(figures).join(', ')}${marked}.`
}

function bouncedPart(sent: number, bounces: number, span: string): string {
  // Those sent before the period can bounce in it.
  if (bounces > sent) return `${counted(bounces, 'email')} bounced ${span}, some of them sent earlier`
  return `${sent < MIN_FOR_RATE ? rate(bounces, sent) : `${rate(bounces, sent)} of ${figure(sent)}`} ${sent === 1 ? 'email' : 'emails'} ${span} bounced`
}

/** @param statuses null while they are not counted */
export function subscribedOf(
  total: number,
  statuses: { readonly subscribed: number; readonly pending: number } | null,
): string {
  if (total === 0) return 'People who gave you their address, with a record of their consent.'
  if (statuses === null) return `${counted(total, 'contact')}, each with a record of consent.`
  const { subscribed, pending } = statuses
  const part = subscribed === total ? `All ${figure(total)}` : `${figure(subscribed)} of ${figure(total)}`
  const waiting = pending === 0 ? '' : `; ${figure(pending)} ${pending === 1 ? 'has' : 'have'} not confirmed yet`
  if (total === 1)
    return `1 contact: ${subscribed === 1 ? 'subscribed' : pending === 1 ? 'not confirmed yet' : 'gets no email'}.`
  return `${part} contacts are subscribed${waiting}.`
}

/** How many addresses get no email, and why. @param reasons of all of them; null: not all are known */
export function suppressedFor(total: number, reasons: readonly string[] | null): string {
  if (total === 0) return 'No address is suppressed.'
  const kinds = [...Map.groupBy(reasons ?? [], (reason) => reason)].map(
    ([reason, all]) => `${figure(all.length)} ${reason.replaceAll('_', ' ')}`,
  )
  const why = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`
  return `${counted(total, 'address', 'addresses')} ${total === 1 ? 'is' : 'are'} suppressed${why}: no email is sent there.`
}

interface Key {
  readonly name: string
  readonly mode: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** Within this time a key's end is worth a sentence. */
const SOON_MS = 14 * 86_400_000

/** Which keys work, and which soon will not. @param total more than `keys` has: not all are known */
export function workingKeys(keys: readonly Key[], total: number, now: number): string {
  if (total === 0) return 'A live key sends to real recipients; a test key only sends to the inbox.'
  if (total > keys.length) return `${figure(total)} keys, with those revoked or expired.`
  const works = keys.filter(
    ({ revoked_at: revoked, expires_at: ends }) => revoked === null && (ends === null || Date.parse(ends) > now),
  )
  if (works.length === 0)
    return `No key works: ${keys.length === 1 ? 'the only one is' : `all ${figure(total)} are`} revoked or expired.`
  const live = works.filter(({ mode }) => mode === 'live').length
  const test = works.length - live
  const kinds = [...(live > 0 ? [`${figure(live)} live`] : []), ...(test > 0 ? [`${figure(test)} test`] : [])]
  const ending = works.filter(({ expires_at: ends }) => ends !== null && Date.parse(ends) - now < SOON_MS)
  const soon =
    ending.length === 0
      ? ''
      : ` ${listed(ending.map(({ name }) => `“${name}”`))} ${ending.length === 1 ? 'expires' : 'expire'} within ${SOON_MS / 86_400_000} days.`
  return `${kinds.join(' and ')} ${works.length === 1 ? 'key works' : 'keys work'}.${soon}`
}

interface TrackingName {
  readonly domain: string
  readonly is_verified: boolean
  readonly ssl_enabled: boolean
  readonly ssl_error: string | null
}

/** Which tracking domains are ready for links, and what is wrong with the others. */
export function trackedBy(domains: readonly TrackingName[]): string {
  if (domains.length === 0)
    return 'Your own domains for tracked links and opens. Each needs one CNAME; the certificate is issued automatically.'
  const unverified = domains.filter(({ is_verified: verified }) => !verified)
  const bare = domains.filter(({ is_verified: verified, ssl_enabled: encrypted }) => verified && !encrypted)
  const ready = domains.length - unverified.length - bare.length
  // Its certificate is still valid: there is time to act.
  const ending = domains.filter(({ ssl_enabled: encrypted, ssl_error: error }) => encrypted && error !== null)
  const wrong = [
    those(unverified, 'lacks a verified CNAME', 'lack a verified CNAME'),
    those(bare, 'lacks a certificate', 'lack a certificate'),
    those(ending, 'fails to renew its certificate', 'fail to renew their certificates'),
  ]
    .filter((part) => part !== '')
    .join('; ')
  if (domains.length === 1) return `${wrong === '' ? `${domains[0]?.domain} is ready for links` : wrong}.`
  const part = ready === domains.length ? `All ${figure(ready)}` : `${figure(ready)} of ${figure(domains.length)}`
  return `${part} tracking domains ${ready === 1 ? 'is' : 'are'} ready for links${wrong === '' ? '' : `; ${wrong}`}.`
}

function those(domains: readonly TrackingName[], does: string, theyDo: string): string {
  if (domains.length === 0) return ''
  return `${listed(domains.map(({ domain }) => domain))} ${domains.length === 1 ? does : theyDo}`
}

interface Used {
  readonly used: number
  readonly limit: number | null
}

/** How much of the plan is used, and what is used up. @param names by kind, such as `Content checks` */
export function usedOf(
  usage: { readonly emails: Used } & Readonly<Record<string, unknown>>,
  names: readonly (readonly [kind: string, name: string])[],
): string {
  const { used, limit } = usage.emails
  const sent =
    limit === null
      ? `${counted(used, 'email')} this month, without a limit`
      : `${figure(used)} of ${figure(limit)} emails this month${limit === 0 ? '' : ` (${percent(shareOf(used, limit))})`}`
  const out = names.filter(([kind]) => {
    const { used: taken, limit: most } = usage[kind] as Used
    return most !== null && most > 0 && taken >= most
  })
  if (out.length === 0) return `${sent}.`
  return `${sent}. Used up: ${out.map(([, name]) => name.toLowerCase()).join(', ')}.`
}

/** Of what the list of emails shows, what ended in a period; what still waits is told behind it. */
export function endedIn(
  { sent, delivered, bounces }: Pick<Figures, 'sent' | 'delivered' | 'bounces'>,
  span: string,
): string {
  if (sent === 0) return `No emails went to real recipients ${span}`
  return `${arrived(sent, delivered, span)}; ${bounces === 0 ? 'none' : figure(bounces)} bounced`
}

/** Emails that wait for another attempt. @param isAll false: there may be more than were counted */
export function deferredNow(count: number, isAll: boolean): string {
  return `${isAll ? '' : 'at least '}${figure(count)} ${count === 1 ? 'is' : 'are'} deferred now`
}

interface Queue {
  readonly destination: string
  readonly paused_at: string | null
  readonly ready: number
  readonly oldest_at: string | null
}

/** As for an email: delivery looks at its queue every few seconds. */
const STUCK_MS = 600_000

/** Destinations that are paused, and those whose emails have been due for long. */
export function heldUp(queues: readonly Queue[], now: number): string {
  const paused = queues.filter(({ paused_at: at }) => at !== null)
  const stuck = queues.filter(
    ({ paused_at: held, ready, oldest_at: due }) =>
      held === null && ready > 0 && due !== null && now - Date.parse(due) > STUCK_MS,
  )
  return [
    ...(paused.length === 0
      ? []
      : [` ${listed(paused.map(({ destination }) => destination))} ${paused.length === 1 ? 'is' : 'are'} paused.`]),
    ...(stuck.length === 0
      ? []
      : [
          ` Email to ${listed(stuck.map(({ destination }) => destination))} has been due for more than ${STUCK_MS / 60_000} minutes.`,
        ]),
  ].join('')
}

interface Process {
  readonly host: string
  readonly pid: number
  readonly roles: readonly string[]
  readonly version: string
  readonly state: string
}

/** How far a follower of the log may be behind before that is worth saying. */
const LATE_SECONDS = 60

/** Which processes run, which fell silent, and what is behind. */
export function runningOn(
  processes: readonly Process[],
  followers: readonly { readonly name: string; readonly lag_seconds: number }[],
): string {
  const running = processes.filter(({ state }) => state === 'running')
  const silent = processes.filter(({ state }) => state === 'silent')
  const versions = new Set(running.map(({ version }) => version))
  const late = followers.filter(({ lag_seconds: lag }) => lag > LATE_SECONDS).map(({ name }) => name)
  return [
    running.length === 0 ? 'No process is running' : `${counted(running.length, 'process', 'processes')} running`,
    ...(silent.length === 0
      ? []
      : [
          `no heartbeat from ${listed(silent.map(({ host, pid, roles }) => `${host} process ${pid} (${roles.join(', ')})`))}`,
        ]),
    ...(versions.size > 1 ? [`versions differ: ${[...versions].join(', ')}`] : []),
    ...(late.length === 0 ? [] : [`behind in the event log: ${listed(late)}`]),
  ]
    .join('; ')
    .concat('.')
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED
  if (more > 0) return `${names.slice(0, NAMED).join(', ')} and ${figure(more)} more`
  return names.join(' and ')
}
