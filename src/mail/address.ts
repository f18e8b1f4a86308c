// The only address parser, so that policy checks exactly what is sent (RFC 5321 section 4.1.2, RFC 5322 section 3.4,
// RFC 6531).
//
// An address is `local@domain`, where the domain is a host name of at least two labels. The parser refuses everything that
// software downstream may read differently: comments, groups, routes, domain literals, obsolete white space around dots,
// encoded words inside an address, a trailing dot, and the other full stops that UTS 46 would map to ".". A quoted local
// part is legal and stays as written; `%` and `!` in a local part have no special meaning.
//
// The normal form has the domain as lower-case A-labels. Suppression compares the whole address case-folded and without
// unneeded quotes: receivers nearly always do the same, and mailing someone who opted out is worse than sending one mail
// too few.
//
// Work is linear in the length of the text. Texts longer than the limits below are refused unread.

import tr46 from 'tr46'

declare const brand: unique symbol

/** `local@domain` in normal form. Only `parseAddress` creates it. */
export type EmailAddress = string & { readonly [brand]: 'EmailAddress' }
/** A host name as lower-case A-labels, at least two, no trailing dot. Only `parseDomain` creates it. */
export type DomainName = string & { readonly [brand]: 'DomainName' }

export interface Address {
  readonly address: EmailAddress
  /** As written: case and quotes are kept. */
  readonly local: string
  readonly domain: DomainName
  /** For display; equal to `domain` when that is plain ASCII. */
  readonly unicodeDomain: string
  /** The local part is not ASCII: only a server that offers SMTPUTF8 can take this address (RFC 6531). */
  readonly smtpUtf8: boolean
}

export interface Mailbox {
  /** Empty when the text has no display name. */
  readonly name: string
  readonly address: Address
}

export type AddressFault =
  | 'empty'
  | 'too_long'
  | 'forbidden_character'
  | 'missing_at'
  | 'comment'
  | 'group'
  | 'route'
  | 'encoded_word'
  | 'domain_literal'
  | 'single_label_domain'
  | 'invalid_domain'
  | 'local_part_too_long'
  | 'invalid_local_part'
  | 'more_than_one'
  | 'invalid_mailbox'

/** What a person reads after "is not an email address: ". */
export const FAULT_WORDS: { readonly [fault in AddressFault]: string } = {
  empty: 'it is empty',
  too_long: 'it is too long',
  forbidden_character: 'it contains a character that is not allowed',
  missing_at: 'it has no @',
  comment: 'it has a comment in parentheses',
  group: 'it is a group of addresses',
  route: 'it has a source route',
  encoded_word: 'it has an encoded word',
  domain_literal: 'an IP address stands in place of the domain',
  single_label_domain: 'the part after the @ has no dot',
  invalid_domain: 'the part after the @ is not a domain',
  local_part_too_long: 'the part before the @ has more than 64 bytes',
  invalid_local_part: 'the part before the @ is not valid',
  more_than_one: 'there is more than one (a name with a comma needs quotes)',
  invalid_mailbox: 'it is not of the form Name <address>',
}

export interface Refused {
  readonly ok: false
  readonly reason: AddressFault
}

/** In octets (RFC 5321 section 4.5.3.1). A path has at most 256, two of which are the angle brackets. */
const LOCAL_BYTES = 64
const ADDRESS_BYTES = 254
const DOMAIN_BYTES = 253
const LABEL_BYTES = 63
/** Longest texts that are read, in characters. A name of 253 A-label octets takes at most four UTF-8 octets for each. */
const DOMAIN_TEXT = 1_024
const ADDRESS_TEXT = LOCAL_BYTES + 1 + DOMAIN_TEXT
const NAME_TEXT = 998
const MAILBOX_TEXT = ADDRESS_TEXT + 2 * NAME_TEXT
/** Header blocks are read up to 64 KB, so no list is longer. */
const LIST_TEXT = 65_536

