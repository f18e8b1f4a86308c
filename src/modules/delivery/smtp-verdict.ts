// Turns what the SMTP client met into a verdict. The first digit of a reply decides whether to retry (RFC 5321 section 4.2.1);
// the enhanced code and the words only explain. Two kinds of 5xx defer all the same: one that clearly speaks of our rate, which
// time heals, and a greeting that does not name a block of ours, since nobody was asked about the mail. A host that greets with
// 521 never takes mail (RFC 7504).

import { bounceFromReply, GREYLISTING, isRate, type Parties, type SmtpCommand } from '../../mail/smtp/bounce.ts'
import type { OpenResult, Outcome, Phase } from '../../mail/smtp/client.ts'
import type { Reply } from '../../mail/smtp/reply.ts'
import type { FinalReply, Verdict } from './types.ts'

type NotOpen = Exclude<OpenResult, { readonly kind: 'open' }>
type Failure = Extract<Outcome, { readonly kind: 'failed' }>

export function finalReplyOf({ code, enhanced, text }: Reply): FinalReply {
  return { code, enhanced, text }
}

function commandOf(phase: Phase): SmtpCommand {
  return phase === 'mail' || phase === 'rcpt' ? phase : phase === 'data' || phase === 'dot' ? 'data' : 'connect'
}

export function replyVerdict(reply: Reply, command: SmtpCommand, parties?: Parties): Verdict {
  const finalReply = finalReplyOf(reply)
  if (reply.code < 300) return { kind: 'delivered', finalReply }
  const { type, category } = bounceFromReply(reply, command, parties)
  if (reply.code >= 500 && !isRate(reply)) return { kind: 'bounced', finalReply, type, category, command }
  const about = (command === 'rcpt' || command === 'data') && reply.code !== 421
  // When its time ends such an email counts as one soft bounce, so the category of another type does not apply.
  return {
    kind: 'deferred',
    finalReply,
    cause: about ? 'recipient' : 'connection',
    category: type === 'soft' ? category : 'expired',
    command,
  }
}

export function outcomeVerdict(outcome: Outcome, parties?: Parties): Verdict {
  switch (outcome.kind) {
    case 'failed':
      return failureVerdict(outcome, null)
    case 'unsupported':
      return unsupportedVerdict(outcome)
    case 'replied':
      return replyVerdict(outcome.reply, outcome.command, parties)
  }
}

const ASKS_FOR_TLS = /\b(?:start)?tls\b|encrypt/i

/**
 * The verdict on a plain-text connection after TLS failed: a host that refuses the mail for lack of TLS may give TLS another
 * time. Where TLS was not offered at all the refusal stands.
 */
export function plainVerdict(outcome: Outcome, parties: Parties): Verdict {
  if (outcome.kind !== 'replied' || outcome.reply.code < 500) return outcomeVerdict(outcome, parties)
  const { code, text } = outcome.reply
  if (!ASKS_FOR_TLS.test(text) && (code !== 530 || /\bauth/i.test(text))) return outcomeVerdict(outcome, parties)
  const finalReply = finalReplyOf(outcome.reply)
  return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command: outcome.command }
}

/** The server's EHLO rules the mail out for good. The words are ours: the server was not asked. */
function unsupportedVerdict({ reply, command }: Extract<Outcome, { readonly kind: 'unsupported' }>): Verdict {
  const finalReply = { code: null, enhanced: reply.enhanced, text: reply.lines.join(' ') }
  return { kind: 'bounced', finalReply, ...bounceFromReply(reply, command), command }
}

/** What requires TLS when only the mail itself does. */
export const SENDERS_RULE = "the mail's tls_policy"

/** @param requiredBy the rule that requires TLS; null: none. If set, a lack of TLS is the cause, whatever the server replied */
export function openVerdict(result: NotOpen, requiredBy: string | null): Verdict {
  if (result.kind === 'failed') return failureVerdict(result, requiredBy)
  const finalReply = finalReplyOf(result.reply)
  if (requiredBy !== null && result.phase === 'starttls') return tlsVerdict(finalReply, requiredBy)
  // A failure caused by our own settings (a relay's log-in) is no answer about the mail.
  if (result.phase === 'auth' || result.phase === 'starttls') {
    return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command: 'connect' }
  }
  const verdict = replyVerdict(result.reply, 'connect')
  if (result.phase !== 'banner' || verdict.kind !== 'bounced') return verdict
  if (verdict.type === 'block' || result.reply.code === NEVER_TAKES_MAIL) return verdict
  return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command: 'connect' }
}

/** RFC 7504. */
const NEVER_TAKES_MAIL = 521

function failureVerdict(
  { phase, fault, enhanced }: Failure | (NotOpen & { kind: 'failed' }),
  requiredBy: string | null,
): Verdict {
  const finalReply = { code: null, enhanced, text: `${enhanced} ${fault.message}` }
  if (requiredBy !== null && (phase === 'starttls' || phase === 'tls')) return tlsVerdict(finalReply, requiredBy)
  return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command: commandOf(phase) }
}

/** A rule holds the mail back; the server's words only tell how. */
export function tlsVerdict({ text, ...replyStatus }: FinalReply, requiredBy: string): Verdict {
  const finalReply = { ...replyStatus, text: `${text} (TLS is required by ${requiredBy})` }
  return { kind: 'deferred', finalReply, cause: 'tls', category: 'policy', command: 'connect' }
}

/** What a server finds in one mail or its sender's domain, whose other mail and everybody else's it takes. */
const OF_ONE_MAIL: ReadonlySet<string> = new Set(['content_rejected', 'authentication'])

/** Whether a server asks us to slow down, whatever its code. Greylisting only asks for time. */
export function isThrottling(reply: Reply): boolean {
  if (reply.code === 421) return true
  if (reply.code < 400 || GREYLISTING.test(reply.text)) return false
  if (isRate(reply)) return true
  if (reply.code >= 500 || reply.enhanced?.startsWith('4.7.') !== true) return false
  return !OF_ONE_MAIL.has(bounceFromReply(reply, 'data').category)
}
