// Classifies mail to a return path: a bounce, a delay or delivery notice, a complaint, an automatic reply, or something else.
//
// It checks, in this order: complaints and delivery reports by their format; Amazon's notices; automatic replies by RFC 3834
// and by the fields and subjects that autoresponders use; last, prose written by a mailer. Prose counts as a bounce only if
// it comes from a mailer (by its name, its subject or its phrases) and says that something was not delivered.
// People write about lost parcels too. So mail under a person's name counts as a mailer's prose only if it has no envelope
// sender (the first Return-Path, which our MX writes; unknown if there is none) and contains an address, a reply or the mail
// it is about.
// Reading is a pure function of the bytes, linear, bounded by parts.ts, and never throws.

import type { BounceVerdict } from '../smtp/bounce.ts'
import { type Feedback, readFeedback } from './arf.ts'
import { isCutAtReturned, prose, readProse } from './bounce-text.ts'
import { readDeliveryStatus, recipientIn } from './dsn.ts'
import { type Fields, fieldOf, type ReportPart, type ReportParts, readParts, splitHeader, wordsOf } from './parts.ts'
import type { ReportedRecipient } from './result.ts'
import { readSesNotice } from './ses-notice.ts'
import { verdictOf } from './words.ts'

export type Report =
  | {
      /** `bounce` if any recipient failed, else `delayed` if any was delayed, else `delivered`. */
      readonly kind: 'bounce' | 'delayed' | 'delivered'
      readonly recipients: readonly ReportedRecipient[]
      /** Header of the message that the report is about; empty when it was not returned. */
      readonly original: Fields
    }
  | { readonly kind: 'complaint'; readonly feedback: Feedback; readonly original: Fields }
  | { readonly kind: 'auto_reply' }
  | { readonly kind: 'other' }

/** @param raw one message as received, of any size, with any line ends */
export function readReport(raw: Buffer): Report {
  return readOne(readParts(raw), 0)
}

function readOne(parts: ReportParts, level: number): Report {
  const original = originalOf(parts)
  const feedback = readFeedback(parts)
  if (feedback !== null) return { kind: 'complaint', feedback, original }
  const status = readDeliveryStatus(parts)
  if (status.length > 0) return reported(withProse(status, parts), original)
  const notice = readSesNotice(parts)
  if (notice !== null) return notice
  const rejected = sieveRejection(parts)
  if (rejected !== null) return reported([rejected], original)
  if (isAutoReply(parts.headers)) return { kind: 'auto_reply' }
  // RFC 8098: a disposition notification means that the mail reached a mailbox.
  if (parts.parts.some(({ type }) => DISPOSITION.test(type))) return { kind: 'other' }
  const wrapped = parts.parts.find(({ type }) => type === 'message/rfc822')
  if (level === 0 && wrapped !== undefined) {
    // A gateway may wrap the report of the mailer behind it without saying anything itself. A complaint is one whoever passes it on.
    const inner = readOne(readParts(Buffer.from(wrapped.text)), 1)
    const isBounce = inner.kind === 'bounce' || inner.kind === 'delayed'
    if (inner.kind === 'complaint' || (isBounce && isFromMailer(parts.headers))) return inner
  }
  // The words of a returned mail are those of its sender and are no report.
  if (level > 0 && !isNamedMailer(parts.headers)) return { kind: 'other' }
  return readProseReport(parts, original)
}

function reported(recipients: readonly ReportedRecipient[], original: Fields): Report {
  const has = (action: ReportedRecipient['action']): boolean => recipients.some((one) => one.action === action)
  return { kind: has('failed') ? 'bounce' : has('delayed') ? 'delayed' : 'delivered', recipients, original }
}

