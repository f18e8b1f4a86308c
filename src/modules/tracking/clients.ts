// Identifies the client by its User-Agent. Our own rules for mail programs and the proxies of mail providers come first, then
// isbot for known robots, then ua-parser-js for browsers.
//
// Platform: a mail program is desktop or mobile; a provider's image proxy is webmail; a browser on a phone is mobile. A
// desktop browser that fetches a pixel has a webmail page open (webmail); one that follows a link may come from any program
// (desktop).

import { isbot } from 'isbot'
import { UAParser } from 'ua-parser-js'

export type Platform = 'desktop' | 'mobile' | 'webmail' | 'unknown'

/** `proxy`: a provider fetches on behalf of a person, when they read. `apple`: Apple fetches, whether the mail is read or not. */
export type Agent = 'person' | 'proxy' | 'apple' | 'bot'

export interface Client {
  readonly platform: Platform
  /** The name of the program, for people to read; null: unknown. */
  readonly name: string | null
  readonly agent: Agent
}

type Rule = readonly [pattern: RegExp, name: string, platform: Platform, agent?: Agent]

const MOBILE = /iPhone|iPad|iPod|Android|Mobile/

// The first match decides. Patterns have no nested repetition: time is linear in the (bounded) length.
const RULES: readonly Rule[] = [
  [/^Mozilla\/5\.0$/, 'Apple Mail', 'unknown', 'apple'],
  // Link scanners whose names isbot does not tell from a browser's.
  [/Barracuda Sentinel/, 'Barracuda', 'unknown', 'bot'],
  [/GoogleImageProxy|ggpht\.com/, 'Gmail', 'webmail', 'proxy'],
  // Gmail's User-Agent for pictures that it fetches when the mail arrives.
  [/Edge\/12\.246 Mozilla\/5\.0$/, 'Gmail', 'webmail', 'proxy'],
  [/YahooMailProxy|Yahoo Mail Proxy/i, 'Yahoo Mail', 'webmail', 'proxy'],
  [/YandexImageResizer|YandexMail/i, 'Yandex Mail', 'webmail', 'proxy'],
  [/Mail\.Ru|MailRuImageProxy/i, 'Mail.ru', 'webmail', 'proxy'],
  [/(?:GMX|WEB\.DE)[ /-]?(?:Mail)?Proxy|UIMailProxy/i, 'GMX', 'webmail', 'proxy'],
  [/ProtonMail|Proton Mail/i, 'Proton Mail', 'webmail', 'proxy'],
  [/FastmailProxy|Fastmail Image/i, 'Fastmail', 'webmail', 'proxy'],
  [/Outlook-(?:iOS|Android)|OutlookMobile/i, 'Outlook', 'mobile'],
  [/Microsoft Outlook|MSOffice|ms-office|Microsoft Office\/|Outlook-Express|Windows Live Mail/i, 'Outlook', 'desktop'],
  [/Thunderbird|Icedove|Betterbird/i, 'Thunderbird', 'desktop'],
  [/K-9|k9mail/i, 'K-9 Mail', 'mobile'],
  [/SamsungEmail|Samsung Email/i, 'Samsung Email', 'mobile'],
  [/Airmail/i, 'Airmail', 'desktop'],
  [/Spark(?:Desktop)?\//i, 'Spark', 'desktop'],
  [/eM ?Client/i, 'eM Client', 'desktop'],
  [/Postbox/i, 'Postbox', 'desktop'],
  [/Lotus-Notes/i, 'Lotus Notes', 'desktop'],
  [/The Bat!/i, 'The Bat!', 'desktop'],
  [/Evolution\//i, 'Evolution', 'desktop'],
  [/Mailspring|MailMate|Mailbird|Sparrow|Claws Mail|KMail|Geary/i, 'Mail', 'desktop'],
]
/** WebKit without a browser around it. */
const BARE_WEBKIT = /AppleWebKit\/[\d.]+ \(KHTML, like Gecko\)(?: Mobile\/\w+)?$/
const MAX_CHARS = 512
/** Most cached User-Agents per kind. Few programs make most of the hits, and identifying one takes some 30 us. */
const MAX_KNOWN = 2_000
const KNOWN = { open: new Map<string, Client>(), click: new Map<string, Client>() } as const

/** Headers that announce a prefetch, the current one first (`Sec-Purpose`, Fetch standard); their values begin alike. */
const PREFETCHING = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const
const AHEAD = /^(?:prefetch|prerender|preview)/i

/** Whether the client says that it fetches ahead of a person. @param headers with names in lower case */
export function isPrefetch(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  return PREFETCHING.some((name) => AHEAD.test(String(headers[name] ?? '')))
}

/** @param userAgent as received; only the first 512 characters count */
export function clientOf(userAgent: string, what: 'open' | 'click'): Client {
  const text = userAgent.slice(0, MAX_CHARS)
  const known = KNOWN[what].get(text)
  if (known !== undefined) return known
  const found = foundOut(text, what)
  if (KNOWN[what].size >= MAX_KNOWN) KNOWN[what].clear()
  KNOWN[what].set(text, found)
  return found
}

function foundOut(text: string, what: 'open' | 'click'): Client {
  for (const [pattern, name, platform, agent = 'person'] of RULES) {
    if (!pattern.test(text)) continue
    // Apple's proxy fetches pictures, never links.
    if (agent === 'apple' && what === 'click') return { platform, name: null, agent: 'bot' }
    return { platform, name, agent }
  }
  if (BARE_WEBKIT.test(text) && /Macintosh|iPhone|iPad/.test(text)) {
    return { platform: MOBILE.test(text) ? 'mobile' : 'desktop', name: 'Apple Mail', agent: 'person' }
  }
  if (isbot(text)) return { platform: 'unknown', name: null, agent: 'bot' }
  return browser(text, what)
}

function browser(text: string, what: 'open' | 'click'): Client {
  const { browser: program, device, os } = UAParser(text)
  const name = program.name ?? null
  if (device.type === 'mobile' || device.type === 'tablet' || device.type === 'wearable') {
    return { platform: 'mobile', name, agent: 'person' }
  }
  if (os.name === undefined || device.type !== undefined) return { platform: 'unknown', name, agent: 'person' }
  return { platform: what === 'open' && name !== null ? 'webmail' : 'desktop', name, agent: 'person' }
}
