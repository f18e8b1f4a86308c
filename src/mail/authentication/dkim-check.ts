// Checks who signed an incoming mail (DKIM: RFC 6376, RFC 8301, RFC 8463). Used for reports that others send to us.
//
// This file reads the header and fetches the keys through the service's own resolver. mailauth verifies the signatures in a
// thread (dkim-verify.ts) without any network access. An unsigned mail costs neither look-ups nor a thread.
//
// Limits: 64 KB of header, 4 signatures, 3 s for all keys together, 4 K characters per key; the thread has its own. A header,
// look-up or verification that exceeds them, or gets no answer, is `unknown`, which proves nothing. An oversized key is
// `unusable_key`. Nothing throws.
//
// A signature with `l=` does not count: RFC 8460 section 3 forbids it, and RFC 6376 section 8.2 explains how it lets others
// append text.

import { getDomain } from 'tldts'
import type { Clock } from '../../platform/clock.ts'
import type { Resolver } from '../../platform/dns.ts'
import { fieldValue, hasMoreLines, parseHeaderBlock, type RawField } from '../mime/headers.ts'

export const DKIM_RESULTS = ['pass', 'fail', 'none', 'unknown'] as const
export type DkimResult = (typeof DKIM_RESULTS)[number]

export const DKIM_REASONS = [
  'unsigned',
  /** Signed, but not by the domain in From. */
  'other_domain',
  /** The body differs from what was signed. */
  'body_changed',
  /** The header differs from what was signed, or the key is a different one. */
  'bad_signature',
  'expired',
  /** Signed with `l=`: anybody may have appended to the body. */
  'length_limited',
  /** rsa-sha1, which verifiers must not accept (RFC 8301 section 3.1). */
  'weak_algorithm',
  /** RSA of less than 1024 bits (RFC 8301 section 3.2). */
  'weak_key',
  'no_key',
  /** Revoked by its owner: an empty `p=`. */
  'revoked_key',
  /** Malformed, or not meant for email. */
  'unusable_key',
  'malformed',
  /** The DNS did not answer. */
  'no_answer',
  /** The header exceeds the 64 KB that are read. */
  'too_large',
  /** Verification exceeded its time or memory limit. */
  'too_costly',
] as const
export type DkimReason = (typeof DKIM_REASONS)[number]

export interface DkimOutcome {
  readonly result: DkimResult
  /** The signing domain in lower case; null unless the signature is good. */
  readonly domain: string | null
  /** Why it is not good; null when it is. */
  readonly reason: DkimReason | null
}

export interface DkimQuestion {
  /** Only the domain in From counts, or another domain of the same organization. */
  readonly byAuthor: boolean
  /** A service that a key may be for besides email (RFC 6376 section 3.6.1, `s=`). */
  readonly service: string | null
}

/** RFC 8460 section 3: the reporting domain signs, preferably with a key reserved for this. */
export const OF_TLS_REPORT: DkimQuestion = { byAuthor: true, service: 'tlsrpt' }
/** RFC 9990: a report passes DMARC itself, so the domain in From signs. */
export const OF_DMARC_REPORT: DkimQuestion = { byAuthor: true, service: null }
/** Providers outsource their feedback loops, so any signing domain counts and is returned. */
export const OF_COMPLAINT: DkimQuestion = { byAuthor: false, service: null }

export type DkimCheck = (raw: Buffer, question: DkimQuestion) => Promise<DkimOutcome>

/** Input of the thread: the mail without the signatures to skip, and the keys of the remaining ones. */
export interface DkimWork {
  readonly raw: Uint8Array
  readonly keys: readonly (readonly [name: string, record: string])[]
  readonly now: Date
}

export interface DkimVerdict {
  readonly domain: string
  readonly selector: string
  /** Null when the signature is good. */
  readonly reason: DkimReason | null
}

export interface DkimCheckOptions {
  readonly resolver: Pick<Resolver, 'txt'>
  readonly clock: Clock
  /** Runs `verifyDkim` of dkim-verify.ts in a thread. */
  readonly verify: (work: DkimWork) => Promise<readonly DkimVerdict[]>
}

const HEADER_BYTES = 65_536
/** The verifier's time grows with the square of lines that are no fields: 2 s for a header full of them. */
const HEADER_LINES = 4_000
const SIGNATURES_MOST = 4
const KEYS_WITHIN_MS = 3_000
const KEY_CHARS = 4_096
const FROM_CHARS = 2_000
const NAME_CHARS = 253

export function dkimCheck({ resolver, clock, verify }: DkimCheckOptions): DkimCheck {
  return async (raw, question) => {
    const { fields, bodyStart, truncated } = parseHeaderBlock(raw, HEADER_BYTES)
    if (truncated || hasMoreLines(raw.subarray(0, bodyStart), HEADER_LINES)) return not('unknown', 'too_large')
    const all = fields.filter(({ key }) => key === 'dkim-signature')
    if (all.length === 0) return not('none', 'unsigned')
    const named = all.flatMap((field) => namedIn(raw, field))
    if (named.length === 0) return not('fail', 'malformed')
    const author = authorOf(raw, fields)
    const own = named.filter(({ domain }) => organizationOf(domain) === author)
    const others = question.byAuthor ? [] : named.filter((one) => !own.includes(one))
    const looked = [...own, ...others].slice(0, SIGNATURES_MOST)
    if (looked.length === 0) return not('fail', 'other_domain')
    const signal = AbortSignal.timeout(KEYS_WITHIN_MS)
    const keyed = await Promise.all(
      looked.map(async (one) => ({ ...one, key: await keyOf(resolver, one.name, question.service, signal) })),
    )
    const usable = keyed.flatMap(({ key, ...one }) => (key.kind === 'found' ? [{ ...one, record: key.record }] : []))
    const verdicts = usable.length === 0 ? [] : await verdictsOf(verify, raw, all, usable, clock.now())
    if (verdicts === null) return not('unknown', 'too_costly')
    const reasons = keyed.map((one) => ({ domain: one.domain, reason: reasonOf(one, verdicts) }))
    const good = reasons.find(({ reason }) => reason === null)
    if (good !== undefined) return { result: 'pass', domain: good.domain, reason: null }
    if (reasons.some(({ reason }) => reason === 'no_answer')) return not('unknown', 'no_answer')
    return not('fail', reasons[0]?.reason ?? 'malformed')
  }
}

