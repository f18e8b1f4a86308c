// Classifies refusals: contract section 10.
//
// There are three layers, and the first with a result wins:
//   1. the words. Receivers choose their status codes carelessly (5.7.1 "No such user!", 5.4.1 for an unknown user,
//      5.1.1 for a blocked address), and their published texts are more exact than their codes;
//   2. the enhanced code: RFC 3463, 5248, 7293, 7372, 7505, the IANA registry, Microsoft's and Gmail's own numbers;
//   3. the bare code and the command that it answered.
// Ambiguous words get the milder reading: `hard` suppresses an address, so it needs proof that the address is wrong. A
// refusal of the connection or of MAIL FROM is about us and never `hard`. Nor is a 4xx, or a reply that names the sender, the
// sender's domain or our host but not the recipient.

import { domainPart, localPart } from '../address-parts.ts'
import type { Reply } from './reply.ts'

export type BounceType = 'hard' | 'soft' | 'block' | 'unknown'

/** The contract's categories without `spam_complaint`, which no reply can express. */
export type BounceCategory =
  | 'invalid_recipient'
  | 'bad_domain'
  | 'mailbox_full'
  | 'inactive_mailbox'
  | 'message_too_large'
  | 'rate_limited'
  | 'dns_failure'
  | 'connection'
  | 'expired'
  | 'content_rejected'
  | 'policy'
  | 'reputation'
  | 'authentication'
  | 'protocol'
  | 'unknown'

export interface BounceVerdict {
  readonly type: BounceType
  readonly category: BounceCategory
}

/** The command that a reply answered. `connect` covers banner, EHLO, STARTTLS and AUTH; `data` includes the final dot. */
export type SmtpCommand = 'connect' | 'mail' | 'rcpt' | 'data'

const TYPES: Readonly<Record<BounceCategory, BounceType>> = {
  invalid_recipient: 'hard',
  bad_domain: 'hard',
  mailbox_full: 'soft',
  inactive_mailbox: 'soft',
  message_too_large: 'soft',
  rate_limited: 'soft',
  dns_failure: 'soft',
  connection: 'soft',
  expired: 'soft',
  content_rejected: 'block',
  policy: 'block',
  reputation: 'block',
  authentication: 'block',
  protocol: 'unknown',
  unknown: 'unknown',
}

export const BOUNCE_CATEGORIES = Object.keys(TYPES) as readonly BounceCategory[]

export function bounceTypeOf(category: BounceCategory): BounceType {
  return TYPES[category]
}

/** The parties that a reply may name. */
export interface Parties {
  readonly recipient: string
  /** Our own names: the sender's addresses and host names. */
  readonly ours: readonly string[]
}

/**
 * Classifies a 4xx or 5xx reply. For a 4xx, the verdict is that of the bounce if the email expires without a better reply:
 * never `hard` but `expired` instead, as for a reply to RCPT without a known cause.
 *
 * @param command that the reply answered
 * @param parties absent when unknown, as for a reply quoted in a report
 */
export function bounceFromReply(reply: Reply, command: SmtpCommand, parties?: Parties): BounceVerdict {
  let category = categoryOf(reply, command)
  const aboutUs = command === 'connect' || command === 'mail' || (parties !== undefined && namesUsAlone(reply, parties))
  if (TYPES[category] === 'hard' && aboutUs) category = 'policy'
  if (reply.code < 500 && (TYPES[category] === 'hard' || (category === 'unknown' && command === 'rcpt'))) {
    category = 'expired'
  }
  return { type: TYPES[category], category }
}

