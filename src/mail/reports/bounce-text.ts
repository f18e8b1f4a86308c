// Reads bounces in prose: from mailers that do not support RFC 3464, and the prose beside a report that says too little.
//
// First it cuts off the returned message, which we or our sender wrote and which says nothing about the bounce. Then it
// takes, for each recipient named, the quoted reply of the receiver if there is one, else the mailer's own words around
// the address. It reads at most 2,000 lines of 1,000 characters.

import { commandIn } from './dsn.ts'
import type { ReportedRecipient } from './result.ts'
import { quotedReply, verdictOf } from './words.ts'

const LINES_MOST = 2_000
const LINE_CHARS = 1_000
const RECIPIENTS_MOST = 100
const WORDS_CHARS = 2_000
const REPLY_LINES = 12

// Where the returned message begins.
const RETURNED = new RegExp(
  [
    '^[\\s>*=_-]{0,80}(?:this is a copy of|below this line|(?:the )?(?:un(?:sent|delivered)|returned|original|bounced|failed|your) (?:message|mail|e-mail)(?: \\S+){0,3}(?:$|[\\s:.=*-]{2,}|follows?|below|headers?|text|attached)|message (?:headers? (?:follows?|below)|header$|text follows|contents?:)|(?:the )?headers? (?:of (?:the|your)|from the) (?:original|message)|rfc ?822 (?:header|text)|included is a copy|(?:a |here is a |below is a )?copy of (?:the|your) (?:original |returned )?(?:message|mail|e-mail)|original (?:mail|message) (?:as )?follows|(?:start|body|begin|beginning) of (?:returned|original|undelivered|your) |forwarded message|(?:the )?(?:first|following) .{0,40} (?:lines|kb|bytes) of (?:the )?(?:original|your|message)|-{3,} ?original|message from .{0,40} begins)',
    '^(?:received|return-path|dkim-signature|arc-seal|x-received|mime-version|message-id|x-mailer|delivered-to|domainkey-signature): ?\\S',
    '^content-type: ?message/rfc822',
    '原文|元のメッセージ|^[-\\s]{3,}(?:下記|以下).{0,40}(?:原文|メール)',
  ].join('|'),
  'i',
)