/** Replaces poor entries, which have a status without words or unclassifiable words, with better ones from the prose. */
function withProse(recipients: readonly ReportedRecipient[], parts: ReportParts): readonly ReportedRecipient[] {
  const lines = prose(humanText(parts))
  const milder = milderIn(lines.join('\n').slice(0, 8_192))
  const fromProse = recipients.some(isPoor) ? readProse(lines, []) : []
  return recipients.map((one) => {
    const own = fromProse.find(({ address }) => address === one.address?.toLowerCase())
    const alone = recipients.length === 1 ? (fromProse.find(isCauseKnown) ?? fromProse[0]) : undefined
    const better = own === undefined || own.verdict.category === 'unknown' ? (alone ?? own) : own
    const best = better === undefined ? one : richer(one, better)
    return milder !== null && best.verdict.type === 'hard' ? { ...best, verdict: milder } : best
  })
}

/** A cause that is stated apart from an address, in a report about one recipient. A hard one needs the address. */
function isCauseKnown({ verdict: { type } }: ReportedRecipient): boolean {
  return type === 'soft' || type === 'block'
}

function isPoor({ action, diagnostic, verdict }: ReportedRecipient): boolean {
  return action === 'failed' && (diagnostic === null || verdict.category === 'unknown')
}

function richer(one: ReportedRecipient, other: ReportedRecipient): ReportedRecipient {
  if (!isPoor(one)) return one
  if (other.verdict.category === 'unknown') return withWords(one, other)
  // A status that names a cause outweighs words that merely resemble one.
  if (one.verdict.category !== 'unknown' && other.smtpCode === null) return withWords(one, other)
  const { address, isFinal = false, behind, remoteHost, remoteIp } = one
  const mta = remoteHost === null && remoteIp === null ? other : one
  const enhanced = other.enhanced ?? one.enhanced
  const named = { address, ...(isFinal && { isFinal }), ...(behind !== undefined && { behind }) }
  return { ...other, ...named, enhanced, remoteHost: mta.remoteHost, remoteIp: mta.remoteIp }
}

/** For people: where the report states no reason, the words beside it are all there is. */
function withWords(one: ReportedRecipient, { diagnostic }: ReportedRecipient): ReportedRecipient {
  return one.diagnostic === null ? { ...one, diagnostic } : one
}

/** The verdict of prose which shows that the mailbox exists (au, Dovecot) and so overrides a hard status; else null. */
function milderIn(text: string): BounceVerdict | null {
  if (/\b(?:account|mailbox) (?:is|has been) (?:temporarily )?(?:disabled|suspended|limited|locked)\b/i.test(text)) {
    return { type: 'soft', category: 'inactive_mailbox' }
  }
  const rejected = /was automatically rejected:\s{0,9}([^\n]{3,200})/i.exec(text)?.[1]
  if (rejected === undefined) return null
  const { verdict } = verdictOf({ words: rejected, reply: null, status: null, command: null })
  return verdict.type === 'soft' ? verdict : null
}

/**
 * A rejection by the recipient's Sieve script (RFC 5429 section 2.1), which has the form of a read receipt: the mail was
 * deleted automatically. Mail programs report mail that is deleted unread in the same way, so the words must say that it was
 * rejected. The script's author wrote them: they are no proof that there is no mailbox.
 */
function sieveRejection(parts: ReportParts): ReportedRecipient | null {
  const notice = parts.parts.find(({ type }) => DISPOSITION.test(type))
  if (notice === undefined) return null
  const { fields } = splitHeader(notice.text.trimStart())
  if (!AUTOMATICALLY_DELETED.test(fieldOf(fields, 'disposition') ?? '')) return null
  const text = humanText(parts).slice(0, 4_096).trim()
  const says = REJECTED.exec(text)
  if (says === null && !/^auto-replied\b.{0,40}\brejected\b/i.test(fieldOf(parts.headers, 'auto-submitted') ?? ''))
    return null
  const words = (says?.[1] ?? text).trim()
  const { verdict, ...found } = verdictOf({ words, reply: null, status: null, command: null })
  const address = recipientIn(fieldOf(fields, 'final-recipient') ?? '')
  return {
    ...found,
    address,
    ...(address !== null && { isFinal: true }),
    action: 'failed',
    diagnostic: words === '' ? null : words,
    command: null,
    remoteHost: null,
    remoteIp: null,
    verdict: verdict.type === 'soft' || verdict.type === 'block' ? verdict : { type: 'block', category: 'policy' },
  }
}

