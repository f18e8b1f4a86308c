// The course of one attempt, and its report.

import type { OpenResult, TlsInfo } from '../../mail/smtp-client.ts'
import type { DialogueLine } from '../../mail/smtp-dialogue.ts'
import type { SessionFault } from '../transport/index.ts'
import type { Target } from './next-hops.ts'
import { localReport } from './results.ts'
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