function not(result: DkimResult, reason: DkimReason): DkimOutcome {
  return { result, domain: null, reason }
}

interface Named {
  readonly field: RawField
  readonly domain: string
  readonly selector: string
  /** Name of the key record. */
  readonly name: string
}

/** Non-ASCII names (RFC 8616) are not looked up: no reporter signs with one. */
function namedIn(raw: Buffer, field: RawField): readonly Named[] {
  const tags = tagsOf(fieldValue(raw, field))
  const domain = tags.get('d')?.toLowerCase() ?? ''
  const selector = tags.get('s')?.toLowerCase() ?? ''
  const name = `${selector}._domainkey.${domain}`
  const isSound = isName(domain) && isName(selector) && domain.includes('.') && name.length <= NAME_CHARS
  return isSound ? [{ field, domain, selector, name }] : []
}

function isName(text: string): boolean {
  return /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,126}$/.test(text)
}

function tagsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').map((tag) => {
      const at = tag.indexOf('=')
      return [tag.slice(0, Math.max(0, at)).trim(), tag.slice(at + 1).trim()]
    }),
  )
}

/** The organization of the only address in the only From field; null when there are several or it cannot be read. */
function authorOf(raw: Buffer, fields: readonly RawField[]): string | null {
  const [from, second] = fields.filter(({ key }) => key === 'from')
  if (from === undefined || second !== undefined || from.end - from.start > FROM_CHARS) return null
  const unquoted = fieldValue(raw, from).replace(/"(?:[^"\\]|\\.)*"/g, '')
  const [found, more] = [...unquoted.matchAll(/@([a-z0-9.-]*)/gi)]
  const domain = found?.[1]?.toLowerCase() ?? ''
  return more === undefined && isName(domain) ? organizationOf(domain) : null
}

/** RFC 6376 does not define organizations. As in DMARC's relaxed alignment: by the public suffix list with its private part. */
export function organizationOf(domain: string): string {
  return getDomain(domain, { allowPrivateDomains: true }) ?? domain
}

type Key = { readonly kind: 'found'; readonly record: string } | { readonly kind: 'not'; readonly reason: DkimReason }

async function keyOf(
  resolver: Pick<Resolver, 'txt'>,
  name: string,
  service: string | null,
  signal: AbortSignal,
): Promise<Key> {
  const answer = await resolver.txt(name, signal).catch(() => ({ kind: 'timeout' }) as const)
  switch (answer.kind) {
    case 'nxdomain':
    case 'nodata':
      return { kind: 'not', reason: 'no_key' }
    case 'servfail':
    case 'timeout':
      return { kind: 'not', reason: 'no_answer' }
    case 'found': {
      // RFC 6376 section 3.6.2.2: any of several records may be used. One without a p= is not a key record.
      const record = answer.records.find((text) => tagsOf(text).has('p'))
      if (record === undefined) return { kind: 'not', reason: 'no_key' }
      const tags = tagsOf(record)
      if (tags.get('p') === '') return { kind: 'not', reason: 'revoked_key' }
      if (record.length > KEY_CHARS) return { kind: 'not', reason: 'unusable_key' }
      return { kind: 'found', record: forEmail(record, tags.get('s'), service) }
    }
  }
}

/** The verifier accepts only keys for email, so a key for the requested service is passed to it as one for email. */
function forEmail(record: string, services: string | undefined, service: string | null): string {
  const isFor = service !== null && (services ?? '').split(':').some((one) => one.trim() === service)
  return isFor ? record.replace(/(^|;)\s*s\s*=[^;]*/, '$1 s=email') : record
}

/** @returns null when verification exceeds its time or memory limit */
async function verdictsOf(
  verify: DkimCheckOptions['verify'],
  raw: Buffer,
  all: readonly RawField[],
  usable: readonly (Named & { readonly record: string })[],
  now: Date,
): Promise<readonly DkimVerdict[] | null> {
  const left = without(
    raw,
    all.filter((field) => !usable.some((one) => one.field === field)),
  )
  const keys = usable.map(({ name, record }) => [name, record] as const)
  return verify({ raw: left, keys, now }).catch(() => null)
}

function without(raw: Buffer, fields: readonly RawField[]): Buffer {
  if (fields.length === 0) return raw
  const ends = [...fields.map(({ start }) => start), raw.length]
  const starts = [0, ...fields.map(({ end }) => end)]
  return Buffer.concat(starts.map((start, i) => raw.subarray(start, ends[i])))
}

function reasonOf(one: Named & { readonly key: Key }, verdicts: readonly DkimVerdict[]): DkimReason | null {
  if (one.key.kind === 'not') return one.key.reason
  const own = verdicts.filter(({ domain, selector }) => domain === one.domain && selector === one.selector)
  if (own.some(({ reason }) => reason === null)) return null
  return own[0]?.reason ?? 'malformed'
}