const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+"
const DOT_ATOM = new RegExp(`^${ATEXT}(?:\\.${ATEXT})*$`, 'u')
/** RFC 5321 section 4.1.2: Quoted-string with qtextSMTP and quoted-pairSMTP, non-ASCII by RFC 6531 section 3.3. */
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\u{10ffff}]|\\[\x20-\x7e])*"$/u
/** Controls (C0, DEL, C1), line separators, lone surrogates, invisible and directional characters, all spaces but U+0020. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u
/** For display names, where joiners and directional marks are legitimate. Allows tabs as white space. */
const UNFIT_NAME = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\p{Cs}]/u
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ASCII = /^[\0-\x7f]*$/
const OTHER_FULL_STOPS = /[\u3002\uff0e\uff61]/

/** @returns the address in normal form, or why the text is not an address. Never throws. */
export function parseAddress(text: string): { readonly ok: true; readonly address: Address } | Refused {
  if (text.length === 0) return refuse('empty')
  if (text.length > ADDRESS_TEXT) return refuse('too_long')
  if (UNFIT.test(text)) return refuse('forbidden_character')
  const at = text.lastIndexOf('@')
  if (at < 0) return refuse('missing_at')
  const local = text.slice(0, at)
  const fault = localFault(local)
  if (fault !== null) return refuse(fault)
  const domain = parseDomain(text.slice(at + 1))
  if (!domain.ok) return domain
  const address = `${local}@${domain.domain}`
  if (Buffer.byteLength(address) > ADDRESS_BYTES) return refuse('too_long')
  return {
    ok: true,
    address: {
      address: address as EmailAddress,
      local,
      domain: domain.domain,
      unicodeDomain: domain.unicode,
      smtpUtf8: !ASCII.test(local),
    },
  }
}

function localFault(local: string): AddressFault | null {
  if (local.length === 0) return 'invalid_local_part'
  if (Buffer.byteLength(local) > LOCAL_BYTES) return 'local_part_too_long'
  // RFC 2047 section 5 forbids encoded words in an address; a receiver that decodes one anyway sees a different address.
  if (local.includes('=?')) return 'encoded_word'
  if (DOT_ATOM.test(local) || QUOTED.test(local)) return null
  if (local.startsWith('@')) return 'route'
  if (local.includes('(')) return 'comment'
  if (!local.includes('"') && local.includes('@')) return local.includes(',') ? 'more_than_one' : 'invalid_local_part'
  return 'invalid_local_part'
}

/**
 * Converts a host name in any script to lower-case A-labels (UTS 46, not transitional, STD 3 rules, hyphens checked).
 *
 * @returns the domain, and `unicode` for display
 */
export function parseDomain(
  text: string,
): { readonly ok: true; readonly domain: DomainName; readonly unicode: string } | Refused {
  if (text.length === 0) return refuse('invalid_domain')
  if (text.length > DOMAIN_TEXT) return refuse('too_long')
  if (text.startsWith('[')) return refuse('domain_literal')
  if (text.includes('(')) return refuse('comment')
  if (OTHER_FULL_STOPS.test(text)) return refuse('invalid_domain')
  const lower = text.toLowerCase()
  const plain = ASCII.test(text) && !lower.includes('--')
  const name = plain ? lower : tr46.toASCII(text, STRICT)
  if (name === null || name.length > DOMAIN_BYTES) return refuse('invalid_domain')
  const labels = name.split('.')
  if (!labels.every((label) => label.length <= LABEL_BYTES && LDH_LABEL.test(label))) return refuse('invalid_domain')
  if (labels.length < 2) return refuse('single_label_domain')
  // 1.2.3.4 is an IP address without its brackets; no top-level domain is numeric (RFC 3696 section 2).
  if (/^[0-9]+$/.test(labels.at(-1) ?? '')) return refuse('invalid_domain')
  return { ok: true, domain: name as DomainName, unicode: plain ? name : tr46.toUnicode(name, STRICT).domain }
}

const STRICT = {
  checkHyphens: true,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
  verifyDNSLength: true,
} as const
const LENIENT = { ...STRICT, checkBidi: false, useSTD3ASCIIRules: false, verifyDNSLength: false } as const

