// Did somebody mean another domain? @zootools/email-spell-checker (MIT) names the nearest well-known domain; of its
// answers only those count that are one slip of the finger away (a letter too many, too few, wrong, or two swapped), or
// two when the domain does not take mail at all. It guesses at top-level domains too, of which nothing is taken: the
// whole suggestion has to be a mailbox provider that we know.
//
// Beside a short name stand real houses, one letter away: `aon.com` and `aol.com`, `life.com` and `live.com`, `weg.de` and
// `web.de`. So a domain that takes mail is never a slip of one. And hardly anybody slips at the first letter, while `cloud.com`
// and `bmail.com` are somebody's.

import spelling from '@zootools/email-spell-checker'

/** Mailbox providers for everybody: the package's, and what it lacks. */
const PROVIDERS: ReadonlySet<string> = new Set([
  ...spelling.POPULAR_DOMAINS,
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
 * @returns the domain that was probably meant, or null
 */
export function meantDomain(domain: string, takesMail: boolean): string | null {
  if (PROVIDERS.has(domain)) return null
  const said = spelling.run({ email: `someone@${domain}` })?.domain
  const candidates = said !== undefined && PROVIDERS.has(said) ? [said] : CLOSE_TO
  return candidates.find((candidate) => distance(domain, candidate) <= slips(domain, candidate, takesMail)) ?? null
}

const LONG_LABEL_CHARS = 5

/** The most that make it a slip; 0: none does. */
function slips(domain: string, candidate: string, takesMail: boolean): 0 | 1 | 2 {
  const isShort = candidate.indexOf('.') < LONG_LABEL_CHARS
  if (takesMail) return isShort || domain[0] !== candidate[0] ? 0 : 1
  return isShort ? 1 : 2
}

/** Where nearly all typing errors are; asked when the package has nothing to say. */
const CLOSE_TO = ['gmail.com', 'hotmail.com', 'yahoo.com', 'outlook.com', 'icloud.com', 'googlemail.com', 'web.de']
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
