// Detects mistyped domains. @zootools/email-spell-checker (MIT) names the nearest well-known domain. Its answer counts only when
// it is one typing error away (a letter too many, too few, wrong, or two swapped), or two when the domain does not accept mail
// at all. It also guesses top-level domains, which are ignored: the whole suggestion must be a mailbox provider that we know.
//
// Real companies have domains one letter away from short names: `aon.com` and `aol.com`, `life.com` and `live.com`, `weg.de` and
// `web.de`. So a domain that accepts mail is never a typing error for a short name. And hardly anybody mistypes the first letter,
// while `cloud.com` and `bmail.com` belong to somebody.

import spelling from '@zootools/email-spell-checker'
import { parse } from 'tldts'
import { parseAddress } from '../../mail/address.ts'

/** Mailbox providers for the public: those of the package, and those that it lacks. */
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
 * @returns the nearest domain that was probably meant, or null
 */
export function meantDomain(domain: string, takesMail: boolean): string | null {
  if (PROVIDERS.has(domain)) return null
  const suggested = spelling.run({ email: `someone@${domain}` })?.domain
  const first = suggested !== undefined && PROVIDERS.has(suggested) ? [suggested] : CLOSE_TO
  const candidates = takesMail ? [...first, ...LONG_PROVIDERS] : [...first, ...CLOSE_TO, ...PROVIDERS]
  let [nearest, least]: [string | null, number] = [null, FAR]
  for (const candidate of candidates) {
    const far = distance(domain, candidate)
    if (far < least && far <= slips(domain, candidate, takesMail)) [nearest, least] = [candidate, far]
  }
  return nearest ?? (takesMail ? null : ofLabel(domain))
}

/** Whether the domain is one typing error away from a well-known provider; lists of domains contain such errors. */
export function isSlip(domain: string): boolean {
  return meantDomain(domain, true) !== null
}

/** `web.con`: the top-level domain does not exist, and the label before it is a provider's. */
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
 * The address probably meant by a text that is not an address: `anna@gmail,com`, `anna@gmail`, `anna@gmail..com`.
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

/** The largest distance that counts as a typing error; 0 when none does. */
function slips(domain: string, candidate: string, takesMail: boolean): 0 | 1 | 2 {
  const isShort = candidate.indexOf('.') < LONG_LABEL_CHARS
  if (takesMail) return isShort || domain[0] !== candidate[0] ? 0 : 1
  // Two errors are too many when little else suggests this provider: its name is short, or the first letter differs.
  return isShort || (domain[0] !== candidate[0] && !CLOSE_TO.includes(candidate)) ? 1 : 2
}

/** The domains with nearly all typing errors; compared when the package has no answer. */
const CLOSE_TO = ['gmail.com', 'hotmail.com', 'yahoo.com', 'outlook.com', 'icloud.com', 'googlemail.com', 'web.de']
const LONG_NAME_CHARS = 7
/** Names so long that hardly any other company has a domain one letter away. */
const LONG_PROVIDERS = [...PROVIDERS].filter((domain) => domain.indexOf('.') >= LONG_NAME_CHARS)
const FAR = 99

/** Damerau-Levenshtein distance: swapping two neighbours is one error. Lengths that differ by more than 2 give FAR. */
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
