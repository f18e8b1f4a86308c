// Turns the facts into the answer. Pure: the same facts give the same answer. `FORMULA_VERSION` changes with any of these
// figures.
//
// deliverability_score: whether mailing this address is good for the sender.
//   start     mailbox confirmed 95, not probed 78, greylisted 75, blocked or timed out 70, catch-all 65, no answer from DNS 60
//   more      tier_1 provider +5
//   less      no MX record, only an address record 15; role 15; random 10; probably mistyped 25; alias relay 3
//   caps      bad syntax, no such domain, no exchanger 0; rejected 5; disposable 15
//   risk_level: low from 70, medium from 40, else high.
//
// confidence_score: how certain it is that mail reaches an inbox, within a band set by the finding.
//   70 to 100   confirmed, not catch-all: start 86; tier_1 +6, tier_2 +3; human name +4; role -4; random -8;
//               answered within 1 s +2, after more than 5 s -4
//   30 to 69    confirmed but catch-all unknown 60, catch-all 45, nothing certain 50 (35 when DNS did not answer); tier_1 +10,
//               tier_2 +5; human name +6; role -3; random -12
//   0 to 29     rejected 3, no exchanger 2, no such domain or bad syntax 0
//   confidence_label: very_high from 90, high from 70, medium from 50, low from 30, else very_low.

import type { Provider } from '../../mail/dns/providers.ts'
import type { LocalPattern } from './local-part.ts'

export const FORMULA_VERSION = '2'

export type SmtpResult = 'deliverable' | 'rejected' | 'greylisted' | 'blocked' | 'timeout' | 'catch_all' | 'skipped'

/** `usable`: hosts to send to. `unknown`: no answer from DNS, which disproves nothing. `private`: only non-public addresses. */
export type Exchanger = 'usable' | 'implicit' | 'none' | 'dead' | 'null_mx' | 'no_domain' | 'private' | 'unknown'

export interface Facts {
  readonly syntaxValid: boolean
  readonly exchanger: Exchanger
  /** 0 to 1. */
  readonly disposable: number
  readonly aliasRelay: boolean
  readonly pattern: LocalPattern
  readonly provider: Provider
  readonly smtp: SmtpResult
  /** The mailbox was accepted, but whether the domain accepts every address could not be found out. */
  readonly catchAllUnclear: boolean
  /** Time of the answer to RCPT, in ms; null when there was none. */
  readonly latencyMs: number | null
  /** The address that was probably meant. */
  readonly didYouMean: string | null
  /** Further remarks from the probe. */
  readonly notes: readonly string[]
}

export interface Scored {
  readonly is_valid: boolean
  readonly validation_checks: {
    readonly syntax_valid: boolean
    readonly domain_exists: boolean
    readonly has_mx_records: boolean
    readonly is_disposable: boolean
    readonly is_role_account: boolean
    readonly mailbox_exists: boolean
    readonly is_catch_all: boolean
    readonly smtp_check_performed: boolean
  }
  readonly risk_level: 'low' | 'medium' | 'high'
  readonly deliverability_score: number
  readonly confidence_score: number
  readonly confidence_label: 'very_high' | 'high' | 'medium' | 'low' | 'very_low'
  readonly mx_provider: { readonly name: string; readonly tier: string }
  readonly email_pattern: LocalPattern
  readonly suggestions: readonly string[]
  readonly smtp_result: SmtpResult
  readonly did_you_mean: string | null
}

/** A disposable confidence counts from here on: what the risk module calls medium or high. */
const LISTED = 0.5

export function score(facts: Facts): Scored {
  const { syntaxValid, exchanger, smtp, pattern, provider } = facts
  const takesMail = syntaxValid && ['usable', 'implicit', 'unknown'].includes(exchanger)
  const deliverability = deliverabilityOf(facts, takesMail)
  const confidence = confidenceOf(facts, takesMail)
  return {
    is_valid: takesMail && smtp !== 'rejected',
    validation_checks: {
      syntax_valid: syntaxValid,
      domain_exists: syntaxValid && exchanger !== 'no_domain',
      has_mx_records: syntaxValid && ['usable', 'private', 'dead', 'unknown'].includes(exchanger),
      is_disposable: facts.disposable >= LISTED,
      is_role_account: pattern === 'role',
      mailbox_exists: smtp === 'deliverable' || smtp === 'catch_all',
      is_catch_all: smtp === 'catch_all',
      smtp_check_performed: ['deliverable', 'catch_all', 'rejected'].includes(smtp),
    },
    risk_level: deliverability >= 70 ? 'low' : deliverability >= 40 ? 'medium' : 'high',
    deliverability_score: deliverability,
    confidence_score: confidence,
    confidence_label: labelOf(confidence),
    mx_provider: { name: provider.name, tier: provider.tier },
    email_pattern: pattern,
    suggestions: suggestionsOf(facts),
    smtp_result: smtp,
    did_you_mean: facts.didYouMean,
  }
}