/** Text beyond this is boilerplate. Bounds the work of the expressions below, which are linear with small bounded gaps. */
const TEXT_READ_CHARS = 2_000
const ADDRESS = /<[^<>\s]{0,320}>|[^\s<>"(),;:]{1,64}@[\w.-]{1,255}/g

const NAMES = /(?:[^\s<>"'(),;:[\]{}=]{1,64}@)?[\w-]{1,63}(?:\.[\w-]{1,63}){0,9}/g

/** Whether the words name one of our names and not the recipient. With the status X.1.1, only our addresses count. */
function namesUsAlone({ text, enhanced }: Reply, { recipient, ours }: Parties): boolean {
  const words = text.slice(0, TEXT_READ_CHARS).toLowerCase()
  const to = recipient.toLowerCase()
  const local = localPart(to)
  const domain = domainPart(to)
  const named: readonly string[] = words.match(NAMES) ?? []
  if (
    words.includes(to) ||
    ['<>', '()', '[]', '""', "''"].some(([open, close]) => words.includes(open + local + close))
  )
    return false
  const own = ours.map((one) => one.toLowerCase())
  if (own.some((one) => one.includes('@') && named.includes(one))) return true
  if (named.includes(domain) || enhanced?.slice(2) === '1.1') return false
  const within = (name: string, host: string): boolean => name === host || name.endsWith(`.${host}`)
  return named.some((name) => !within(name, domain) && own.some((one) => within(name, domainPart(one))))
}

function categoryOf(reply: Reply, command: SmtpCommand): BounceCategory {
  const status = reply.enhanced?.slice(2) ?? null
  // RFC 7372: these codes name the failed check, whatever policy the words mention.
  if (reply.code >= 500 && /^7\.2[0-6]$/.test(status ?? '')) return 'authentication'
  return (
    categoryOfWords(reply) ??
    (status === null ? null : categoryOfStatus(status, reply.code)) ??
    categoryOfCode(reply.code, command)
  )
}

/**
 * Whether the words report a rate limit, which passes with time, whatever the code. The limit of a single mailbox (X.2.z)
 * does not count.
 */
export function isRate(reply: Reply): boolean {
  return reply.enhanced?.[2] !== '2' && categoryOfWords(reply) === 'rate_limited'
}

function categoryOfWords(reply: Reply): BounceCategory | null {
  // Removes addresses first: `<spam@example.net>: user unknown` is not about spam.
  const words = reply.text.slice(0, TEXT_READ_CHARS).toLowerCase().replace(ADDRESS, ' ').replace(/\s+/g, ' ')
  const status = reply.enhanced?.slice(2) ?? null
  if (PROBE_FAILED.test(words)) return 'connection'
  if (status === '1.1' && UNKNOWN_USER.test(words) && !NOT_THE_RECIPIENT.some((r) => r.test(words)))
    return 'invalid_recipient'
  for (const [category, pattern, only] of WORDS) {
    if ((only === undefined || only(status, reply.code)) && pattern.test(words)) return category
  }
  return null
}

/** Also the whole of what rspamd says, whose greylisting is at many a small receiver. It speaks of one mail, not of our rate. */
export const GREYLISTING = /gr[ae]y-?list|^4\d\d 4\.7\.\d (?:please,? )?try again later\W{0,3}$/i

/** Postfix asked the next server about the address and got no answer or a temporary one; it reports this as X.1.1. */
const PROBE_FAILED =
  /unverified address: (?!.{0,300}\bsaid: 5).{0,300}(?:connect to \S|connection (?:timed out|refused|reset)|no route to host|unreachable|lost connection|conversation with|refused to talk to me|timed out|\bsaid: 4\d\d|try again|delivery temporarily suspended|server (?:configuration|failure)|service unavailable)|(?:address|recipient) verification in progress/

type Condition = (status: string | null, code: number) => boolean

const UNKNOWN_USER = new RegExp(
  [
    // Postfix, Exim, Sendmail, qmail, Exchange, Dovecot and the many that copied them.
    '(?:user|recipient|mailbox|addressee|alias) (?:is )?(?:unknown|not found|invalid)|unknown (?:(?:virtual )?user|local[- ]part|recipient|mailbox|address|account|alias|or illegal alias|destination|e-?mail address)',
    'no such (?:user|person|recipient|mailbox|address|account|local user|domain user|customer|e-?mail(?: address)?\\b|id\\b)|no mail-?box (?:here )?by that name|no mail ?box (?:found|available for)',
    "(?:user|recipient|mailbox|account|address|alias|customer|id|username) (?:\\S{0,80} )?(?:does ?n[o'’]t|do not|did not) exist",
    '(?:user|recipient|mailbox|account|address)(?: \\S{1,80})? (?:(?:is |was |could |can ?)?not (?:be )?(?:found|exist|known|listed)|not available here)',
    '(?:invalid|bad|incorrect|non[- ]?existent|unrouteable|undeliverable|illegal|no valid) (?:mailbox|recipients?|user|address|destination mailbox|alias)\\b',
    "(?:isn't|is not|not) (?:a )?(?:valid|known|recognized|existing) (?:mailbox|recipient|user|address|account)|not a valid recipient",
    "(?:user|this person)(?: \\S{1,80})? (?:doesn't|does not) have an? \\S{1,40} account|not our customer",
    'recipient address rejected: (?:user unknown|unknown|undeliverable|invalid|no such|mailbox (?:does not|not)|unverified address: .{0,80}(?:unknown|no such|not exist))',
    'recipient ?not ?found|recipnotfound|mailbox (?:does not|doesn.t|not) (?:exist|found)|(?<!\\bip )address(?:es)? (?:is |was |were )?(?:unknown|unrecogni[sz]ed|invalid|not known|unavailable here)',
    'unknown in (?:virtual|local|relay|recipient)|(?:is|was) (?:unknown|not known|not a known)|mailbox name not (?:found|known|allowed)',
    '(?:account|mailbox|user|address)(?: \\S{1,80})? (?:has been |was |is )?(?:deleted|terminated|closed permanently|no longer (?:exists?|valid|in use|here))',
    'no longer (?:a )?(?:valid|works? (?:at|for|here)|exists?|employed|(?:with|at|in|part of) (?:the|this|our|us))|adresse (?:d au moins un )?destinataire invalide|inexistent mailbox',
    '(?:user|recipient|address|mailbox)(?: \\S{1,80})? (?:is |was )?not (?:listed )?in (?:the |our )?(?:\\S{1,40} ){0,3}(?:directory|address book|user list)|may contain a non-?existent account',
    "not listed in (?:domino directory|public name)|(?:not|isn't) in my validrcptto list|e-?mail (?:name is not found|not exist\\b)|no account here",
    "(?:the recipient cannot be verified|(?:recipient|mailbox|recipient address) (?:is )?not valid)\\b|(?:can(?:not|'t)|could(?: not|n't)) find (?:the |that )?(?:user|recipient|mailbox)\\b|this address is no longer available|mailbox has been removed",
    'no account (?:here )?by that name|unable to find (?:the )?(?:user|recipient)|(?:user|recipient) (?:is )?unrecogni[sz]ed|(?:no one|nobody) at this address|not an active address|(?:mailbox|address) not present|user \\( \\) unknown|rcpt(?: to)?:? (?:does not exist|not found)|user not (?:local|registered|known)|nosuchuser|no_mailbox|x-unix; 67',
    // The same in the languages of large receivers.
    '(?:utilisateur|destinataire|adresse|bo[iî]te|compte)(?: \\S{1,40}){0,2} (?:inconnue?|inexistante?|introuvable|invalide|n.existe p(?:as|lus))',
    // Bytes that were not UTF-8 appear as U+FFFD.
    '(?:empf(?:ae|[ä\ufffd])nger|benutzer|postfach|mailbox|konto|adresse|adressat)(?: \\S{1,40}){0,2} (?:unbekannt|existiert (?:\\S{1,20} )?nicht|nicht (?:gefunden|vorhanden|bekannt))',
    '(?:unbekannte[rs]?|ung(?:ue|[ü\ufffd])ltige[rs]?|keine?n? solche[rsn]?) (?:empf(?:ae|[ä\ufffd])nger|benutzer|postfach|mailbox|konto|(?:e?-?mail-?)?adresse|adressat)',
    '(?:usuario|destinatario|cuenta|buz[oó]n|direcci[oó]n)(?: \\S{1,40}){0,2} (?:desconocid[oa]|inexistente|no (?:existe|(?:fue |se ha )?encontrad[oa]|v[aá]lid[oa]))|no (?:existe|hay)(?: el| la| ese| esa| tal| ning[uú]n| dich[oa])? (?:usuario|persona|destinatario|cuenta|buz[oó]n|direcci[oó]n)',
    '(?:utente|destinatario|casella|indirizzo)(?: \\S{1,40}){0,2} (?:sconosciut[oa]|inesistente|non (?:esiste|trovat[oa]|valid[oa]))|nessun (?:utente|destinatario) (?:con|di|simile) ',
    '(?:usu[aá]rio|destinat[aá]rio|conta|caixa postal)(?: \\S{1,40}){0,2} (?:desconhecid[oa]|inexistente|n[aã]o (?:existe|(?:foi )?encontrad[oa]))',
    '(?:gebruiker|postbus|ontvanger|adres)(?: \\S{1,40}){0,2} (?:onbekend|bestaat niet)|onbekende (?:gebruiker|postbus|ontvanger)',
    '(?:u[zż\ufffd]ytkownik|odbiorca|skrzynka|adres)(?: \\S{1,40}){0,2} (?:nieznan[ya]|nie istnieje)|nieznan[ya] (?:u[zż\ufffd]ytkownik|odbiorca|skrzynka|adres)|nie ma (?:takiego|takiej) (?:u[zż\ufffd]ytkownika|odbiorcy|adresu|konta|skrzynki)',
    '(?:mottagaren?|anv[äa\ufffd]ndaren?|modtageren?|mottakeren?|brugeren?|brukeren?|adressen|kontot?en?|brevl[åa\ufffd]dan)(?: \\S{1,40}){0,2} (?:finns inte|findes ikke|finnes ikke|eksisterer ikke|existerar inte|hittades inte)|(?:ok[äa\ufffd]nd|ukendt|ukjent) (?:mottagare|anv[äa\ufffd]ndare|modtager|mottaker|bruge?r|bruker)|(?:tuntematon|ei l[öo\ufffd]ydy) (?:vastaanottajaa?|k[äa\ufffd]ytt[äa\ufffd]j[äa\ufffd]{1,2})|(?:vastaanottajaa|k[äa\ufffd]ytt[äa\ufffd]j[äa\ufffd]{2}) ei (?:ole|l[öo\ufffd]ydy)',
    '(?:u[žz\ufffd]ivatel|p[řr\ufffd][íi\ufffd]jemce|adres[áa\ufffd]t|schr[áa\ufffd]nka|pou[žz\ufffd][íi\ufffd]vate[ľl\ufffd]|pr[íi\ufffd]jemca|adresa)(?: \\S{1,40}){0,2} neexistuje|nezn[áa\ufffd]m[ýy\ufffd] (?:u[žz\ufffd]ivatel|p[řr\ufffd][íi\ufffd]jemce|adres[áa\ufffd]t)|(?:nincs ilyen|ismeretlen) (?:felhaszn[áa\ufffd]l[óo\ufffd]|c[íi\ufffd]mzett|postafi[óo\ufffd]k|fi[óo\ufffd]k)|kullan[ıi\ufffd]c[ıi\ufffd](?: ad[ıi\ufffd])? bulunamad[ıi\ufffd]|b[öo\ufffd]yle bir kullan[ıi\ufffd]c[ıi\ufffd] yok',
    '(?:пользовател[ья]|получател[ья]|ящика?|адрес(?:ата?|а)?)(?: \\S{1,40}){0,2} (?:не (?:существует|найден)|неизвест|нет(?: |$))|нет тако(?:го|й) (?:пользовател|получател|ящик|адрес|уч[её]тн)|тако(?:го|й) (?:пользователя|получателя|ящика|адреса) нет|неизвестн(?:ый|ая) (?:пользователь|получатель|адрес)',
    '(?:用户|用戶|收件人|邮箱|郵箱|邮箱地址|账号|帐号|使用者)(?:名|地址)?(?:不存在|无效)|(?:没有|查无|无|無)此(?:用户|用戶|人|账号|帐号)|(?:사용자|수신자|받는 ?사람|계정|메일 ?주소)[^.]{0,12}(?:존재하지 않|없습니다|찾을 수 없)|(?:ユーザー?|宛先|アドレス|メールボックス).{0,10}(?:存在しま|存在しない|見つかりま|不明)',
  ].join('|'),
)

/** Complaints about the sender's list: bad recipients in the plural or by count. */
const HARVEST =
  /(?:volume|number|rate|ratio|percentage|amount|count|share) of (?:\S+ ){0,3}(?:invalid|unknown|non-?existe?nt|bad|undeliverable|inactive)\b|(?:sending|sent|sends?|mailing|mailed|mails) to (?:\S+ ){0,3}(?:invalid|unknown|non-?existe?nt|bad|undeliverable|inactive) (?:recipients|users|addresses|mailboxes|accounts)|(?:directory|dictionary|address|recipient)[ -]?(?:harvest|attack)/

/** Statements about the connecting host, its name, or a blocked host or domain, which say nothing about the recipient. */
const OUR_HOST = new RegExp(
  [
    "\\byour (?:own |mail |sending |smtp |mail ?server'?s? )?(?:host ?(?:name)?|server|domain(?: name)?|ip(?: address)?|dns|network|mta|system)\\b(?:(?!user|recipient|mailbox|account|address).){0,60}(?:not found|n[o'’]t exist|not exist|unknown|invalid|no such|not known|not resolve|unresolvable)",
    '(?:resolve|find|verify|look ?up|unknown|invalid|no such) (?:of |for |the )?your (?:own |mail |sending |smtp )?(?:host ?(?:name)?|server|domain(?: name)?|ip(?: address)?|dns|network|mta|system)\\b',
    "\\b(?:helo|ehlo)\\b.{0,80}(?:unknown|invalid|not found|not exist|n[o'’]t exist|resolve|no such|not known)|(?:unknown|invalid|not found|not exist|no such|bad)\\b.{0,40}\\b(?:helo|ehlo)\\b",
    "(?:sending|client|originating|connecting) (?:host ?(?:name)?|domain|server|ip|address|system|mta)\\b(?:(?!user|recipient|mailbox|account|address).){0,60}(?:not found|n[o'’]t exist|not exist|unknown|invalid|no such|not known|not resolve)",
    '\\bblocked\\b(?:(?!recipient).){0,20}\\b(?:host|domain)\\b',
  ].join('|'),
)

/** The sender's address or domain is refused, in the words for unknown recipients. */
const SENDER = new RegExp(
  [
    "(?:\\b(?:sender|originator|emetteur|émetteur|reverse[- ]path|return[- ](?:path|address)|reply(?:-to)? address|bounce address)\\b|\\byour (?:e-?mail |mail |return )?(?:address|account|mailbox)\\b)(?:'s)?(?: (?:e-?mail |mail )?(?:address|domain|mailbox|account))?(?: is| was| has| could)? (?:unknown|invalide?|blocked|rejected|refused|denied|empty|unverified|must (?:exist|resolve)|(?:does ?n[o'’]t|did not|not) (?:a )?(?:known|valid|found|exist|resolve|accepted|allowed|authorized|verified|pre-approved|registered|(?:listed|in)\\b)|no (?:mx|a|aaaa)\\b)",
    '(?:invalid|unknown|bad|unroute?able|non-?existent|unverified) (?:envelope |mail )?(?:sender|originator|return[- ]path|reverse[- ]path)\\b',
    '(?:resolve|verify|find) (?:the )?(?:domain of (?:the )?)?sender\\b|domain of (?:the )?sender(?: address)? (?:does|do|is|was|not|unknown)',
    // Apple's relay, for a sender who is not registered there.
    '\\bunauthori[sz]ed sender\\b',
    // QQ, Libero, GMX.
    '\\bdomain may not exist or dns|\\binvalid dns mx\\b|\\binvalid domain \\[\\d|\\bfrom: (?:domain is|address (?:does|is|was|not)\\b)',
  ].join('|'),
)

/** The sender's address is unknown, in the languages of UNKNOWN_USER, whose words otherwise fit it too. */
const SENDER_ABROAD = (() => {
  const sender =
    'absender|exp[ée\ufffd]diteur|remitente|remetente|mittente|afzender|nadawc|отправител|发件人|寄件[人者]|送信(?:者|元)|差出人|보낸 ?사람|발신자|avs[äa\ufffd]ndar|afsender|avsender|l[äa\ufffd]hett[äa\ufffd]j|odes[íi\ufffd]latel|odosielate[ľl\ufffd]|felad[óo\ufffd]|g[öo\ufffd]nderen'
  // A letter to us, which goes on about the recipient.
  const greeted = '(?:geehrter?|lieber?|cher|estimado|prezado|gentile|geachte|уважаемый) |尊敬的'
  const recipient =
    'empf(?:ae|[äa\ufffd])ng|destinat|geadresseerde|ontvanger|odbiorc|получател|收件|宛先|受信|받는|수신|mottagar|mottaker|modtager|vastaanottaj|p[řr\ufffd][íi\ufffd]jemc|c[íi\ufffd]mzett|al[ıi\ufffd]c[ıi\ufffd]'
  const unknown =
    'inconnu|inexist|n.existe p|introuvable|invalid|unbekannt|existiert|ung(?:ue|[üu\ufffd])ltig|nicht (?:gefunden|vorhanden|bekannt)|no (?:existe|(?:fue |se ha )?encontrad|v[áa\ufffd]lid)|desconocid|sconosciut|inesistent|non (?:esiste|trovat|valid)|desconhecid|n[ãa\ufffd]o (?:existe|(?:foi )?encontrad)|onbekend|bestaat niet|nie istnieje|nieznan|не (?:существует|найден)|неизвест| нет(?: |$)|不存在|无效|存在しま|存在しない|見つかりま|不明|존재하지|없습니다|찾을 수 없|neexistuje|nezn[áa\ufffd]m|ismeretlen|nincs|bulunamad|finns inte|existerar inte|ok[äa\ufffd]nd|(?:findes|finnes|eksisterer) ikke|ukendt|ukjent|tuntematon'
  return new RegExp(
    `(?<!${greeted})(?:${sender})(?:(?!${recipient}).){0,40}(?:${unknown})|(?:${unknown})\\p{L}{0,4} (?:${sender})`,
    'u',
  )
})()

/** Texts that blame the address and us at once, or that quote what another server said about the address. */
const EITHER_WAY =
  /undeliverable address: .{0,300}\bsaid:|\bor (?:\S+ ){0,3}(?:blocked|denied|refused|blacklisted)|\bspam\b|black ?list|block ?list|\breputation\b/

const NOT_THE_RECIPIENT = [EITHER_WAY, HARVEST, SENDER, SENDER_ABROAD]

/** Whether words in lower case are about the sender or our host, in which "not found" says nothing against the recipient. */
export function isAboutUs(words: string): boolean {
  return [SENDER, SENDER_ABROAD, OUR_HOST].some((pattern) => pattern.test(words))
}

/** RFC 3463: X.7.z is about security or policy, except the two codes of RFC 7293, which are about the mailbox. */
function isPolicy(status: string | null): boolean {
  return status?.startsWith('7.') === true && !/^7\.1[78]$/.test(status)
}

const WORDS: readonly (readonly [BounceCategory, RegExp, Condition?])[] = [
  // Gmail counts per IP, SPF domain or DKIM domain, and names it: no failed check.
  ['rate_limited', /detected an unusual rate of/, (_status, code) => code < 500],
  ['reputation', /detected an unusual rate of/],
  // Gmail's X.7.29 also says "rate limited" and "bulk email".
  ['policy', /(?:n[o'’]t|not) sent over a (?:tls|secure|encrypted) connection/],
  // Postfix's own tables failed, such as a database of mailboxes: not the DNS.
  ['unknown', /\b4\.3\.0 : temporary lookup (?:failure|error)/],
  // Failed authentication: RFC 7208, 6376, 9989, and the reverse DNS that all large receivers require. Comes before everything
  // else, because these texts also say "policy", "blocked" and "spam".
  [
    'authentication',
    /\bdmarc\b|\bdkim\b|\bspf\b|sender policy framework|domainkeys|unauthenticated (?:email|mail|sender)|does ?n[o'’]t (?:meet|pass) (?:the )?(?:\S+ )?authentication|authentication (?:checks?|information) .{0,20}(?:fail|not|did)|\bptr\b|reverse[ -](?:dns|lookup|ip)|(?:no|missing|invalid|without) (?:a )?rdns|forward[- ]confirmed|\bfcrdns\b|\bip name lookup failed|cannot (?:find|resolve) your (?:hostname|reverse)|client host rejected: cannot find your/,
  ],
  // Microsoft's directory-based edge blocking: an unknown recipient. With 5.7.1, the same words come from a Postfix access map.
  ['invalid_recipient', /recipient address(?:es)? rejected ?: access denied/, (status) => status === '4.1'],
  // Facebook: the person accepts no mail from outside. GMX and AOL: their texts resemble those for an unknown recipient.
  [
    'policy',
    /rcp-p[23]\b|recipient preferences|mailbox unavailable(?!.{0,40}limit).{0,40}explanation visit|aol will not accept delivery|suspected bounce attack/,
  ],
  // Codes of Yahoo and Apple; their texts link to pages about reputation.
  ['policy', /\[(?:ph|cs|hm)[0-9]{2}\]/],
  ['mailbox_full', /too many messages (?:on|in) (?:this|the) (?:mailbox|server)/],
  // Rate limits come before reputation, because they pass with time.
  [
    'rate_limited',
    /too many (?:connections|messages|recipients|concurrent|sessions|spams?|emails|mails|mail|requests|errors|invalid|unknown|rcpt|deliveries|smtp|simultaneous)|rate[- ]?limit|throttl|(?:exceeded|over|exceeds|hit)(?: \S+){0,4} (?:rate|hourly|daily|sending limit|message limit|connection limit|frequency)|limit exceeded.{0,40}(?:hour|minute|day|connection)|\b(?:ip|connection|domain|sender) frequency limited|unexpected volume|unusual rate|send(?:ing)? (?:rate|limit|quota)|too fast|slow down|server (?:is )?(?:too )?busy|try again (?:in \d|later.{0,20}grey)|temporarily (?:deferred|rate|rejected|blocked|limited)|\[tss?0[1-9]\](?!.{0,120}permanently)|\bofr(?:00)?4_?10[4-9]|mail flood|recipient limit|rp:(?:[qt]rc|rcl)\b|(?:messages|e?-?mails|recipients|connections) (?:per|an|each|in an?|in one) (?:second|minute|hour|day)\b|rl0000/,
    (status, code) => code < 500 || status === null || ['4.5', '5.3', '7.0', '7.1'].includes(status),
  ],
  // Gmail also says it with 5.2.1, which is final for this mail.
  ['rate_limited', GREYLISTING],
  ['rate_limited', /receiving mail (?:at a rate|too quickly)/],
  ['reputation', HARVEST],
  ['protocol', /too many hops|hop count exceeded|(?:mail|mail forwarding|routing) loop|loops? back to/],
  // Blocklists and reputation codes.
  [
    'reputation',
    /\((?:con|rly|dyn|hvu|ip):[a-z]{0,3}\d{0,2}\)|spamhaus|spamcop|sorbs|barracudacentral|\bbrbl\b|uceprotect|abusix|senderscore|sender ?score|proofpoint\.com\/\?ip|ipcheck|cloudmark|invaluement|gbudb|mailspike|spameatingmonkey|trendmicro\.com|\bsbrs\b|\bcbl\b|\b(?:dns)?rbls?\b|\bhl:i[a-z]{2}\b|\bmi:ipb\b|\bdnsbls?\b|bad outbound sender|traffic not accepted from this ip|\bxbl\b|\bpbl\b|black[- ]?list|block[- ]?list|deny[- ]?list|block(?:ed)? (?:using|by) \S+\.\S+|\(s3[0-9]{3}\)|\bs31[45]0\b|\b(?:dy|ou|sc)-00[1-9]\b|\[bl[0-9]{2}\]|\[ts0[23]\]|\bofr_?(?:506|305)|\breputation\b|poor sender|banned sending ip|banned sender ?\[|dynamic (?:ip|address)|residential|dial-?up|ht204137|high (?:volume|number) of (?:spam|complaints)|user complaints|a problem occurred.{0,60}tosa@|\btosa\b|ask your postmaster|your (?:ip|server|network|host)\b.{0,60}(?:block|banned|listed|reject|refus|den[iy])|(?:ip|network|host)(?: address)?\b.{0,40}(?:blocked|banned|is listed|not allowed)|\d{1,3}(?:\.\d{1,3}){3}\]? (?:has been|is) (?:temporarily )?blocked|connections will not be accepted|(?:connections?|mail) from your (?:ip|host|server)|forbidden (?:by|for|from) your ip|unsolicited (?:mail|email) originating from your/,
  ],
  // The message itself.
  [
    'content_rejected',
    /\bspam(?:my|ming|assassin)?\b|spam(?:-like| message| content| score| detected)|\bvirus\b|\bmalware\b|phish|unsolicited|\bbulk (?:mail|email)\b|content (?:rejected|denied|filter|presents|not allowed|restriction|policy|scan)|rejected (?:due to|because of|by) (?:its |the |message )?(?:content|body|attachment|url)|message (?:body|content).{0,40}(?:reject|block|not acceptable)|(?:attachment|executable|file type|\.exe)\b.{0,60}(?:not (?:allowed|permitted)|block|reject|prohibit)|potential(?:ly)? (?:security|dangerous|harmful|executable)|suspicious|\bsurbl\b|\buribl\b|\b(?:dt|mi):s[a-z]{2}\b|\bspm 163\b|\bjunk\b|垃圾[邮郵]件|[邮郵]件内容.{0,6}(?:拒|违规)|mcspamsignature|ct signature|infected|bad header|message (?:looks|appears) (?:like|to be)|(?:invalid|bad|malformed|illegal) (?:address|recipient|domain|syntax) in (?:the |your )?(?:\S{1,20} header|reply-?to)\b|header .{0,30}(?:missing|invalid|not rfc|malformed|duplicate)|not rfc ?(?:2822|5322|822) compliant|rfc ?(?:2822|5322) (?:violation|section|specifi)/,
  ],
  [
    'mailbox_full',
    /mailbox (?:is |was |has )?(?:full|over|exceed)|mailbox (?:size|storage) limit (?:has been |was |is )?(?:exceeded|reached)|hat zu ?viele mails|(?:postfach|mailbox)(?: \S+){0,2} voll|(?:buz[oó]n|casilla)(?: \S+){0,4} llen[oa]|casella(?: \S+){0,3} piena|caixa(?: \S+){0,3} cheia|(?:ящик|mailbox) переполнен|[邮郵]箱(?:已[满滿]|容量)|メールボックス.{0,8}(?:いっぱい|容量|満杯)|(?:메일함|사서함|편지함).{0,10}(?:가득|초과|꽉)|skrzynka(?: \S+){0,3} (?:prze|za)?pe[łl\ufffd]niona|skrzynka(?: \S+){0,2} pe[łl\ufffd]na|postbus(?: \S+){0,2} vol\b|(?:postl[åa\ufffd]dan|brevl[åa\ufffd]dan|inkorgen)(?: \S+){0,2} full|schr[áa\ufffd]nka(?: \S+){0,2} pln[áa\ufffd]|posta kutusu(?: \S+){0,2} dolu|(?:over|exceed(?:s|ed|ing)?|above|out of|is over|reached)(?: \S+){0,4} (?:quota|storage|disk ?space|mailbox size|allocation)|quota (?:is )?(?:exceed|full|reached|violation|limit)|(?:mailbox|recipient|user|account|inbox)(?: \S+){0,3} (?:is )?(?:over ?quota|overquota|full)|insufficient (?:disk|storage|mailbox|system storage|quota)|not enough (?:storage|space|disk)|no space left|storage (?:allocation|quota|limit)|out of storage|mailfolder is full|quota is over|space (?:has |is |has been )?used up|overdrawn (?:\S+ )?disk|\bdisk full\b|not able to receive any more|mail ?file size exceeds|error writing message: file too large|larger than the space available|bo(?:ite|îte) (?:aux lettres )?pleine|quotaexceeded/,
    (_status, code) => code !== 421,
  ],
  [
    'message_too_large',
    /(?:message|mail|msg|size|email|attachment)(?: \S+){0,5} (?:too (?:big|large|long)|exceed(?:s|ed|ing)?(?: \S+){0,4} (?:limit|maximum|size|length|fixed)|is larger than)|(?:maximum|max) (?:message |mail )?size|exceeds? (?:the )?(?:maximum )?(?:message )?size|too large (?:message|mail)|recipsizelimit|size limit/,
    (status, code) => code >= 500 && status !== '2.2',
  ],
  [
    'inactive_mailbox',
    /(?:account|mailbox|user|address|recipient|email|service)(?: \S+){0,6} (?:disabled|inactive|suspended|deactivated|not active|locked|frozen|dormant|expired|discontinued|closed|administratively|(?:not|not been) activated|due to inactivity|currently suspended)|\b(?:is|was) currently suspended|\bmail receiving disabled|no recipient activity|long[- ](?:time|term) inactivity|suspend the service|(?:disabled|inactive|suspended|deactivated|locked|frozen) (?:email |e-mail |mail |user )?(?:account|mailbox|user|address|recipient)|temporarily (?:disabled|inactive)|(?:address|mailbox|account) no longer accepts (?:e-?)?(?:mail|messages)|(?:konto|postfach)(?: \S+){0,3} (?:deaktiviert|gesperrt|stillgelegt)|(?:compte|bo[iî\ufffd]te)(?: \S+){0,3} (?:d[ée\ufffd]sactiv[ée\ufffd]e?|suspendue?|bloqu[ée\ufffd]e?)|(?:cuenta|conta|buz[oó\ufffd]n|caixa)(?: \S+){0,3} (?:desactivad[oa]|desativad[oa]|deshabilitad[oa]|suspendid[oa]|suspensa|bloquead[oa])|casella(?: \S+){0,3} (?:disattivata|sospesa|disabilitata)|(?:ящик|пользователь|аккаунт|уч[её]тная запись)(?: \S+){0,2} (?:заблокирован|отключ[её]н|деактивирован)|(?:账号|帐号|账户|用户|[邮郵]箱)已?被?(?:停用|禁用|冻结|锁定|注销)/,
  ],
  // After DATA, although the recipient was accepted: about the order of commands, not about the address.
  ['protocol', /no valid recipients/, (status) => status === '5.1'],
  [
    'policy',
    /not (?:allowed|permitted|authorized) to (?:send|post|write|mail)\b/,
    (status) => status === null || isPolicy(status),
  ],
  // Says neither yes nor no about the address.
  [
    'policy',
    /mailbox unavailable or access denied|(?:unknown|invalid|not found) or (?:\S+ ){0,3}(?:blocked|denied|refused|accepting)/,
  ],
  // About the sender's address, in the words used for unknown recipients. Exim's "Callout verification failed" is about the
  // recipient; the reply that it quotes tells the cause.
  [
    'policy',
    /(?:sender|from|envelope|return[- ]path|mail from)(?: \S+){0,3} (?:address )?(?:\S+ )?(?:rejected|refused|unknown|invalid|verify|verification|does not exist|not (?:found|exist|accepted|allowed|authorized|verified)|denied|has (?:a )?null ?mx)|sender verify failed|unrouteable sender|callout(?! verification failed)/,
  ],
  ['policy', /not (?:\S+ ){0,2}(?:in|on) (?:\S+ ){0,2}(?:white|allow|safe|contact)[- ]?list/],
  ['policy', SENDER],
  ['policy', SENDER_ABROAD],
  ['policy', OUR_HOST],
  [
    'bad_domain',
    /(?:host|domain)(?: name)?(?: \S{1,80})? (?:not found|does ?n[o'’]t exist|unknown|is invalid|not exist)|(?:unknown|invalid|no such|nonexistent|bad destination) (?:host|domain)|unrouteable (?:mail )?domain|null ?mx|domain (?:does not|doesn.t) (?:accept|receive) (?:e?mail|any)|unable to (?:route|lookup)|name or service not known|nxdomain|recipient address rejected: domain not found|(?:^|\s)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,9} does not exist/,
    // X.7.z and the sender's X.1.7 and X.1.8 are about us; with X.4.3 or X.4.4, the receiver itself cannot route the mail on.
    (status, code) => code >= 500 && (status === null || !/^(?:7\.|1\.[78]$|4\.[34]$)/.test(status)),
  ],
  [
    'policy',
    /relay(?:ing)? (?:access )?(?:is )?(?:denied|not (?:permitted|allowed)|prohibited)|unable to relay|not (?:permitted|allowed|authorized) to relay|(?:isn't|is not|not) in my list of allowed|we do not relay|authentication required|authrequired|notauthorized|(?:server )?requires? authentication|must (?:issue a )?starttls|tls (?:is )?required|encryption (?:is )?required|require(?:s)? (?:tls|encryption)/,
  ],
  // "Blocked for unknown users": the sender is blocked, not the address.
  ['policy', /\bblocked\b|\bbanned\b/, (status, code) => code >= 500 && isPolicy(status)],
  ['policy', /for policy reasons|(?:does|do) not accept (?:e?-?mails?|messages) from\b/],
  // Their own look-up failed.
  ['unknown', /\b(?:ldap|database|backend|internal)(?: \S+)? (?:error|fail)/, (status) => status === null],
  ['invalid_recipient', UNKNOWN_USER],
  [
    'policy',
    /mailbox (?:is )?(?:unavailable|not available)\b.{0,80}\b(?:blocked|policy|not permitted|your (?:ip|server))\b/,
  ],
  // RFC 5321's own words for 550. Receivers that refuse us say so, which the rules above catch.
  [
    'invalid_recipient',
    /mailbox (?:is )?(?:unavailable|not available)|recipient (?:address )?(?:is )?(?:unavailable|rejected\.?$)/,
    (status, code) =>
      code === 550 && (status === null || status.startsWith('1.') || status === '5.0' || status === '5.1'),
  ],
  [
    'policy',
    /\bpolic(?:y|ies)\b|\bprohibited|not (?:authorized|permitted|allowed|accepted|welcome)|administrative|access (?:is )?denied|blocked|rejected by|refused by|restricted|denied by|message (?:was )?(?:refused|rejected|denied|blocked|not accepted)|dd requested mail action aborted|mail reject|delivery not authorized|security|\b(?:helo|ehlo)\b.{0,60}(?:reject|invalid|refus|required|fully)|(?:members|subscribers)(?:[ -]only| may post)|not subscribed to|organizational settings|with attachments|other attachments|mismatches client ip|smtp server of your (?:isp|provider)|unresolvable relay host|allowed to post|connection denied|zugriff verweigert|acc[eè]s refus[eé]|acceso denegado|accesso negato|acesso negado|доступ запрещ[её]н|拒绝访问|拒收/,
    (status) => status === null || !/^[1-6]\./.test(status),
  ],
  [
    'dns_failure',
    /dns (?:error|failure|lookup|timeout|problem|query)|(?:lookup|name service|resolution) (?:fail|error|tempor)|temporary lookup/,
  ],
  // Microsoft's 5.4.316.
  ['connection', /message expired,? connection/],
  [
    'expired',
    /(?:delivery|queue) (?:time )?expired|retry time(?:out)? (?:exceeded|not reached)|could not be delivered for|message expired|been in the queue too long/,
  ],
  [
    'connection',
    /connection (?:timed out|refused|reset|dropped|closed|lost)|timed out|timeout|unreachable|no route to host|closing (?:connection|transmission|link)|service (?:is )?(?:not available|unavailable)|lost connection/,
    (status, code) => code < 500 || status === null || status.startsWith('4.'),
  ],
]

/** By subject and detail; the reply code determines the class. */
const STATUSES: Readonly<Record<string, BounceCategory>> = {
  '1.0': 'invalid_recipient',
  '1.1': 'invalid_recipient',
  '1.2': 'bad_domain',
  '1.3': 'invalid_recipient',
  '1.6': 'invalid_recipient',
  '1.7': 'policy', // the sender's address, as is 1.8
  '1.8': 'policy',
  '1.9': 'protocol',
  '1.10': 'bad_domain', // RFC 7505
  '1.90': 'rate_limited', // Microsoft: daily limit of recipients
  '2.0': 'inactive_mailbox',
  '2.1': 'inactive_mailbox',
  '2.2': 'mailbox_full',
  '2.3': 'message_too_large',
  '2.4': 'policy',
  '2.121': 'rate_limited', // Microsoft: hourly limit of a recipient
  '2.122': 'rate_limited',
  '3.1': 'mailbox_full',
  '3.2': 'rate_limited',
  '3.4': 'message_too_large',
  '4.0': 'connection',
  '4.1': 'connection',
  '4.2': 'connection',
  '4.3': 'dns_failure',
  '4.4': 'dns_failure',
  '4.5': 'rate_limited',
  '4.7': 'expired',
  '4.310': 'bad_domain', // Microsoft: the DNS domain does not exist
  '4.312': 'dns_failure',
  '4.316': 'connection',
  '5.3': 'rate_limited',
  '6.0': 'content_rejected',
  '6.1': 'content_rejected',
  '6.2': 'content_rejected',
  '7.5': 'policy',
  '7.7': 'authentication',
  '7.8': 'authentication',
  '7.9': 'policy', // Yahoo's for "policy reasons"
  '7.17': 'invalid_recipient', // RFC 7293: the mailbox has a new owner
  '7.18': 'invalid_recipient',
  '7.20': 'authentication', // RFC 7372: 20 to 26
  '7.21': 'authentication',
  '7.22': 'authentication',
  '7.23': 'authentication',
  '7.24': 'authentication',
  '7.25': 'authentication',
  '7.26': 'authentication',
  '7.27': 'authentication', // RFC 7505: our domain has a null MX; Gmail: SPF
  '7.28': 'rate_limited',
  '7.29': 'policy', // Gmail: without TLS
  '7.30': 'authentication', // Gmail: DKIM; RFC 8689: REQUIRETLS
  '7.32': 'authentication',
  '7.40': 'authentication',
  '7.509': 'authentication', // Microsoft: DMARC
  '7.515': 'authentication',
}

function categoryOfStatus(status: string, code: number): BounceCategory | null {
  if (status === '7.28' && code >= 500) return 'reputation'
  // RFC 7504: a host that never takes mail. Permanent, so no rate limit, and no proof about the address.
  if (status === '3.2' && code >= 500) return 'unknown'
  const named = STATUSES[status]
  if (named !== undefined) return named
  const [subject = '', detail = '0'] = status.split('.')
  if (subject === '5') return 'protocol'
  if (subject === '6') return 'protocol'
  if (subject === '4') return 'protocol' // loops
  if (subject !== '7') return null
  const number = Number(detail)
  if (number >= 500 && code < 500) return 'rate_limited' // Microsoft: 4.7.500 to 4.7.699, "server busy"
  // Microsoft: 5.7.606 to 5.7.649 banned sending IP, 5.7.708 sending IP of low reputation, 5.7.511 banned sender.
  return (number >= 606 && number <= 649) || number === 708 || number === 511 ? 'reputation' : 'policy'
}

function categoryOfCode(code: number, command: SmtpCommand): BounceCategory {
  if (code === 421) return 'connection'
  if (code === 452) return 'rate_limited'
  if (code >= 500 && code <= 504) return 'protocol'
  if (code === 530 || code === 534 || code === 535 || code === 538) return 'authentication'
  if (code === 551 && command === 'rcpt') return 'invalid_recipient'
  if (code === 552) return command === 'rcpt' ? 'mailbox_full' : 'message_too_large'
  if (code === 556 && command === 'rcpt') return 'bad_domain' // RFC 7504
  return 'unknown'
}
