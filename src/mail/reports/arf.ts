// Complaints: feedback reports in ARF (RFC 5965, 6591, 6692); the reports of RFC 9477 (CFBL), which are ARF with the message's
// feedback id; and Microsoft's notices, which are just the message in a mail of known form.
//
// Nothing read here proves who sent it (dkim-check.ts does). The signed id in the returned header, which `identifiersOf`
// collects, tells which mail it is about; the addresses it names are for people. Reads at most 1,000 fields of a report.

import { type Fields, fieldOf, type ReportParts, splitHeader, wordsOf } from './parts.ts'

const LIST_MOST = 100

export interface Feedback {
  /** In lower case: abuse, fraud, virus, auth-failure, opt-out, not-spam, other ... */
  readonly type: string
  readonly version: number | null
  readonly userAgent: string | null
  readonly arrivalDate: Date | null
  readonly reportingMta: string | null
  readonly sourceIp: string | null
  readonly sourcePort: number | null
  /** At least 1: one report may stand for several complaints of the same kind. */
  readonly incidents: number
  readonly originalMailFrom: string | null
  readonly originalRcptTo: readonly string[]
  readonly originalEnvelopeId: string | null
  readonly reportedDomains: readonly string[]
  readonly reportedUris: readonly string[]
  readonly authenticationResults: readonly string[]
  /** RFC 6591, in lower case: adsp, bodyhash, revoked, signature, spf, dmarc. */
  readonly authFailure: string | null
  readonly deliveryResult: string | null
  readonly dkimDomain: string | null
  readonly dkimIdentity: string | null
  readonly dkimSelector: string | null
  /** RFC 9477: as the sender wrote it in the message. */
  readonly cfblFeedbackId: string | null
}

/** @returns null when the mail is not a complaint */
export function readFeedback(report: ReportParts): Feedback | null {
  const own = report.parts.find(({ type }) => type === 'message/feedback-report')
  if (own !== undefined) return feedbackOf(splitHeader(own.text.trimStart()).fields)
  if (report.reportType !== 'feedback-report' && report.reportType !== 'feedback') return microsoftNotice(report)
  const lost = report.parts.find(({ text }) => /^feedback-type[ \t]{0,9}:/im.test(text.slice(0, 65_536)))
  const at = lost?.text.search(/^[\w-]{1,40}[ \t]{0,9}:/m) ?? -1
  return feedbackOf(lost === undefined || at < 0 ? [] : splitHeader(lost.text.slice(at)).fields)
}

/**
 * What may identify the mail a complaint is about, as the reporter returned it: values of the given header fields, from the
 * returned message and from the report. The caller checks their signature.
 */
export function identifiersOf(feedback: Feedback, original: Fields, names: readonly string[]): readonly string[] {
  const found = original.flatMap(([name, value]) => (names.includes(name) ? [value] : []))
  for (const own of [feedback.cfblFeedbackId, feedback.originalMailFrom]) if (own !== null) found.push(own)
  return found.slice(0, LIST_MOST)
}

/** The recipient wants no more mail but does not call it spam: types from before RFC 5965, and of vendors. */
export function isOptOut({ type }: Pick<Feedback, 'type'>): boolean {
  return type === 'opt-out' || type === 'opt-out-list'
}

/** Not complaints by a person: retracted reports (`not-spam`), failed authentication, viruses. */
export function isComplaint({ type }: Pick<Feedback, 'type'>): boolean {
  return !isOptOut({ type }) && !['not-spam', 'auth-failure', 'dmarc', 'virus'].includes(type)
}

function feedbackOf(fields: Fields): Feedback {
  const one = (name: string): string | null => fieldOf(fields, name) || null
  const all = (name: string): string[] =>
    fields.flatMap(([key, value]) => (key === name && value !== '' ? [value] : [])).slice(0, LIST_MOST)
  const lower = (name: string): string | null =>
    one(name)
      ?.split(/[\s(;]/, 1)[0]
      ?.toLowerCase() ?? null
  return {
    type: lower('feedback-type') ?? 'abuse',
    version: numberOf(one('version')),
    userAgent: one('user-agent'),
    arrivalDate: arrivalOf(one('arrival-date') ?? one('received-date') ?? ''),
    reportingMta: one('reporting-mta')?.replace(/^[\w-]{1,40};\s{0,9}/, '') ?? null,
    sourceIp: one('source-ip')?.split(/\s/, 1)[0] ?? null,
    sourcePort: numberOf(one('source-port')),
    incidents: Math.max(1, numberOf(one('incidents')) ?? 1),
    originalMailFrom: one('original-mail-from'),
    originalRcptTo: [...all('original-rcpt-to'), ...all('original-recipient'), ...all('removal-recipient')],
    originalEnvelopeId: one('original-envelope-id'),
    reportedDomains: all('reported-domain'),
    reportedUris: all('reported-uri'),
    authenticationResults: all('authentication-results'),
    authFailure: lower('auth-failure'),
    deliveryResult: lower('delivery-result'),
    dkimDomain: one('dkim-domain'),
    dkimIdentity: one('dkim-identity'),
    dkimSelector: one('dkim-selector'),
    cfblFeedbackId: one('cfbl-feedback-id'),
  }
}

/** In UTC when no zone is named; null when it is no date. */
function arrivalOf(text: string): Date | null {
  const plain = text.replace(/\([^()]{0,99}\)/g, '').trim()
  const hasZone = /[+-]\d\d:?\d\d$|[a-z]{1,4}$/i.test(plain)
  const at = Date.parse(hasZone ? plain : `${plain}Z`)
  return Number.isNaN(at) ? null : new Date(at)
}

function numberOf(text: string | null): number | null {
  const digits = /^\d{1,9}/.exec(text ?? '')?.[0]
  return digits === undefined ? null : Number(digits)
}

/** Microsoft's junk mail reporting: the reported message attached, its recipient in a field of Microsoft's. */
function microsoftNotice(report: ReportParts): Feedback | null {
  const attached = report.parts.find(({ type }) => type === 'message/rfc822')
  if (attached === undefined) return null
  const fields = splitHeader(attached.text.trimStart()).fields
  const recipient = fieldOf(fields, 'x-hmxmroriginalrecipient')
  const subject = wordsOf(fieldOf(report.headers, 'subject'))
  const about = /^(?:fw: )?complaint about message from ([\d.:a-f]{3,45})/i.exec(subject)
  if (about === null && (recipient === null || !/staff@hotmail\.com/i.test(fieldOf(report.headers, 'from') ?? ''))) {
    return null
  }
  const named: [string, string][] = [['feedback-type', 'abuse']]
  if (recipient !== null) named.push(['original-rcpt-to', recipient])
  if (about?.[1] !== undefined) named.push(['source-ip', about[1]])
  return feedbackOf(named)
}
