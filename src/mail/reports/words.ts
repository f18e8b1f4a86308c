// Finds the receiver's reply in the words of a report and classifies it.
//
// bounceFromReply classifies a quoted reply like one that we received ourselves. The reporter's own words (from a mailer that
// found no host, gave up after days, or has no such mailbox) go through the table below first, because no receiver replied.
// A report means that delivery has ended: a non-existent host is `bad_domain`, unless the status is temporary (4.y.z), which
// makes it `dns_failure`.

import {
  type BounceCategory,
  type BounceVerdict,
  bounceFromReply,
  bounceTypeOf,
  isAboutUs,
  type SmtpCommand,
} from '../smtp/bounce.ts'
import { replyOf } from '../smtp/reply.ts'

const READ_CHARS = 4_096

export interface QuotedReply {
  readonly code: number
  readonly enhanced: string | null
  /** The text after the code, without the code repeated on each line of a reply. */
  readonly words: string
}

// A code counts only after punctuation or a verb of speech, at the beginning, or before an enhanced code: not within prose.
const CODE =
  /(?:^|[;:"'(>[{#|,=]\s{0,3}|(?:said|says|reply|response|responded(?: with)?|error|code|status|returned|was|with|answered) )\W{0,3}([45][0-5]\d)(?=[ \-#;:,\t]|$)|(?:^|[^\d.\w])([45][0-5]\d)(?=[ -]{1,2}\(?#?[45]\.\d{1,3}\.\d{1,3}(?![\d.]))/i
const STATUS = /(?:^|[^\d.\w])#?([45]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/

/** The first 4xx or 5xx reply quoted in the text; null when there is none. */
export function quotedReply(text: string): QuotedReply | null {
  const read = text.slice(0, READ_CHARS)
  const found = CODE.exec(read)
  const digits = found?.[1] ?? found?.[2]
  if (found === null || digits === undefined) return null
  const rest = read.slice(found.index + found[0].length)
  const words = rest
    .replace(new RegExp(`(?:^|\\s)${digits}[ -](?=\\S)`, 'g'), ' ')
    .replace(/^[\s\-:;,]{1,20}/, '')
    .trim()
  return { code: Number(digits), enhanced: STATUS.exec(rest)?.[1] ?? null, words }
}

export interface ReportedFailure {
  readonly words: string
  readonly reply: QuotedReply | null
  /** The reporter's own status. */
  readonly status: string | null
  readonly command: SmtpCommand | null
  /** The mailer states in its own words, in a separate sentence, that there is no such user. */
  readonly isStated?: boolean
}

export interface FailureVerdict {
  readonly smtpCode: number | null
  readonly enhanced: string | null
  readonly verdict: BounceVerdict
}

export function verdictOf({ words, reply, status, command, isStated = false }: ReportedFailure): FailureVerdict {
  const enhanced = mostExact(reply?.enhanced ?? STATUS.exec(words)?.[1] ?? null, status)
  const own = localCategory(words, reply, enhanced)
  // A temporary status may resolve by the next try: Gmail sends 4.0.0 for a name that does not exist at the moment.
  if (own !== null) return judged(own === 'bad_domain' && enhanced?.startsWith('4') ? 'dns_failure' : own)
  const code = reply?.code ?? (enhanced?.startsWith('4') ? 450 : 550)
  const bare = words.replace(STATUS, ' ')
  const restored = replyOf(code, [enhanced === null || enhanced.endsWith('.0.0') ? bare : `${enhanced} ${bare}`])
  const verdict = bounceFromReply(restored, command ?? 'rcpt')
  const isOwnWord = isStated && reply === null && enhanced === null && (command === null || command === 'rcpt')
  if (verdict.category === 'invalid_recipient' && !isOwnWord && !isProof(enhanced, command, reply)) {
    return judged(command === 'data' ? 'policy' : 'inactive_mailbox')
  }
  return { smtpCode: reply?.code ?? null, enhanced, verdict }

  function judged(category: BounceCategory): FailureVerdict {
    return { smtpCode: reply?.code ?? null, enhanced, verdict: { type: bounceTypeOf(category), category } }
  }
}

/**
 * "User unknown" is proof if the status agrees (RFC 3463: X.1.z), if it answered RCPT, or if the reply names the address. After
 * DATA and without an address, some receivers say it when a user's filter rejected the mail (Japanese carriers do).
 */
function isProof(enhanced: string | null, command: SmtpCommand | null, reply: QuotedReply | null): boolean {
  const status = enhanced?.slice(2) ?? ''
  if (/^1\.\d|^7\.1[78]$/.test(status) || command === 'rcpt') return true
  if (reply === null) return false
  const words = reply.words.slice(0, 500)
  if (
    /user doesn't have an? \S{1,80} account|lpn007_416|ofr_416|^unrouteable address|^(?:user|mailbox) not found: ?\S{1,320}@/i.test(
      words,
    ) ||
    AT_RCPT.test(words)
  )
    return true
  return (
    command === null &&
    status !== '2.1' &&
    /^(?:[45]\.\d\.\d )?(?:<[^\s<>]{1,320}>|[^\s<>@]{1,64}@[^\s<>@]{1,255}\.\.\. )/.test(words)
  )
}

/** Documented replies to RCPT for a non-existent mailbox: two of Microsoft's, Yahoo, QQ, Mimecast, Yandex. */
const AT_RCPT =
  /^(?:5\.4\.1 )?recipient address rejected: access denied|mailbox unavailable \(s20\d{6,10}\)|^1 requested mail action aborted, mailbox not found|mailbox not found\. https?:\/\/service\.mail\.qq\.com|^invalid recipient - https?:\/\/\S{0,40}mimecast|^(?:5\.7\.1 )?no such user!/i

/** The status in the reply, or the reported one if the reply has none or only X.0.0, which carries no information. */
function mostExact(replied: string | null, reported: string | null): string | null {
  if (replied === null) return reported
  return replied.slice(1) === '.0.0' && reported !== null ? reported : replied
}

/** Phrases of mailers themselves: Postfix, Exim, Sendmail, qmail, Courier, Exchange, Domino, Gmail and similar. */
const LOCAL: readonly (readonly [BounceCategory, RegExp])[] = [
  [
    'dns_failure',
    /host not found, try again|temporary (?:lookup|dns|resolution)|name service error.{0,200}(?:try again|server fail)|dns (?:server|query|lookup) (?:returned|failed|timed?).{0,60}(?:servfail|temporar|time)|lookup (?:timed out|deferred)/,
  ],
  [
    'invalid_recipient',
    /not listed in (?:the )?(?:domino|public name|.{0,40}directory)|domino ?(?:directory|ディレクトリ|verzeichnis)|no mailbox here by that name|resolver\.adr\.(?:ex)?recip(?:ient)?notf?ound|unrouteable address|recipient name is not recognized|no valid recipients for this mm|user \S{1,80} \([^()]{0,320}\) not found|收件人.{0,12}不存在|(?:用户|用戶|邮箱地址).{0,6}不存在|(?:没有|查无|无|無)此(?:用户|用戶|人)|(?:ユーザー?|宛先|アドレス).{0,10}(?:存在しま|存在しない|見つかりま|不明)|(?:사용자|받는 ?사람|메일 ?주소).{0,12}(?:존재하지 않|찾을 수 없)|(?:empf(?:ä|ae)nger|postfach|adresse).{0,40}(?:existiert (?:\S{1,20} )?nicht|unbekannt|nicht gefunden)|(?:usuario|destinatario|direcci(?:ó|o)n|cuenta).{0,40}(?:no existe|desconocid[oa]|no (?:fue )?encontrad[oa])|(?:usu(?:á|a)rio|destinat(?:á|a)rio|endere(?:ç|c)o).{0,40}(?:n(?:ã|a)o existe|desconhecid[oa]|n(?:ã|a)o (?:foi )?encontrad[oa])|(?:utente|destinatario|indirizzo).{0,40}(?:sconosciut[oa]|inesistente|non (?:esiste|trovat[oa]))|(?:utilisateur|destinataire|adresse).{0,40}(?:inconnue?|n'existe p(?:as|lus)|introuvable)|(?:gebruiker|ontvanger|adres).{0,40}(?:onbekend|bestaat niet)|(?:адрес|пользовател|получател|ящик).{0,40}(?:не (?:существует|найден)|неизвест)|неизвестн(?:ый|ая) (?:пользователь|получатель|адрес)|(?:użytkownik|odbiorca|adres|skrzynka).{0,40}(?:nieznan[ya]|nie istnieje)|nieznan[ya] (?:użytkownik|odbiorca|adres)|(?:kullanıcı|alıcı|adres).{0,40}(?:bilinmiyor|bulunamadı|mevcut değil)|bilinmeyen (?:kullanıcı|alıcı)|(?:用户|用戶|收件人)未知|未知的?(?:用户|用戶|收件人)|不明な(?:ユーザー?|宛先|アドレス)|알 수 없는 (?:사용자|수신자)|^(?:\S{1,320}@\S{1,255} )?user not found\.?$|unknown local[- ]part|no such user here|(?:mailbox|e-?mail account|recipient) does not exist|couldn't find (?:the )?(?:user|recipient)|\(user not found\)/,
  ],
  [
    'mailbox_full',
    /buz(?:ó|o)n.{0,60}(?:lleno|completo)|bo(?:î|i)te.{0,60}pleine|postfach.{0,60}voll|casella.{0,60}piena|caixa.{0,60}cheia|[邮郵]箱.{0,9}(?:已[满滿]|容量)|ボックス.{0,20}(?:一杯|いっぱい|超え)|ящик.{0,40}переполнен|메일함.{0,20}(?:가득|용량|초과)|용량 ?초과|bandeja.{0,60}llena/,
  ],
  // A delivery command of Postfix or Sendmail, such as maildrop or procmail, tells of a full mailbox in its own words.
  [
    'mailbox_full',
    /(?:command (?:died|failed|output)|maildrop|procmail|child (?:status|process)|exited with).{0,300}(?:over ?quota|quota (?:is )?exceeded|exceeded (?:\S+ ){0,3}quota|(?:mailbox|mailfolder|maildir) (?:is )?full|no space left|disk full)/,
  ],
  ['policy', /not accepting mail from|may not exist, or you may not have permission/],
  [
    'protocol',
    /loops? back to|too many hops|hop count exceeded|(?:mail|mail forwarding|routing) loop|too many "received"/,
  ],
  [
    'unknown',
    /couldn't create|can't create (?:user )?output|command (?:died|failed|output)|maildrop|procmail|exited with|child (?:status|process)|mailer error/,
  ],
  [
    'bad_domain',
    /couldn't find any host|couldn't find a mail exchanger|malformed or unexpected name server reply|domain is not reachable|host or domain name not found|name service error.{0,300}host (?:not found|found but no data)|host (?:name )?(?:unknown|not found)|unknown host|no such (?:host|domain)|(?:dns (?:lookup )?(?:failure|error)).{0,120}(?:not found|nxdomain|no such)|nxdomain|domain (?:name )?(?:\S{1,80} )?(?:(?:could|was) not (?:be )?found|does not exist|doesn't exist|not found)|(?:couldn't be found|could not find|wasn't able to find)(?: the)? (?:recipient )?domain|illegal host\/domain name|all relevant mx records point to non-?existent|an mx or srv record indicated no smtp service|domain(?: \S{1,255})? does not accept mail|null ?mx|no valid (?:mx|host|hosts)|invalid (?:host|domain) name|address couldn't be found.{0,80}domain|(?:bad|invalid) destination (?:host|system)|lost connection.{0,40}unknown host|host .{1,80} does not exist|no matches to nameserver query|could not be found in (?:the )?domain name (?:service|system)|domain .{1,80} could not be resolved/,
  ],
  [
    'expired',
    /^(?:\S{1,320}: )?envelope expired|(?:could not|couldn't|cannot|can not|unable to) (?:be delivered|send (?:the )?message|deliver(?: the message| it)?) (?:for|within|in|after) (?:more than )?\d|retry time(?:out)? (?:not reached|exceeded)|too long|giving up|(?:delivery|queue|message|retry)(?: time)? (?:time )?(?:expired|exceeded|timeout)|has been (?:in the queue|delayed|queued|frozen|undeliverable)|(?:after|for|within|past) (?:the )?(?:\d[\d.]*|several|few) (?:hours?|days?|attempts|hour\(s\)|minutes|retries)|(?:failed|tried) \d{1,4} (?:attempts|times)|message (?:has )?expired|undeliverable for|time limit exceeded|exceeded (?:the )?(?:max(?:imum)?|retry|time)(?: \S+){0,3} (?:time|retr|attempt|limit|delivery)|no attempt to deliver/,
  ],
  [
    'connection',
    /did not accept our requests to connect|connection (?:timed out|refused|reset|failed|dropped|was (?:refused|dropped|closed))|(?:network|host|server)(?: \S+){0,2} (?:is )?(?:unreachable|not responding|did not respond|down)|no route to host|(?:couldn't|could not|cannot|unable to|not able to|wasn't able to|failed to)(?: \S+){0,3} (?:connect|establish|contact|reach)|i'm not going to try again|timed? ?out|no answer from|lost connection|conversation with \S{1,200} timed out/,
  ],
]

/**
 * @param reply disables the table, unless its text shows that the mailer generated the reply itself
 * @param status one about the address, the mailbox or a policy outweighs words about the connection or expiry
 * @returns null when the words are not the mailer's own
 */
function localCategory(words: string, reply: QuotedReply | null, status: string | null): BounceCategory | null {
  // Exim puts the cause before the outcome.
  const cause = /^(.{0,500}\S): retry time(?:out)? (?:not reached|exceeded)/i
    .exec(words)?.[1]
    ?.replace(/^\S{1,320}@\S{1,255} /, '')
  if (reply === null && cause !== undefined) {
    const { category } = bounceFromReply(replyOf(550, [cause]), 'rcpt')
    if (category === 'mailbox_full' || category === 'message_too_large') return category
  }
  // Exchange's heading is not the cause.
  const text = words
    .slice(0, READ_CHARS)
    .toLowerCase()
    .replace(/recipients?(?:\(s\))? could not be reached/, '')
  // RFC 7505 also defines a status for a sender's null MX (X.7.27), which says nothing about the recipient.
  if (/\b(?:sender|from|return[- ]path)\b.{0,80}null ?mx/.test(text) || isAboutUs(text)) return null
  if (reply !== null && /^[45]\.7\./.test(status ?? '')) return null
  if (
    reply !== null &&
    !/name service error|nxdomain|host (?:name )?(?:unknown|not found)|null ?mx|domain(?: \S{1,255})? does not accept mail|domain is not reachable/.test(
      text,
    )
  ) {
    return null
  }
  const found = LOCAL.find(([, pattern]) => pattern.test(text))?.[0] ?? null
  const onItsWay = found === 'connection' || found === 'expired'
  return onItsWay && /^5\.(?:1\.[136]|2\.[1-4]|7\.[1-9])\d*$/.test(status ?? '') ? null : found
}