/**
 * Letters that share their upper-case form with another letter but differ from it in lower case. Most important is the
 * Greek final sigma: lower-casing a capital sigma yields it at the end of a word only. The dotless i is left out, because
 * only software outside the Turkic languages folds it into a dotted one.
 */
const FOLDED_LETTERS = /[\u0345\u00b5\u017f\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b]/g

/** Maps spellings that differ only in case to the same text (Unicode simple case folding), as NFC. */
export function foldCase(text: string): string {
  const lower = text.normalize('NFC').toLowerCase()
  if (ASCII.test(lower)) return lower
  return lower.replace(FOLDED_LETTERS, (letter) => letter.toUpperCase().toLowerCase()).normalize('NFC')
}

/**
 * Converts a search term to the form in which addresses are stored: people type Unicode domains, the database holds A-labels.
 *
 * @returns the term case-folded, with each label after the @ (every label if there is none) as an A-label; null when that
 *   equals the lower-cased term. A partial label is converted as if it were whole, so it may find nothing. Never throws
 */
export function storedSpelling(part: string): string | null {
  const lower = part.normalize('NFC').toLowerCase()
  const at = lower.lastIndexOf('@') + 1
  const labels = lower.slice(at).split('.')
  const stored = labels.map((label) => (ASCII.test(label) ? label : (tr46.toASCII(label, LENIENT) ?? label)))
  const spelling = foldCase(lower.slice(0, at)) + stored.join('.')
  return spelling === lower ? null : spelling
}

/**
 * The key of the suppression and unsubscribe lists, equal for all spellings of one mailbox: case-folded, NFC, the domain as
 * A-labels, quotes and backslashes only where needed.
 */
export function suppressionKey({ local, domain }: Address): string {
  const plain = local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gu, '$1') : local
  const folded = foldCase(plain)
  const needsQuotes = !DOT_ATOM.test(folded)
  return `${needsQuotes ? `"${folded.replace(/["\\]/g, '\\$&')}"` : folded}@${domain}`
}

/**
 * Parses one mailbox: `a@b.test`, `<a@b.test>`, `Name <a@b.test>` or `"Name, the" <a@b.test>`. Surrounding blanks are
 * ignored.
 *
 * The text comes from a person or a program, not from a header: encoded words in the name are taken literally.
 */
export function parseMailbox(text: string): { readonly ok: true; readonly mailbox: Mailbox } | Refused {
  if (text.length > MAILBOX_TEXT) return refuse('too_long')
  const list = readMailboxes(text, 1)
  if (!list.ok) return list
  const [mailbox] = list.mailboxes
  return mailbox === undefined ? refuse('empty') : { ok: true, mailbox }
}

/**
 * Parses at least one mailbox, separated by commas as in a To header (RFC 5322 section 3.4, without groups and without the
 * empty elements of the obsolete syntax).
 */
export function parseMailboxList(
  text: string,
): { readonly ok: true; readonly mailboxes: readonly Mailbox[] } | Refused {
  return text.length > LIST_TEXT ? refuse('too_long') : readMailboxes(text, Number.POSITIVE_INFINITY)
}

/**
 * The pieces of a list of mailboxes, as written, so that each can be judged for itself. From a piece on whose end cannot be
 * told (an open quote, a comment, a group) the rest is one piece; so is a text that is too long.
 */
export function piecesOfList(text: string): readonly string[] {
  const pieces: string[] = []
  for (let from = 0; from <= text.length; ) {
    const piece = text.length > LIST_TEXT ? 'too_long' : cut(text, from)
    const end = typeof piece === 'string' ? text.length : piece.end
    pieces.push(text.slice(from, end))
    from = end + 1
  }
  return pieces
}

/**
 * The readable addresses of an address header. Includes members of groups; skips comments and anything that is not a
 * mailbox. For display only: use `parseMailbox` to decide whose mail it is.
 */
