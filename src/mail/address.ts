// The one address parser: what policy judges is what is sent (RFC 5321 section 4.1.2, RFC 5322 section 3.4, RFC 6531).
//
// An address is `local@domain`, where the domain is a host name of at least two labels. Refused, because somebody
// downstream reads them differently: comments, groups, routes, domain literals, obsolete white space around dots, encoded
// words inside an address, a trailing dot, and the other full stops that UTS 46 would map to ".". A quoted local part is
// legal and stays as written; `%` and `!` in a local part mean nothing here.
//
// The normal form has the domain as lower-case A-labels. Suppression compares the whole address in folded case, quotes that
// are not needed removed, since receivers nearly always do the same and a second mail to someone who said no is worse
// than one mail too few.
//
// Work is linear in the text and bounded: texts longer than the limits below are refused before they are read.

import tr46 from 'tr46'

declare const brand: unique symbol

/** `local@domain` in normal form. Made by `parseAddress` alone. */
export type EmailAddress = string & { readonly [brand]: 'EmailAddress' }
/** A host name as lower-case A-labels, at least two, no trailing dot. Made by `parseDomain` alone. */
export type DomainName = string & { readonly [brand]: 'DomainName' }

export interface Address {
  readonly address: EmailAddress
  /** As written: case and quotes are kept. */
  readonly local: string
  readonly domain: DomainName
  /** For people to read; equal to `domain` when that is plain. */
  readonly unicodeDomain: string
  /** The local part is not ASCII: only a server that offers SMTPUTF8 can take this address (RFC 6531). */
  readonly smtpUtf8: boolean
}

export interface Mailbox {
  /** Empty when the text gave none. */
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

export interface Refused {
  readonly ok: false
  readonly reason: AddressFault
}

/** RFC 5321 section 4.5.3.1: octets. A path has 256, of which two are the angle brackets. */
const LOCAL_BYTES = 64
const ADDRESS_BYTES = 254
const DOMAIN_BYTES = 253
const LABEL_BYTES = 63
/** Characters read at all. An A-label name of 253 octets has at most four UTF-8 octets for each of them. */
const DOMAIN_TEXT = 1_024
const ADDRESS_TEXT = LOCAL_BYTES + 1 + DOMAIN_TEXT
const NAME_TEXT = 998
const MAILBOX_TEXT = ADDRESS_TEXT + 2 * NAME_TEXT
/** A header block is read up to 64 KB, so no list can be longer. */
const LIST_TEXT = 65_536

const ATEXT = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+"
const DOT_ATOM = new RegExp(`^${ATEXT}(?:\\.${ATEXT})*$`, 'u')
/** RFC 5321 section 4.1.2: Quoted-string with qtextSMTP and quoted-pairSMTP, non-ASCII by RFC 6531 section 3.3. */
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\u{10ffff}]|\\[\x20-\x7e])*"$/u
/** Controls (C0, DEL, C1), line separators, lone surrogates, invisible and directional format characters, and blanks other than the plain one. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/u
/** For display names, in which joiners and directional marks are ordinary writing. A tab is a blank. */
const UNFIT_NAME = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\p{Cs}]/u
const LDH_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the range meant
const ASCII = /^[\0-\x7f]*$/
const OTHER_FULL_STOPS = /[\u3002\uff0e\uff61]/

/** @returns the address in normal form, or why the text is not one. Never throws. */
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
  // RFC 2047 section 5 forbids an encoded word in an address; a receiver that decodes it anyway would see another one.
  if (local.includes('=?')) return 'encoded_word'
  if (DOT_ATOM.test(local) || QUOTED.test(local)) return null
  if (local.startsWith('@')) return 'route'
  if (local.includes('(')) return 'comment'
  if (!local.includes('"') && local.includes('@')) return local.includes(',') ? 'more_than_one' : 'invalid_local_part'
  return 'invalid_local_part'
}

/**
 * A host name in any writing to lower-case A-labels (UTS 46, not transitional, STD 3 rules, hyphens checked).
 *
 * @returns `unicode` is for people to read
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
  // 1.2.3.4 is an address that lost its brackets; no top-level domain is a number (RFC 3696 section 2).
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
 * The letters that are one with another in upper case and not in lower: the Greek sigma at the end of a word above all, which
 * a capital becomes by its place alone. Not the dotless i, of which others make a dotted one than those who write it.
 */
const FOLDED_LETTERS = /[\u0345\u00b5\u017f\u03c2\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b]/g

/** What spellings that differ in case alone have in common (Unicode's simple case folding), as NFC. */
export function foldCase(text: string): string {
  const lower = text.normalize('NFC').toLowerCase()
  if (ASCII.test(lower)) return lower
  return lower.replace(FOLDED_LETTERS, (letter) => letter.toUpperCase().toLowerCase()).normalize('NFC')
}

/**
 * For whoever looks for a part of an address: addresses are stored with A-labels, and people write names as they read them.
 *
 * @returns the part in folded case with each label behind the @ (everywhere, without one) as an A-label; null where that is the
 *   part as it is. A label that is cut in the middle is found by what it would be as a whole, if at all. Never throws
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
 * What two spellings of one mailbox have in common: the key of the suppression and unsubscribe lists. Folded case, NFC, the
 * domain as A-labels, quotes and backslashes only where they are needed.
 */
export function suppressionKey({ local, domain }: Address): string {
  const plain = local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gu, '$1') : local
  const folded = foldCase(plain)
  const needsQuotes = !DOT_ATOM.test(folded)
  return `${needsQuotes ? `"${folded.replace(/["\\]/g, '\\$&')}"` : folded}@${domain}`
}

/**
 * One mailbox: `a@b.test`, `<a@b.test>`, `Name <a@b.test>` or `"Name, the" <a@b.test>`; blanks around are ignored.
 *
 * The text is what a person or a program wrote, not a header: encoded words in the name are taken literally.
 */
export function parseMailbox(text: string): { readonly ok: true; readonly mailbox: Mailbox } | Refused {
  if (text.length > MAILBOX_TEXT) return refuse('too_long')
  const list = readMailboxes(text, 1)
  if (!list.ok) return list
  const [mailbox] = list.mailboxes
  return mailbox === undefined ? refuse('empty') : { ok: true, mailbox }
}

/**
 * Mailboxes with commas between them, as in a To header (RFC 5322 section 3.4, without groups and without the empty
 * elements of the obsolete syntax). At least one.
 */
export function parseMailboxList(
  text: string,
): { readonly ok: true; readonly mailboxes: readonly Mailbox[] } | Refused {
  return text.length > LIST_TEXT ? refuse('too_long') : readMailboxes(text, Number.POSITIVE_INFINITY)
}

/**
 * The addresses of an address header, as far as they can be read: members of groups count, comments are passed over, and
 * what is no mailbox is left out. To be shown; whose mail it is says `parseMailbox` alone.
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
    // What stood before is the name of a group.
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
    // Two addresses where one is wanted is a different mistake from one broken address.
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
  /** Where the comma stands, or the length of the text. */
  readonly end: number
  /** Where `<` and `>` stand outside quotes; -1 for none. */
  readonly open: number
  readonly close: number
}

/** Finds the end of the mailbox that begins at `from`: one step per character, quotes respected. */
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

/** Why a text is no address, in words; null for an address, and for what is no text at all. */
export function addressFault(value: unknown): string | null {
  const parsed = typeof value === 'string' ? parseAddress(value.trim()) : null
  return parsed?.ok === false ? `is not an email address: ${parsed.reason}` : null
}