const START: Readonly<Record<SmtpResult, number>> = {
  deliverable: 95,
  skipped: 78,
  greylisted: 75,
  blocked: 70,
  timeout: 70,
  catch_all: 65,
  rejected: 5,
}
const START_WITHOUT_DNS = 60

function deliverabilityOf(facts: Facts, takesMail: boolean): number {
  if (!takesMail) return 0
  let points = facts.exchanger === 'unknown' ? START_WITHOUT_DNS : START[facts.smtp]
  if (facts.provider.tier === 'tier_1') points += 5
  if (facts.exchanger === 'implicit') points -= 15
  if (facts.pattern === 'role') points -= 15
  if (facts.pattern === 'random') points -= 10
  if (facts.didYouMean !== null) points -= 25
  if (facts.aliasRelay) points -= 3
  if (facts.disposable >= LISTED) points = Math.min(points, 15)
  if (facts.smtp === 'rejected') points = Math.min(points, 5)
  return within(points, 0, 100)
}

function confidenceOf(
  { syntaxValid, exchanger, smtp, catchAllUnclear, provider, pattern, latencyMs }: Facts,
  takesMail: boolean,
): number {
  if (!syntaxValid || exchanger === 'no_domain') return 0
  if (!takesMail) return 2
  if (smtp === 'rejected') return 3
  if (smtp === 'deliverable' && !catchAllUnclear) {
    let points = 86 + ({ tier_1: 6, tier_2: 3, tier_3: 0, unknown: 0 }[provider.tier] ?? 0)
    points += { human_name: 4, role: -4, random: -8, generic: 0 }[pattern]
    if (latencyMs !== null) points += latencyMs <= 1_000 ? 2 : latencyMs > 5_000 ? -4 : 0
    return within(points, 70, 100)
  }
  let points = smtp === 'deliverable' ? 60 : smtp === 'catch_all' ? 45 : 50
  if (exchanger === 'unknown') points -= 15
  points += { tier_1: 10, tier_2: 5, tier_3: 0, unknown: 0 }[provider.tier] ?? 0
  points += { human_name: 6, role: -3, random: -12, generic: 0 }[pattern]
  return within(points, 30, 69)
}

function within(points: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, Math.round(points)))
}

export function labelOf(confidence: number): Scored['confidence_label'] {
  if (confidence >= 90) return 'very_high'
  if (confidence >= 70) return 'high'
  if (confidence >= 50) return 'medium'
  return confidence >= 30 ? 'low' : 'very_low'
}

const OF_EXCHANGER: Readonly<Partial<Record<Exchanger, string>>> = {
  implicit: 'The domain has no MX record; mail goes to its address record, which few domains mean',
  none: 'The domain exists and has no mail exchanger',
  dead: 'The domain names a mail exchanger that does not exist: no mail can reach it',
  null_mx: 'The domain says that it takes no mail (null MX)',
  no_domain: 'The domain does not exist',
  private: "The domain's mail exchanger is at an address that mail is not sent to",
  unknown: 'The DNS of the domain did not answer; this proves nothing, ask again later',
}

const OF_PROBE: Readonly<Partial<Record<SmtpResult, string>>> = {
  catch_all: 'The domain accepts every address (catch-all): this mailbox cannot be confirmed',
  rejected: 'The mail server refuses this address',
  greylisted: 'The mail server asked us to come back later (greylisting): ask again in a few minutes',
  blocked: 'The mail server did not let us ask; this says nothing about the address',
  timeout: 'No mail server could be reached, or none answered in time; this says nothing about the address',
}

function suggestionsOf(facts: Facts): readonly string[] {
  if (!facts.syntaxValid) return ['The text is not an email address', ...meant(facts)]
  // A note from the probe is more specific than the general text for blocked answers.
  const ofProbe = facts.smtp === 'blocked' && facts.notes.length > 0 ? undefined : OF_PROBE[facts.smtp]
  const remarks = [...meant(facts), OF_EXCHANGER[facts.exchanger], ofProbe]
  if (facts.disposable >= LISTED) remarks.push('The domain hands out disposable mailboxes')
  if (facts.aliasRelay) remarks.push("The address is an alias that forwards to its owner's mailbox")
  if (facts.pattern === 'role') remarks.push('The address is a role account: a function rather than a person')
  if (facts.pattern === 'random') remarks.push('The local part looks as if a machine had made it')
  return [...remarks.filter((text) => text !== undefined), ...facts.notes]
}

function meant({ didYouMean }: Facts): readonly string[] {
  return didYouMean === null ? [] : [`Did you mean ${didYouMean}?`]
}
