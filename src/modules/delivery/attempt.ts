// The course of one attempt, and its report.

import type { OpenResult, TlsInfo } from '../../mail/smtp/client.ts'
import type { DialogueLine } from '../../mail/smtp/dialogue.ts'
import type { RuleCheck, SessionFault } from '../transport/index.ts'
import type { Target } from './next-hops.ts'
import { localReport } from './results.ts'
import { isThrottling } from './smtp-verdict.ts'
import type { AttemptReport, DeliveryJob, Verdict } from './types.ts'

/** The dialogue of an attempt, timed in milliseconds since it began. */
export interface TimedDialogue {
  readonly startedAt: Date
  readonly startedMs: number
  readonly lines: DialogueLine[]
}

/** The result at one host. */
export interface HostResult {
  readonly verdict: Verdict
  readonly target: Target
  readonly sourceIp: string | null
  readonly tls: TlsInfo | null
  /** Refused in the banner, or ruled out by EHLO (SIZE): another host may take the mail. */
  readonly refusedAtOpening: boolean
  /** The greeting was 421. */
  readonly crowded: boolean
}

/** An address to try in an attempt. */
export interface AddressToTry {
  readonly target: Target
  /** Why the address is tried in clear; null: TLS is possible there. */
  readonly plain: string | null
  /** The TLS failure there has already been reported in this attempt. */
  readonly isReported: boolean
}

/** What holds for TLS on a connection for one mail to one address. */
export interface TlsTerms {
  readonly judge: RuleCheck
  /** Who requires TLS, as text for people; null: nobody does. */
  readonly requiredBy: string | null
  /** The mail may go in clear where TLS fails. */
  readonly isFree: boolean
  /** Why TLS is not tried; null: it is. */
  readonly why: string | null
}

/** The attempt of one mail: the addresses left to try, and the results so far. */
export interface AttemptState {
  readonly job: DeliveryJob
  /** In order. Addresses to retry in clear are appended. */
  readonly steps: AddressToTry[]
  /** Hosts that timed out while TLS was set up. */
  readonly silent: Set<string>
  /** Hosts that have answered. */
  readonly done: Set<string>
  readonly tried: HostResult[]
  readonly story: TimedDialogue
}

const MAX_DIALOGUE_LINES = 150

export function reportOf(
  tried: readonly HostResult[],
  { startedAt, startedMs, lines }: TimedDialogue,
  { port, nowMs }: { readonly port: number; readonly nowMs: number },
): AttemptReport {
  const deferrals = tried.filter(({ verdict }) => verdict.kind === 'deferred')
  const decisive = tried.findLast(isFinal) ?? deferrals.findLast(isAnswer) ?? deferrals.at(-1) ?? tried.at(-1) ?? null
  const durationMs = nowMs - startedMs
  if (decisive === null) return localReport(unreachable('no host could be tried'), startedAt, durationMs)
  const { verdict, target, sourceIp, tls } = decisive
  return {
    verdict,
    startedAt,
    durationMs,
    host: target.host,
    ip: target.ip,
    port,
    sourceIp,
    tls,
    dialogue: lines.slice(0, MAX_DIALOGUE_LINES),
    throttledBy: null,
  }
}

/** What became of TLS; null: the connection did not get that far. */
export function sessionOf(opened: OpenResult): 'secured' | SessionFault | null {
  if (opened.kind === 'open') {
    const { tls, tlsFault } = opened.connection
    if (tls !== null) return 'secured'
    return tlsFault === null ? 'starttls-not-supported' : 'validation-failure'
  }
  if (opened.phase === 'starttls') return 'starttls-not-supported'
  return opened.phase === 'tls' ? 'validation-failure' : null
}

/** What a report tells of a session; null: it is as it must be. */
export function sessionFault(session: 'secured' | SessionFault, judge: RuleCheck): SessionFault | null {
  return judge.fault() ?? (session === 'secured' ? null : session)
}

/** Why offered TLS failed; null: it works, or the connection did not get that far. */
export function tlsFaultOf(opened: OpenResult): string | null {
  if (opened.kind === 'open') return opened.connection.tlsFault
  if (opened.kind === 'refused') {
    // A 421 closes the connection for whatever reason; it says nothing about TLS.
    const isOfTls = opened.phase === 'starttls' && opened.reply.code !== 421
    return isOfTls ? opened.reply.text : (opened.tlsFault ?? null)
  }
  const isOfTls = opened.phase === 'tls' && opened.fault.code !== 'aborted'
  return isOfTls ? opened.fault.message : (opened.tlsFault ?? null)
}

type Unopened = Exclude<OpenResult, { readonly kind: 'open' }>
type Refused = Extract<OpenResult, { readonly kind: 'refused' }>

/** Whether a host greets with 421 because it has enough connections. */
function isCrowded(opened: Unopened): boolean {
  return opened.kind === 'refused' && opened.phase === 'banner' && opened.reply.code === 421
}

/** Whether a host that refuses a connection asks us to be slower. */
export function isAboutRate(opened: Refused): boolean {
  // "454 TLS not available" (RFC 3207 section 4) says nothing about our rate, even with 4.7.0.
  const isOfTls = opened.phase === 'starttls' && opened.reply.code !== 421
  return !isCrowded(opened) && !isOfTls && isThrottling(opened.reply)
}

/** The result at a host to which no connection was opened. */
export function unopenedAt(target: Target, sourceIp: string | null, opened: Unopened, verdict: Verdict): HostResult {
  const isRefusedInBanner = opened.kind === 'refused' && opened.phase === 'banner'
  return {
    verdict,
    target,
    sourceIp,
    tls: opened.tls ?? null,
    refusedAtOpening: isRefusedInBanner && verdict.kind === 'bounced',
    crowded: isCrowded(opened),
  }
}

/** An EHLO that rules the mail out also counts as an answer. */
export function isAnswer({ verdict }: HostResult): boolean {
  return verdict.finalReply.code !== null || verdict.kind === 'bounced'
}

export function isForTls({ verdict }: HostResult): boolean {
  return verdict.kind === 'deferred' && verdict.cause === 'tls'
}

/** Whether the result decides the whole attempt. */
export function isFinal({ verdict, refusedAtOpening }: HostResult): boolean {
  return verdict.kind !== 'deferred' && !refusedAtOpening
}

export function unreachable(text: string): Verdict {
  const finalReply = { code: null, enhanced: '4.4.1', text: `4.4.1 ${text}` }
  return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command: 'connect' }
}

/** Appends the latest lines of a connection, which counts from its own start, in milliseconds since the attempt began. */
export function addLines({ startedMs, lines }: TimedDialogue, added: readonly DialogueLine[], nowMs: number): void {
  const [first, last] = [added[0], added.at(-1)]
  if (first === undefined || last === undefined || lines.length >= MAX_DIALOGUE_LINES) return
  // Both times are rounded: no line may precede the line before it.
  const shiftMs = Math.max(Math.round(nowMs - startedMs) - last.at, (lines.at(-1)?.at ?? 0) - first.at)
  for (const line of added) lines.push({ ...line, at: line.at + shiftMs })
}
