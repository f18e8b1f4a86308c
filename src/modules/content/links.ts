// Rules about links: where they say they go and where they go.

import type { Link } from './html.ts'
import type { Location, Match } from './types.ts'

const SHORTENERS = new Set(
  ['bit.ly', 'tinyurl.com', 'goo.gl', 't.co', 'ow.ly', 'is.gd', 'cutt.ly', 'rebrand.ly', 'rb.gy', 'shorturl.at'].concat(
    ['t.ly', 'tiny.cc', 'buff.ly', 'v.gd', 'bl.ink', 's.id'],
  ),
)
const TARGET = /^https?:\/\/([^\s/?#]{1,300})/i
const SHOWN = /^(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/?#:]|$)/i
const IN_TEXT = /https?:\/\/[^\s<>"')\]]{1,500}/gi
const MAX_IN_TEXT = 200

type Rule = readonly [rule: string, points: number, description: string, suggestion: string]
const MISMATCH: Rule = [
  'link_mismatch',
  40,
  'A link shows one domain and goes to another',
  'Show the domain the link goes to, or words',
]
const SHORTENED: Rule = ['link_shortener', 15, 'A shortened link hides where it goes', 'Link to the page itself']
const BARE_IP: Rule = ['link_ip', 30, 'A link goes to an IP address', 'Link to a domain of your own']
const USERINFO: Rule = ['link_userinfo', 30, 'A link has a name before its host', 'Remove what stands before the @']
const HOMOGRAPH: Rule = [
  'link_homograph',
  15,
  'A link goes to a domain in another script',
  'Check that it is the domain you mean',
]
const SCRIPT: Rule = ['link_script', 30, 'A link runs a script or carries data', 'Link to a page']

/** Each rule once, for the first link that breaks it. */
export function linkMatches(links: readonly Link[], body: string, location: Location): Match[] {
  const matches = new Map<string, Match>()
  const add = ([rule, points, description, suggestion]: Rule, match: string): void => {
    if (matches.has(rule)) return
    const severity = points >= 20 ? 'high' : 'medium'
    matches.set(rule, {
      rule,
      category: 'links',
      points,
      severity,
      location,
      match: match.slice(0, 120),
      description,
      suggestion,
    })
  }
  const plain: Link[] = []
  for (const [target] of body.matchAll(IN_TEXT)) if (plain.push({ target, text: '' }) >= MAX_IN_TEXT) break
  for (const { target, text } of [...links, ...plain]) {
    if (/^(javascript|data|vbscript):/i.test(target)) add(SCRIPT, target)
    const authority = TARGET.exec(target)?.[1]?.toLowerCase()
    if (authority === undefined) continue
    if (authority.includes('@')) add(USERINFO, target)
    const host = authority.slice(authority.lastIndexOf('@') + 1).split(':')[0] ?? ''
    if (SHORTENERS.has(host.replace(/^www\./, ''))) add(SHORTENED, target)
    if (/^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith('[')) add(BARE_IP, target)
    if (/(^|\.)xn--/.test(host) || /[^\p{ASCII}]/u.test(host)) add(HOMOGRAPH, target)
    const shown = SHOWN.exec(text.trim())?.[1]?.toLowerCase()
    if (shown !== undefined && siteOf(shown) !== siteOf(host)) add(MISMATCH, `${shown} -> ${host}`)
  }
  return [...matches.values()]
}

/** The last two labels, three under a short second level such as `co.uk`: near enough to the registered domain. */
function siteOf(host: string): string {
  const labels = host.split('.')
  const isShort = (labels.at(-2)?.length ?? 9) <= 3 && (labels.at(-1)?.length ?? 9) === 2
  return labels.slice(isShort ? -3 : -2).join('.')
}