const DISPOSITION = /^message\/(?:global-)?disposition-notification$/
const AUTOMATICALLY_DELETED = /^\s*automatic-action\s*\/\s*mdn-sent-automatically\s*;\s*deleted\b/i
const REJECTED = /\bautomatically (?:rejected|refused)\b[.:]?([^]*)/i

const MAILER =
  /mail(?:er)?[-_. ]?d(?:a?e)?mon|post(?:_?master|office)|mail[-_. ]?deliver|mail system|delivery[-_ ]subsystem|system ?administrator|mail ?administrator|^<?bounce|mail(?:er)?[-_ ]?(?:system|server|gateway|filter|agent)|mdaemon|smtp[-_ ]?(?:server|gateway)|mmdf|microsoftexchange/i
const FAILED_SUBJECT =
  /undeliver|non[- ]?deliver|not (?:be )?deliver|deliver(?:y|ing)? (?:status|failure|failed|problem|error|notification|has failed|report|unsuccessful)|delivery subsystem|(?:mail|message|e-?mail|delivery) ?(?:delivery )?(?:fail|error|problem|could not|status|returned|rejected|bounced|failure)|fail(?:ure|ed) (?:notice|notif|mail|deliver|to deliver)|returned (?:mail|message|to sender|e-?mail)|return(?:ing)? (?:message|mail) to sender|mail system error|bounced? (?:mail|message)|(?:cannot|could not|can't|couldn't|unable to) (?:be )?(?:send|sent|deliver)|rejected (?:mail|message)|warning: (?:could not|message|e?mail)|error sending your mail|message (?:blocked|rejected|refused|undeliver|notification)|user unknown|considered unsolicited|banned contents|virus .{0,20}(?:found|detected)|unzustellbar|nicht zugestellt|zustellung|niet bezorgd|non remis|échec|no se (?:puede|ha podido) entregar|n(?:ã|a)o entregue|mancata consegna|non (?:è stato )?consegnat|non distribué|non délivré|não (?:foi )?entregue|onbestelbaar|niet (?:afgeleverd|bezorgd)|nie(?:dostarcz| została dostarcz)|teslim edilem|iletilem|не (?:была? )?доставлен|未送达|未送達|배달(?:되지|할 수|에? ?실패)|недоставлен|エラー|配信|送信でき|不在|届け|退信|退回|無法|无法|投递|投遞|반송|전송 ?실패/i