const ADDRESS = /[^\s<>()[\]{}"'`,;:：，*=]{1,64}@(?:[\w-]{1,63}\.){0,10}[\w*-]{1,63}/
// A line that opens a block about one recipient: the address, optionally in brackets, optionally followed by words.
const OPENS =
  /^[\s>*\-\u2022"'(]{0,20}(?:[45]\d\d (?:[45]\.\d\.\d )?(?=<))?(?:(?:(?:final[- ]|original[- ]|failed |intended )?(?:recipients?|addressee|address)(?: address)?|empf(?:ä|ae)nger|destinataire|destinatario|destinatário|получатель|收件人|to|rcpt to|for|user|error delivering to|undeliverable to|mail to|mailto)(?=[\s:：<"'(])\s{0,3}(?:[:：]|is|was)?\s{0,3})?[<"'(]{0,3}(?:mailto:|smtp:|rfc822;)?([^\s<>()[\]{}"'`,;:：，*=]{1,64}@[\w.*-]{1,255})[>"')]{0,3}/i
const SENDERS = /\bfrom\b|\bsender\b|return-path|reply-to|postmaster@|contact|help/i

/** The lines that the reporting person or mailer wrote, without the returned message. */
export function prose(text: string): string[] {
  const lines: string[] = []
  for (const line of text.split('\n', LINES_MOST)) {
    const kept = line.slice(0, LINE_CHARS).trimEnd()
    // A mailer may open with fields of the original ("Your message / Subject: x"), so nothing is cut before the first words.
    if (RETURNED.test(kept) && lines.some((one) => /[a-z]{3}.{5}|[^\x00-\x7f]{4}/i.test(one))) break
    lines.push(kept)
  }
  return lines
}

/** Whether the prose ended at the returned message rather than at the line limit. */
export function isCutAtReturned(text: string, lines: readonly string[]): boolean {
  return lines.length < text.split('\n', LINES_MOST).length
}

/**
 * @param failed addresses from a header (X-Failed-Recipients), used when the text gives no diagnostic for any address
 * @returns one entry for each recipient the text reports; else a single one for the whole text, address null if none is found
 */
export function readProse(lines: readonly string[], failed: readonly string[]): readonly ReportedRecipient[] {
  const blocks = blocksOf(lines)
  const found: ReportedRecipient[] = []
  for (const block of blocks) {
    if (found.length >= RECIPIENTS_MOST) break
    const others = blocks.filter(({ address }) => address !== block.address)
    const recipient = readBlock(block.address, { ...block, others }, lines)
    const known = found.findIndex(({ address }) => address === recipient.address)
    if (known < 0) found.push(recipient)
    else if (isMoreInformative(recipient, found[known])) found[known] = recipient
  }
  const informative = found.filter(({ diagnostic }) => diagnostic !== null)
  if (informative.length > 0) return informative
  const whole = { lines, start: 0, others: [] }
  return [readBlock(failed[0] ?? found[0]?.address ?? firstAddress(lines), whole, lines)]
}

function isMoreInformative(one: ReportedRecipient, other: ReportedRecipient | undefined): boolean {
  if (other === undefined || other.smtpCode === null)
    return one.smtpCode !== null || other?.verdict.category === 'unknown'
  return other.verdict.category === 'unknown' && one.smtpCode !== null
}

interface Block {
  readonly address: string
  readonly lines: string[]
  /** Index of the first of these lines in the whole text. */
  readonly start: number
}

function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let current: Block | null = null
  let empty = 0
  for (const [start, line] of lines.entries()) {
    empty = line.trim() === '' ? empty + 1 : 0
    const address =
      SENDERS.test(line.split('@', 1)[0] ?? '') || /^[\s>]*<<</.test(line) ? undefined : OPENS.exec(line)?.[1]
    if (address !== undefined && address.toLowerCase() !== current?.address) {
      current = { address: address.toLowerCase(), lines: [], start }
      if (blocks.push(current) > RECIPIENTS_MOST * 2) break
    }
    if (current !== null && empty < 3) current.lines.push(line)
  }
  return blocks
}

function firstAddress(lines: readonly string[]): string | null {
  for (const line of lines) {
    const found = SENDERS.test(line) ? null : ADDRESS.exec(line)
    if (found !== null) return found[0].toLowerCase()
  }
  return null
}

interface BlockText extends Pick<Block, 'start'> {
  readonly lines: readonly string[]
  /** Blocks about other addresses. */
  readonly others: readonly Block[]
}

/** The lines with the first `count(block)` lines of each block emptied. */
function blanked(
  lines: readonly string[],
  blocks: readonly Block[],
  count: (block: Block) => number,
): readonly string[] {
  const kept = [...lines]
  for (const block of blocks) kept.fill('', block.start, block.start + count(block))
  return kept
}

function readBlock(
  address: string | null,
  { lines, start, others }: BlockText,
  all: readonly string[],
): ReportedRecipient {
  const own = quotedIn(all, start, start + lines.length)
  // A reply elsewhere in the text may belong to another recipient. The block's own words come first, then a reply outside
  // all other blocks, then one inside them. A reply in the line that names another recipient belongs only to that one.
  const isExplained =
    others.length > 0 &&
    verdictOf({ words: wordsOf(lines), reply: null, status: null, command: null }).verdict.category !== 'unknown'
  const elsewhere = (without: (block: Block) => number): Quoted | null =>
    quotedIn(blanked(all, others, without), 0, all.length)
  const quoted = own ?? (isExplained ? null : (elsewhere((block) => block.lines.length) ?? elsewhere(() => 1)))
  const isMute =
    wordsOf(lines)
      .replace(ADDRESS, '')
      .search(/[^\W\d_]|[^\0-\x7f]/) < 0
  const ownLines = isMute ? all : lines
  const words = quoted?.text ?? wordsOf(ownLines)
  const reply = quoted === null ? null : quotedReply(quoted.text)
  const command = quoted?.command ?? commandIn(words)
  const { smtpCode, enhanced, verdict } = verdictOf({
    words: reply?.words ?? words,
    reply,
    status: null,
    command,
    isStated: quoted === null && ownLines.some(statesUnknown),
  })
  const diagnostic = words === '' ? null : words
  const remote = { remoteHost: hostIn(lines), remoteIp: null }
  return { address, action: 'failed', smtpCode, enhanced, diagnostic, command, ...remote, verdict }
}

/** Whether a line says only "user unknown" or the like, after an optional address or heading. Items of a list do not count. */
function statesUnknown(line: string): boolean {
  const sentence = line.slice(line.lastIndexOf(': ') + 1).replace(ADDRESS, '')
  return (
    !/^\s*(?:[-*\u2022]|\d{1,2}[.)])\s/.test(line) &&
    /^[\s<>"'(:]{0,9}(?:(?:user|recipient|mailbox|addressee) (?:is )?(?:unknown|not found)|(?:unknown|no such) (?:user|recipient|mailbox))[\s<>"').!]{0,9}$/i.test(
      sentence,
    )
  )
}

interface Quoted {
  readonly text: string
  readonly command: ReportedRecipient['command']
}

/** The refusal quoted in these lines, with its continuation lines. Prefers a 5xx to a 4xx, and one with words to one without. */
function quotedIn(lines: readonly string[], from: number, to: number): Quoted | null {
  let best: { readonly index: number; readonly rank: number } | null = null
  for (let index = from; index < to; index++) {
    const line = lines[index] ?? ''
    if (!/[45]\d\d/.test(line) || /^[\s>]*>>>/.test(line)) continue
    const reply = quotedReply(line.trim())
    if (reply === null) continue
    const empty = /503|bad sequence|need rcpt|no valid recipients/i.test(line)
    const wordless = !/[a-z]{2}|[^\0-\x7f]/i.test(reply.words)
    const rank = (reply.code >= 500 ? 2 : 1) - (empty ? 1.5 : 0) - (wordless ? 0.5 : 0)
    if (best === null || rank > best.rank) best = { index, rank }
  }
  if (best === null) return null
  const { index } = best
  const text = [lines[index] ?? '']
  const code = /[45]\d\d/.exec(lines[index] ?? '')?.[0] ?? ''
  for (const line of lines.slice(index + 1, Math.min(to, index + REPLY_LINES))) {
    if (/^[245]\d\d[ -]/.test(line) && !line.startsWith(code)) break
    if (/^\s*$|^\s*(?:>>>|<<<|---|===|\*\*\*)|^\s*<?[^\s<>@]{1,64}@[\w.-]{1,255}>?:?\s*$/.test(line)) break
    text.push(line.trim().replace(/^[<>\s]{1,8}/, ''))
  }
  const before = lines.slice(Math.max(0, index - 4), index).toReversed()
  const command = commandIn(text.join(' ')) ?? before.map(commandIn).find((command) => command !== null) ?? null
  return { text: text.join(' ').trim().slice(0, WORDS_CHARS), command }
}

/** Courtesy lines, which mention causes only in general. */
const POLITE =
  /^(?:hi\b|hello|dear|this (?:message|e-?mail|mail) (?:was|is|has been) (?:created|generated|an auto)|this is an auto|this is the |i'm afraid|a message that you|recipients\. this is|please (?:do not|don't|note)|for (?:further|more)|if you (?:have|need|believe)|you (?:do not|don't) need|received:|reporting-mta:|to resend)/i

function wordsOf(lines: readonly string[]): string {
  const kept = lines.filter((line) => line.trim() !== '' && !POLITE.test(line.trim()))
  const cause = kept.findIndex((line) =>
    /(?:because|reasons?|error|cause|diagnos|details|explanation|grund|motif|motivo)\b.{0,30}[:：]/i.test(line),
  )
  const from = cause < 0 ? kept : kept.slice(cause)
  return from
    .join(' ')
    .replace(/\s{2,}/g, ' ')
    .trim()
    .slice(0, WORDS_CHARS)
}

function hostIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    const host =
      /(?:^|\s)(?:host|by|to|from|talking to|with|remote[- ](?:mta|host|system)[:;]?(?: dns;)?)\s{1,3}([\w-]{1,63}(?:\.[\w-]{1,63}){1,9})\.?(?=[\s[(:,]|$)/i.exec(
        line,
      )
    if (host?.[1] !== undefined && host[1].length <= 255) return host[1].toLowerCase()
  }
  return null
}