export function addressesIn(text: string): readonly EmailAddress[] {
  const found: EmailAddress[] = []
  if (text.length > LIST_TEXT) return found
  let piece = ''
  let quoted = false
  let comments = 0
  const end = (): void => {
    const read = parseMailbox(piece)
    if (read.ok) found.push(read.mailbox.address.address)
    piece = ''
  }
  for (let at = 0; at < text.length; at++) {
    let char = text.charAt(at)
    if (char === '\\' && (quoted || comments > 0)) char = text.slice(at, ++at + 1)
    else if (char === '"' && comments === 0) quoted = !quoted
    else if (char === '(' && !quoted) comments++
    if (comments > 0) {
      if (char === ')') comments--
    } else if (quoted) piece += char
    else if (char === ',' || char === ';') end()
    // The text before the colon is the name of a group.
    else if (char === ':') piece = ''
    else piece += char
  }
  end()
  return found
}

function readMailboxes(text: string, most: number): { ok: true; mailboxes: Mailbox[] } | Refused {
  if (UNFIT_NAME.test(text)) return refuse('forbidden_character')
  if (text.trim() === '') return refuse('empty')
  const mailboxes: Mailbox[] = []
  let from = 0
  while (from <= text.length) {
    const piece = cut(text, from)
    if (typeof piece === 'string') return refuse(piece)
    // Two addresses instead of one is a different mistake from one broken address.
    if (mailboxes.length === most) return refuse('more_than_one')
    const mailbox = readMailbox(text, from, piece)
    if (!mailbox.ok)
      return mailbox.reason !== 'too_long' && most === 1 && piece.end < text.length ? refuse('more_than_one') : mailbox
    mailboxes.push(mailbox.mailbox)
    from = piece.end + 1
  }
  return { ok: true, mailboxes }
}

interface Piece {
  /** Index of the comma, or the length of the text. */
  readonly end: number
  /** Indexes of `<` and `>` outside quotes; -1 for none. */
  readonly open: number
  readonly close: number
}

/** Finds the end of the mailbox that begins at `from`, respecting quotes. One step per character. */
function cut(text: string, from: number): Piece | AddressFault {
  let open = -1
  let close = -1
  let quoted = false
  let at = from
  for (; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === ',' && (open < 0 || close >= 0)) break
    else if (char === '(' || char === ')') return 'comment'
    else if (char === '<') {
      if (open >= 0) return 'invalid_mailbox'
      open = at
    } else if (char === '>') {
      if (open < 0 || close >= 0) return 'invalid_mailbox'
      close = at
    } else if (char === ';' || (char === ':' && open < 0)) return 'group'
  }
  return quoted || (open >= 0 && close < 0) ? 'invalid_mailbox' : { end: Math.min(at, text.length), open, close }
}

function readMailbox(
  text: string,
  from: number,
  { end, open, close }: Piece,
): { ok: true; mailbox: Mailbox } | Refused {
  const bare = open < 0
  if (!bare && text.slice(close + 1, end).trim() !== '') return refuse('invalid_mailbox')
  const name = bare ? '' : readName(text.slice(from, open).trim())
  if (name === null) return refuse('invalid_mailbox')
  const parsed = parseAddress(bare ? text.slice(from, end).trim() : text.slice(open + 1, close))
  return parsed.ok ? { ok: true, mailbox: { name, address: parsed.address } } : parsed
}

/** A quoted string, or words without the characters that mean something in an address list. */
function readName(text: string): string | null {
  if (text.length > 2 * NAME_TEXT) return null
  if (!text.includes('"')) return /[@\\[\]]/.test(text) ? null : text
  const content = /^"((?:[^"\\]|\\.)*)"$/su.exec(text)?.[1]
  return content === undefined ? null : content.replace(/\\(.)/gsu, '$1').trim()
}

function refuse(reason: AddressFault): Refused {
  return { ok: false, reason }
}

/** Why a string is not an address, in words; null for an address and for anything that is not a string. */
export function addressFault(value: unknown): string | null {
  if (typeof value !== 'string') return null
  const parsed = UNFIT_NAME.test(value) ? refuse('forbidden_character') : parseAddress(value.trim())
  return parsed.ok ? null : `is not an email address: ${FAULT_WORDS[parsed.reason]}`
}