const NOT_DELIVERED =
  /(?:could(?: not|n't)|can(?:not|'t| not)|was(?: not|n't)|were not|has not been|not|unable to|failed to|did not get|won't|wasn't able to|problems?|trouble|difficulties|errors?)(?: \S+){0,3} (?:deliver|be (?:deliver|sent|relayed)|deliver(?:ed|ing)|reach|sent|send)|deliver(?:y|ing)?(?: \S+){0,12} (?:failed|failure|error|unsuccessful|impossible|aborted|stopped|problem)|undeliver|(?:failed|rejected|refused|returned|blocked|bounced|denied|quarantined)\b|permanent(?:ly)? (?:error|fatal|fail)|fatal errors|no such|unknown (?:user|address|recipient)|user unknown|does ?n[o'’]t exist|not (?:listed|found|exist)|exceeds|over ?quota|mailbox (?:is )?full|not accept|transcript of (?:the )?session|failure reasons|delivery attempts|error while|invalid (?:address|recipient)|\b5\d\d[ -][5#]|送信でき|配信でき|届きません|届け(?:る|られ)|見つかりません|エラー|unzustellbar|nicht (?:zu(?:ge)?stell|gefunden)|n'a pas pu|no se (?:pudo|ha entregado)|kon niet worden|non può|não p[oô]de|не (?:может|был|удалось)|недостав|sconosciut|inconnue?\b|nieznan|onbekend|desconhecid|desconocid|bilin(?:miyor|meyen)|bulunamadı|teslim edilem|неизвест|не найден|不明|存在しま|不存在|未知|존재하지|알 수 없는|无法|無法|退回|退信/i
/** Other mailer notices: the mail is delayed, was delivered, or was read. */
const NO_FAILURE =
  /delay|warn|retard|retras|demora|ritard|atras|vertrag|verzöger|opóźni|gecik|försen|forsink|задерж|遅延|遅れ|延迟|延遲|지연|success|delivered|received|relayed|receipt|retr(?:y|ies|ied)|still being|confirm|zugestellt|entregad|consegnat|remis\b|доставлен|配信しました|已送达/iu
/** Phrases that only mailers write. */
const PHRASES =
  /this is the (?:qmail|dragonfly|mail delivery|postfix|mail system)|created automatically by (?:the )?mail (?:delivery|system)|automatically (?:created|generated) by (?:the )?(?:mail|delivery)|message(?: that)? you (?:have )?sent could not be delivered|(?:your )?(?:mail|message)(?: \S+){0,8} could not be delivered|delivery to the following recipients?(?: \S+){0,2} (?:has )?(?:failed|been delayed)|delivery has failed to these recipients|your message (?:did not reach|was not delivered|wasn't delivered|couldn't be delivered|could not be delivered|cannot be delivered)|the following (?:address|recipient)(?:es|s|\(es\)|\(s\))?(?: \S+){0,6} (?:failed|errors?|rejected|undeliver|problems)|unable to deliver (?:your |the |this )?(?:message|mail)|permanent fatal errors|transcript of (?:the )?session|was not delivered to:|error message below:|undeliverable (?:message|mail)|mail (?:could not be|cannot be|not) delivered/i

function isFromMailer(headers: Fields): boolean {
  return isNamedMailer(headers) || isSentByNobody(headers)
}

function isNamedMailer(headers: Fields): boolean {
  return (
    MAILER.test(wordsOf(fieldOf(headers, 'from')).slice(0, 500)) || fieldOf(headers, 'x-failed-recipients') !== null
  )
}

/** Notices of mailers have an empty envelope sender (RFC 5321 section 4.5.5), as do automatic replies. */
function isSentByNobody(headers: Fields): boolean {
  return fieldOf(headers, 'return-path')?.trim() === '<>'
}

function isSentBySomebody(headers: Fields): boolean {
  return /^<[^<>\s]{1,320}>$/.test(fieldOf(headers, 'return-path')?.trim() ?? '')
}

/** Whether there is more than words to show that this is about a mail: a returned mail, another address, or a quoted reply. */
function isEvident(parts: ReportParts, lines: readonly string[], recipients: readonly ReportedRecipient[]): boolean {
  const from = wordsOf(fieldOf(parts.headers, 'from')).toLowerCase()
  return (
    parts.parts.some(isReturned) ||
    isCutAtReturned(humanText(parts), lines) ||
    recipients.some(
      ({ address, smtpCode, enhanced }) =>
        smtpCode !== null || enhanced !== null || (address !== null && !from.includes(address.toLowerCase())),
    )
  )
}

function readProseReport(parts: ReportParts, original: Fields): Report {
  const lines = prose(humanText(parts))
  const text = lines.join('\n').slice(0, 16_384)
  const subject = wordsOf(fieldOf(parts.headers, 'subject'))
  const byMailer = isFromMailer(parts.headers) || PHRASES.test(text)
  const isNamed = isNamedMailer(parts.headers)
  if (!isNamed && isSentBySomebody(parts.headers)) return { kind: 'other' }
  const failed = failedRecipients(parts.headers)
  const isNonDelivery = NOT_DELIVERED.test(text) || NOT_DELIVERED.test(subject) || FAILED_SUBJECT.test(subject)
  if (failed.length === 0 && ((!byMailer && !FAILED_SUBJECT.test(subject)) || !isNonDelivery)) {
    // In an unrecognised language: a notice by a mailer with an empty envelope sender must be about the mail.
    const isNotice = isNamed && isSentByNobody(parts.headers) && !NO_FAILURE.test(`${subject}\n${text}`)
    return isNotice ? reported(readProse(lines, failed).map(unread), original) : { kind: 'other' }
  }
  let recipients = recipientsTold(lines, subject, failed)
  if ((!isNamed || isSentBySomebody(parts.headers)) && !isEvident(parts, lines, recipients)) return { kind: 'other' }
  // A person may write about failed mail too: a report recognised only by its subject proves nothing against an address.
  if (!byMailer) recipients = recipients.map(unproven)
  if (isDelayNotice(subject, text)) recipients = recipients.map((one) => ({ ...one, action: 'delayed' as const }))
  return reported(recipients, original)
}

/** The addresses of X-Failed-Recipients (Exim, Gmail), in lower case. */
function failedRecipients(headers: Fields): readonly string[] {
  return (fieldOf(headers, 'x-failed-recipients') ?? '')
    .slice(0, 2_000)
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one.includes('@'))
}

/** Judged by the text; by the subject where the text says nothing. */
function recipientsTold(
  lines: readonly string[],
  subject: string,
  failed: readonly string[],
): readonly ReportedRecipient[] {
  const isEmpty = lines.every((line) => line.trim() === '')
  const recipients = readProse(isEmpty && FAILED_SUBJECT.test(subject) ? [...lines, subject] : lines, failed)
  if (recipients.some(({ verdict }) => verdict.category !== 'unknown')) return recipients
  const verdict = readProse([subject], failed)[0]?.verdict
  if (verdict === undefined || verdict.category === 'unknown') return recipients
  return recipients.map((one) => ({ ...one, verdict }))
}

function unread(one: ReportedRecipient): ReportedRecipient {
  return { ...one, verdict: { type: 'unknown', category: 'unknown' } }
}

function unproven(one: ReportedRecipient): ReportedRecipient {
  return one.verdict.type === 'hard' ? { ...one, verdict: { type: 'unknown', category: 'unknown' } } : one
}

function isDelayNotice(subject: string, text: string): boolean {
  return (
    /\bdelay(?:ed)?\b|\bwarn(?:ing|ung)\b|still being (?:re)?tried|verzögert|noch nicht zugestellt/i.test(subject) &&
    /(?:will|continue|keep)(?: \S+){0,6} (?:retr|try|attempt|be (?:retried|tried|made))|not yet been delivered|do not need to re-?send|only a temporary failure|delivery (?:attempts )?will (?:continue|be)|has been delayed|noch nicht zugestellt/i.test(
      text,
    )
  )
}

function humanText(parts: ReportParts): string {
  const plain = parts.parts.filter(({ type }) => type === 'text/plain' || type === 'text')
  const first = plain.find(({ text }) => text.trim() !== '')
  const html = parts.parts.find(({ type }) => type === 'text/html')
  // Some mailers put only a greeting in the first text part and the message in the second.
  const second = first === undefined ? undefined : plain[plain.indexOf(first) + 1]
  const short = first !== undefined && first.text.length < 200 && second !== undefined
  if (first !== undefined && !(html !== undefined && first.text.trim().length < 20)) {
    return short ? `${first.text}\n${second.text}` : first.text
  }
  return html?.text ?? parts.parts.find((part) => !isReturned(part))?.text ?? ''
}

function originalOf({ parts }: ReportParts): Fields {
  const returned = parts.find(isReturned)
  return returned === undefined ? [] : splitHeader(returned.text.trimStart()).fields
}

function isReturned({ type }: ReportPart): boolean {
  return /^(?:message\/(?:rfc822|global|partial)|(?:text|message)\/(?:rfc822|global)-headers?)$/.test(type)
}

const AUTO_SUBJECT =
  /^\s{0,9}(?:(?:re|aw|sv|antw?):\s{0,3})?(?:\[?auto(?:matic(?:ally)?|mat(?:ed|ic)|matische|matisk|matica|mática)?[-: ]{0,3}(?:re(?:ply|sponse|sponder)|antwort|r(?:é|e)ponse|respuesta|risposta|resposta|svar|submitted|generated reply|acknowledge)|auto(?: ?: |: )|out[- ]of[- ](?:the[- ])?office|(?:i am |i'm )?(?:away from|out of) |away (?:until|from|notice)|on (?:vacation|holiday|leave)|vacation|ooo\b|abwesen|absence|absent\b|r(?:é|e)ponse automatique|(?:respuesta|resposta) autom(?:á|a)tica|risposta automatica|fuera de (?:la )?oficina|fuori (?:ufficio|sede)|automatisch antwoord|afwezig|frånvaro|autosvar|automaattinen vastaus|automatyczna odpowied(?:ź|z)|automatická odpověď|automatikus válasz|otomatik yan(?:ı|i)t|автоматический ответ|автоответ|αυτόματη απάντηση|自動(?:応答|返信|回复|回覆)|自动(?:回复|答复)|不在|부재중|자동 ?(?:회신|응답))/iu

const HEADER_BYTES = 262_144
/** The subject from our mailto: URI, optionally with the token that follows it, folded or not. */
const BARE_SUBJECT = /^unsubscribe(?:\s+[\w-]{30}[\w\s-]*)?$/i

/**
 * Whether a machine wrote the mail: an autoresponder, a mailer with a report, or a program that says so (RFC 3834 section 5).
 *
 * @param fromNobody true when MAIL FROM was empty
 */
export function isAutomatic(raw: Buffer, fromNobody: boolean): boolean {
  const fields = headerOf(raw)
  const submitted = fieldOf(fields, 'auto-submitted') ?? 'no'
  // Programs that unsubscribe for people identify themselves. Automatic replies never have the bare subject of our URI.
  const isForSomebody =
    /^auto-generated\b/i.test(submitted) && BARE_SUBJECT.test(wordsOf(fieldOf(fields, 'subject')).trim())
  return (
    (!/^no\b/i.test(submitted) && !isForSomebody) ||
    /^multipart\/report\b/i.test(fieldOf(fields, 'content-type') ?? '') ||
    (fromNobody && isFromMailer(fields)) ||
    isAutoReply(fields)
  )
}

/** The decoded subject of a mail; empty when it has none. */
export function subjectOf(raw: Buffer): string {
  return wordsOf(fieldOf(headerOf(raw), 'subject'))
}

function headerOf(raw: Buffer): Fields {
  return splitHeader(raw.toString('latin1', 0, HEADER_BYTES).replaceAll('\r\n', '\n')).fields
}

/** Recognises automatic replies by RFC 3834 section 5 and by older conventions. Callers recognise mailers' reports first. */
function isAutoReply(headers: Fields): boolean {
  const submitted = (fieldOf(headers, 'auto-submitted') ?? 'no').trim().toLowerCase()
  const subject = wordsOf(fieldOf(headers, 'subject'))
  const mailer =
    MAILER.test(wordsOf(fieldOf(headers, 'from')).slice(0, 500)) || fieldOf(headers, 'x-failed-recipients') !== null
  if (AUTO_SUBJECT.test(subject) && !(mailer && FAILED_SUBJECT.test(subject))) return true
  if (mailer) return false
  // RFC 3834 section 5.3: a parameter that names the owner of the autoresponder, which no mailer sets.
  if (/^auto-replied\b.*(?:vacation|owner-email)/.test(submitted)) return true
  if (FAILED_SUBJECT.test(subject)) return false
  if (submitted.startsWith('auto-replied') || /vacation/.test(submitted)) return true
  const precedence = (fieldOf(headers, 'precedence') ?? '').trim().toLowerCase()
  return (
    /^auto[-_ ]?reply$/.test(precedence) ||
    ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-mail-autoreply', 'x-apple-action'].some(
      (name) => !['', 'no'].includes((fieldOf(headers, name) ?? '').trim().toLowerCase()),
    ) ||
    /^(?:vacation|oof|ooo)/i.test(fieldOf(headers, 'x-auto-response-type') ?? '')
  )
}
