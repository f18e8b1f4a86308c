// The sentences with which pages open: what a person came for, from the API's answers. Independent of the browser.

import { figure } from './number-format.ts'
import { MIN_FOR_RATE, rate } from './rates.ts'

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

/** The kinds of bounces, used when no reason dominates, because each needs another remedy. */
function kindsOf({ hard, soft, block, unknown }: Figures): string {
  const kinds = [
    [hard, 'hard'],
    [soft, 'soft'],
    [block, 'blocked'],
    [unknown, 'unknown'],
  ] as const
  const there = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${figure(count)} ${kind}`)
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
  readonly consecutive_failures: number
  readonly disabled_reason: string | null
}

/** Which endpoints accept their events, and which do not. */
export function acceptedBy(endpoints: readonly Endpoint[]): string {
  const all = 'Events sent to your own servers: signed, and retried until accepted.'
  const on = endpoints.filter(({ is_active: active }) => active)
  const failing = on.filter(({ consecutive_failures: failures }) => failures > 0)
  const off = endpoints.filter(({ is_active: active, disabled_reason: reason }) => !active && reason !== null)
  if (failing.length + off.length === 0) return all
  const names = (of: readonly Endpoint[]): string => listed(of.map(({ name, url }) => (name === '' ? url : name)))
  const parts = [
    ...(failing.length === 0 ? [] : [`${names(failing)} ${failing.length === 1 ? 'is' : 'are'} failing`]),
    ...(off.length === 0 ? [] : [`${names(off)} ${off.length === 1 ? 'was' : 'were'} disabled automatically`]),
  ]
  return `${endpoints.length === 1 ? '' : `Of ${figure(endpoints.length)} endpoints, `}${parts.join('; ')}.`
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED
  if (more > 0) return `${names.slice(0, NAMED).join(', ')} and ${figure(more)} more`
  return names.join(' and ')
}
