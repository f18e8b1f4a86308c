// Did somebody mean another domain? @zootools/email-spell-checker (MIT) names the nearest well-known domain; of its
// answers only those count that are one slip of the finger away (a letter too many, too few, wrong, or two swapped), or
// two when the domain does not take mail at all. It guesses at top-level domains too, of which nothing is taken: the
// whole suggestion has to be a mailbox provider that we know.
//
// Beside a short name stand real houses, one letter away: `aon.com` and `aol.com`, `life.com` and `live.com`, `weg.de` and
// `web.de`. So a domain that takes mail is never a slip of one. And hardly anybody slips at the first letter, while `cloud.com`
// and `bmail.com` are somebody's.

import spelling from '@zootools/email-spell-checker'
import { parse } from 'tldts'
import { parseAddress } from '../../mail/address.ts'

/** Mailbox providers for everybody: the package's, and what it lacks. */
const PROVIDERS: ReadonlySet<string> = new Set([
  ...spelling.POPULAR_DOMAINS.filter((domain) => domain !== 'mailw.com'),
  ...['aol.com', 'bluewin.ch', 'email.com', 'fastmail.com', 'free.fr', 'freenet.de', 'gmx.at', 'gmx.ch', 'gmx.com'],
  ...['gmx.de', 'gmx.net', 'hotmail.co.uk', 'hotmail.com', 'hotmail.de', 'hotmail.es', 'hotmail.fr', 'hotmail.it'],
  ...['laposte.net', 'libero.it', 'live.com', 'live.co.uk', 'live.fr', 'live.nl', 'mac.com', 'mail.com', 'mail.ru'],
  ...['naver.com', 'orange.fr', 'outlook.com', 'outlook.de', 'outlook.es', 'outlook.fr', 'posteo.de', 't-online.de'],
  ...['tuta.com', 'tutanota.com', 'uol.com', 'uol.com.br', 'wanadoo.fr', 'yahoo.co.jp', 'yahoo.co.uk', 'yahoo.com'],
  ...['yahoo.com.br', 'yahoo.de', 'yahoo.es', 'yahoo.fr', 'yahoo.it', 'yandex.ru', 'ziggo.nl', '163.com', '126.com'],
])

export function isKnownProvider(domain: string): boolean {
  return PROVIDERS.has(domain)
}

/**
 * @param domain lower-case A-labels
 * @param takesMail the domain exists and has a mail exchanger
 * @returns the domain that was probably meant, the nearest, or null
 */
export function meantDomain(domain: string, takesMail: boolean): string | null {
  if (PROVIDERS.has(domain)) return null
  const said = spelling.run({ email: `someone@${domain}` })?.domain
  const first = said !== undefined && PROVIDERS.has(said) ? [said] : CLOSE_TO
  const candidates = takesMail ? [...first, ...LONG_PROVIDERS] : [...first, ...CLOSE_TO, ...PROVIDERS]
  let [nearest, least]: [string | null, number] = [null, FAR]
  for (const candidate of candidates) {
    const far = distance(domain, candidate)
    if (far < least && far <= slips(domain, candidate, takesMail)) [nearest, least] = [candidate, far]
  }
  return nearest ?? (takesMail ? null : ofLabel(domain))
}

/** Whether lists that name the domain probably name somebody's typing error: it is one slip from a well-known provider. */
export function isSlip(domain: string): boolean {
  return meantDomain(domain, true) !== null
}

/** `web.con`: no such top-level domain, and what stands before it is a provider's. */
function ofLabel(domain: string): string | null {
  const dot = domain.indexOf('.')
  const { isIcann } = parse(domain)
  if (isIcann === true || distance(domain.slice(dot + 1), 'com') > 1) return null
  return ofName(domain.slice(0, dot))
}

function ofName(label: string): string | null {
  return [...CLOSE_TO, ...PROVIDERS].find((one) => one.slice(0, one.indexOf('.')) === label) ?? null
}

/**
 * What was probably meant by a text that is no address: `anna@gmail,com`, `anna@gmail`, `anna@gmail..com`.
 *
 * @returns an address at a well-known provider, or null
 */
export function meantAddress(text: string): string | null {
  const [, local = '', written = ''] = /^([^@]{1,64})@{1,2}([^@]{1,100})$/.exec(text.trim()) ?? []
  const domain = written
    .toLowerCase()
    .replaceAll(/[,;.\s]+/g, '.')
    .replaceAll(/^\.|\.$/g, '')
  const meant = PROVIDERS.has(domain) ? domain : (ofName(domain) ?? meantDomain(domain, false))
  const address = `${local.trim()}@${meant ?? ''}`
  return meant !== null && parseAddress(address).ok ? address : null
}

const LONG_LABEL_CHARS = 5

/** The most that make it a slip; 0: none does. */
function slips(domain: string, candidate: string, takesMail: boolean): 0 | 1 | 2 {
  const isShort = candidate.indexOf('.') < LONG_LABEL_CHARS
  if (takesMail) return isShort || domain[0] !== candidate[0] ? 0 : 1
  // Two are many where little else tells that it was this one.
  return isShort || (domain[0] !== candidate[0] && !CLOSE_TO.includes(candidate)) ? 1 : 2
}

/** Where nearly all typing errors are; asked when the package has nothing to say. */
const CLOSE_TO = ['gmail.com', 'hotmail.com', 'yahoo.com', 'outlook.com', 'icloud.com', 'googlemail.com', 'web.de']
const LONG_NAME_CHARS = 7
/** Names so long that hardly another house has one a letter away. */
const LONG_PROVIDERS = [...PROVIDERS].filter((domain) => domain.indexOf('.') >= LONG_NAME_CHARS)
const FAR = 99

/** Damerau and Levenshtein's, two swapped neighbours being one slip. Names that differ by more than 2 in length are far. */
export function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return FAR
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = above
    above = row
  }
  return above[b.length] ?? FAR
}
