// When to renew a certificate, as its certificate authority suggests it (ACME Renewal Information, RFC 9773). An authority that
// must revoke certificates says so here some hours before, and many exempt a renewal that names its predecessor from their limits.

import { createHash, X509Certificate } from 'node:crypto'
import { retryAfterMs } from './acme-retry-after.ts'

/** When the authority is asked again after it named no time, or its answer was of no use (section 4.3.3). */
const ASK_AGAIN_MS = 6 * 3_600_000
/** Limits of the time that the authority names (section 4.3.2). */
const SOONEST_MS = 60_000
export const LATEST_ASKING_MS = 86_400_000
/** A certificate is kept for so long, or half of its life: an authority in error must not be sent one order after the other. */
const KEPT_MS = 6 * 3_600_000
/** Share of the certificate's life after which it is renewed even if the authority suggests a later time. */
const LATEST_SHARE = 0.9

export interface Suggestion {
  /** Null: it suggests nothing, or nothing that can be read. */
  readonly renewAt: Date | null
  readonly askAt: Date
  /** A page with the reason, for the operator; null: none. */
  readonly explanation: string | null
}

/** An answer of the authority. */
export interface RenewalAnswer {
  readonly status: number
  /** Parsed JSON. */
  readonly data: unknown
  readonly retryAfter: string
  /** The Date header. */
  readonly date: string
}

export function nothingSuggested(now: Date): Suggestion {
  return { renewAt: null, askAt: new Date(now.getTime() + ASK_AGAIN_MS), explanation: null }
}

/** The identifier of section 4.1 for the first certificate of a chain; null: it names no authority's key. */
export async function certificateId(chain: string): Promise<string | null> {
  const { raw, serialNumber } = new X509Certificate(chain)
  // Loaded late: it is part of what the first order loads, which most processes never need.
  const x509 = await import('@peculiar/x509')
  const issuer = new x509.X509Certificate(raw).getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId
  if (issuer === undefined) return null
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`
  // In DER, a leading bit would make the number negative.
  const serial = Buffer.from(/^[89a-f]/i.test(hex) ? `00${hex}` : hex, 'hex')
  return `${Buffer.from(issuer, 'hex').toString('base64url')}.${serial.toString('base64url')}`
}

/** @returns null when the directory (RFC 8555 section 7.1.1) offers no renewal information */
export function renewalInfoUrl(directory: unknown, id: string): string | null {
  const { renewalInfo = null } = (directory ?? {}) as { readonly renewalInfo?: unknown }
  return typeof renewalInfo === 'string' ? `${renewalInfo.replace(/\/+$/, '')}/${id}` : null
}

/**
 * What an answer means. The authority's times are by its own clock: a clock of ours that is months ahead must not renew at once,
 * again and again. The moment within the window is the same each time the window is, and spread evenly over certificates.
 */
export function suggestionOf(answer: RenewalAnswer, chain: string, now: Date): Suggestion {
  const { validFromDate: begin, validToDate: end } = new X509Certificate(chain)
  const window = answer.status === 200 ? windowOf(answer.data) : null
  const aheadMs = now.getTime() - Date.parse(answer.date)
  if (window === null || Number.isNaN(aheadMs)) return nothingSuggested(now)
  const wanted = window.start + (window.end - window.start) * shareOf(chain)
  const lifeMs = end.getTime() - begin.getTime()
  const [soonest, latest] = [begin.getTime() + Math.min(KEPT_MS, lifeMs / 2), begin.getTime() + lifeMs * LATEST_SHARE]
  const renewAt = new Date(Math.max(soonest, Math.min(wanted, latest)) + aheadMs)
  const asked = retryAfterMs(answer.retryAfter, answer.date, now)
  const waitMs = asked === 0 ? ASK_AGAIN_MS : Math.min(LATEST_ASKING_MS, Math.max(SOONEST_MS, asked))
  return { renewAt, askAt: new Date(now.getTime() + waitMs), explanation: explanationIn(answer.data) }
}

function windowOf(data: unknown): { readonly start: number; readonly end: number } | null {
  const { suggestedWindow = null } = (data ?? {}) as { readonly suggestedWindow?: unknown }
  const { start: from, end: to } = (suggestedWindow ?? {}) as { readonly start?: unknown; readonly end?: unknown }
  const [start, end] = [from, to].map((time) => (typeof time === 'string' ? Date.parse(time) : Number.NaN))
  if (start === undefined || end === undefined) return null
  // Also false for a time that is none.
  return end > start ? { start, end } : null
}

function explanationIn(data: unknown): string | null {
  const { explanationURL = null } = (data ?? {}) as { readonly explanationURL?: unknown }
  return typeof explanationURL === 'string' && URL.canParse(explanationURL) ? explanationURL.slice(0, 500) : null
}

/** From 0 to 1. */
function shareOf(chain: string): number {
  return createHash('sha256').update(chain).digest().readUInt32BE() / 2 ** 32
}
