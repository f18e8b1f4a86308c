// Rules about links: where they claim to go and where they go.

import { parse } from 'tldts'
import { domainPart } from '../../mail/address-parts.ts'
import { BRAND_OF_LABEL, BRANDS, type Brand } from './brands.ts'
import { isPlainLetter } from './characters.ts'
import { isDisguised, withoutAccents } from './disguised-host.ts'
import type { Finding } from './finding.ts'
import type { Link } from './html.ts'
import { Recent } from './recent-results.ts'
import type { Location } from './types.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const SHORTENERS =
  words(`bit.ly tinyurl.com goo.gl t.co ow.ly is.gd cutt.ly rebrand.ly rb.gy shorturl.at t.ly tiny.cc buff.ly
  v.gd bl.ink s.id shorte.st adf.ly soo.gd clck.ru u.to qrco.de lnkd.in tr.im x.gd dub.sh kutt.it urlz.fr shorturl.asia
  2no.co iplogger.org grabify.link t2m.io spoo.me 1drv.ms surl.li tny.im urlzs.com short.gy n9.cl acortar.link`)
const FREE_HOSTS = words(`web.app firebaseapp.com weebly.com wixsite.com 000webhostapp.com pages.dev workers.dev r2.dev
  glitch.me ngrok.io ngrok-free.app ipfs.io dweb.link herokuapp.com blogspot.com netlify.app vercel.app repl.co
  onrender.com surge.sh godaddysites.com webflow.io square.site jimdosite.com strikingly.com page.link
  trycloudflare.com translate.goog duckdns.org no-ip.org ddns.net hopto.org sytes.net myftp.org s3.amazonaws.com
  blob.core.windows.net web.core.windows.net forms.gle firebasestorage.googleapis.com storage.googleapis.com fleek.co infura-ipfs.io`)
const RISKY_TLDS = words(`zip mov top xyz icu click live buzz rest cam monster quest sbs cfd bond cyou gq tk ml ga cf pw
  surf loan men stream download racing win bid date review faith science party accountant cricket trade webcam mom lol
  skin hair beauty makeup autos boats christmas support`)
const BAIT_WORDS = words(`login logon signin sign secure security secured verify verification verified account accounts
  update updates confirm confirmation billing bill banking bank auth authenticate wallet support service services
  customer client clients kunden kunde sicherheit sicher konto anmelden anmeldung compte espace connexion cuenta cliente
  seguro seguridad acceso track tracking parcel package paket sendung colis livraison suivi paquete envio entrega
  delivery redelivery refund rebate tax claim prize reward bonus unlock recover recovery restore suspended limited alert
  notice office mail webmail mailbox id web online app validation payment pay fee customs zoll douane aduana reschedule
  renew renewal sicurezza accesso accedi pacco taxa encomenda doplata paczka przesylka pas betaalpas rekening pakket airdrop mint presale help desk helpdesk team info center portal giveaway promo`)
const SIGN_IN = words(
  'login logon signin auth authenticate verify verification account accounts konto anmelden connexion cuenta acceso',
)
const LURES = words(`exe scr pif bat cmd vbs js jse wsf hta msi msp ps1 jar iso img vhd apk dmg lnk xll`)
const TARGET = /^\s?(?:https?|hxxps?):\/\/([^\s/?#\\]{1,300})([^\s]*)/i
const SHOWN = /^(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/?#:]|\s?$)/i
/** The file extension in the path, before any query. */
const ENDING = /^[^?#]{0,2000}\.([a-z0-9]{2,4})(?:[?#]|$)/i
/** Browsers ignore these within an address. */
const UNSEEN = /[\t\n\r]/g
const SCRIPT = /^[\0-\x20]{0,64}(?:javascript|data|vbscript|file):/i
const MAX_AUTHORITY_CHARS = 300
const MAX_HOSTS = 200
const MAX_REMEMBERED = 1_000
const NOTHING: readonly Finding[] = []

interface Host {
  readonly host: string
  /** The registered domain; null for an IP address and the like. */
  readonly domain: string | null
  /** The label of the domain before the public suffix. */
  readonly label: string
  readonly sub: string
  /** No rule about hosts ever reports this host, whatever the mail says. */
  readonly isPlain: boolean
}

export interface LinkFacts {
  readonly findings: readonly Finding[]
  /** The registered labels of all hosts. */
  readonly labels: ReadonlySet<string>
}

const at =
  (offset: number, location: Location, rule: string, points: number, fraud: number) =>
  (match: string, description: string, suggestion: string): Finding => ({
    ...{ rule, category: 'links' as const, points, fraud, location, offset, match, description, suggestion },
  })

export interface MessageSignals {
  /** The words of the mail suggest fraud, so a doubtful host weighs more. */
  readonly alarmed: boolean
  /** Names of the brands that the mail mentions; every host is searched for them. */
  readonly spoken: ReadonlySet<string>
  /** The mail asks the reader to sign in. */
  readonly signsIn: boolean
}

/** Reports each rule once, for the first link that breaks it. */
export function linkFindings(links: readonly Link[], signals: MessageSignals): LinkFacts {
  const hosts = new Map<string, Host>()
  const findings = new Map<string, Finding>()
  for (const link of links) {
    for (const finding of findingsOf(link, signals, hosts)) {
      if (!findings.has(finding.rule)) findings.set(finding.rule, finding)
    }
  }
  return { findings: [...findings.values()], labels: new Set([...hosts.values()].map(({ label }) => label)) }
}

function findingsOf(
  { target, text, location, offset }: Link,
  signals: MessageSignals,
  hosts: Map<string, Host>,
): readonly Finding[] {
  const make = (rule: string, points: number, fraud: number) => at(offset, location, rule, points, fraud)
  const parts = takeApart(target)
  if (parts === null) {
    if (!SCRIPT.test(target.replaceAll(UNSEEN, ''))) return NOTHING
    return [make('link_script', 20, 1)(target, 'A link runs a script or carries data', 'Link to a page')]
  }
  const [authority, rest] = parts
  const name = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
  const known = hosts.get(name)
  const host = known ?? remembered.find(name, readHost)
  const findings = mismatch(host, text, signals, make)
  const suffix = !rest.includes('.') ? '' : (ENDING.exec(rest)?.[1]?.toLowerCase() ?? '')
  if (LURES.has(suffix))
    findings.push(
      make('link_program', 26, 2)(target, 'A link loads a program', 'Link to a page that explains the download'),
    )
  if (authority.includes('@'))
    findings.push(
      make('link_userinfo', 30, 2)(target, 'A link has a name before its host', 'Remove what stands before the @'),
    )
  if (known === undefined && hosts.size < MAX_HOSTS) {
    hosts.set(name, host)
    if (!host.isPlain) findings.push(...hostFindings(host, signals, make))
  }
  return findings
}

type Make = (
  rule: string,
  points: number,
  fraud: number,
) => (match: string, description: string, suggestion: string) => Finding

/** The host with everything before it, and the rest up to the first blank; null when it is not a web address. */
function takeApart(target: string): readonly [authority: string, rest: string] | null {
  const from = target.startsWith('https://') ? 8 : target.startsWith('http://') ? 7 : 0
  let end = from
  if (from > 0) while (end < target.length && isPlainOfHost(target.charCodeAt(end))) end++
  // The fast path: most addresses are plain, and have no dot after the host.
  const isPlain = end > from && end - from <= MAX_AUTHORITY_CHARS && (end === target.length || target[end] === '/')
  if (isPlain && endsInLetters(target, end)) {
    const rest = target.slice(end)
    return [target.slice(from, end), rest.includes('.') ? (/^\S*/.exec(rest)?.[0] ?? '') : '']
  }
  return asBrowsersDo(target) ?? asWritten(target)
}

/**
 * `http:/host`, `ht<tab>tp://host`, `http:\\host`, `//host`, and hosts written with percent signs, in full width or as one
 * number lead where browsers take them (https://url.spec.whatwg.org), not where they seem to lead.
 */
function asBrowsersDo(target: string): readonly [authority: string, rest: string] | null {
  const url = URL.parse(/^[\\/]{2}/.test(target) ? `http:${target}` : target)
  if (url === null || !/^https?:$/.test(url.protocol) || url.host.length > MAX_AUTHORITY_CHARS) return null
  const before = url.username === '' && url.password === '' ? '' : `${url.username}@`
  return [`${before}${url.host}`, `${url.pathname}${url.search}`]
}

/** Addresses that no browser accepts but a reader may follow: `hxxp://host`. */
function asWritten(target: string): readonly [authority: string, rest: string] | null {
  const [, authority, rest = ''] = TARGET.exec(target) ?? []
  return authority === undefined ? null : [authority, rest]
}

/** The host is a name. A host whose last label is a number is an IP address, however it is written. */
function endsInLetters(target: string, end: number): boolean {
  return isPlainLetter(target.charCodeAt(target.lastIndexOf('.', end) + 1)) && isPlainLetter(target.charCodeAt(end - 1))
}

/** Letters, digits, dot and hyphen. */
function isPlainOfHost(code: number): boolean {
  return isPlainLetter(code) || (code - 0x30) >>> 0 < 10 || code === 0x2e || code === 0x2d
}

function mismatch(
  { host, domain, label }: Host,
  text: string,
  { alarmed, signsIn }: MessageSignals,
  make: Make,
): Finding[] {
  if (!text.includes('.')) return []
  const shown = SHOWN.exec(text.trim())?.[1]?.toLowerCase()
  if (shown === undefined) return []
  const displayed = parse(shown)
  if (displayed.isIcann !== true || displayed.domain === null || displayed.domain === domain) return []
  const name = displayed.domainWithoutSuffix ?? ''
  // One organisation under several names, or its own click-tracking host: shop.example, shop-mail.example.
  const isNear =
    name.length >= 4 &&
    (label.includes(name) || (label.length >= 4 && name.includes(label)) || host.startsWith(`${name}.`))
  const isSame = isNear && !/-|\d/.test(label.replace(name, ''))
  // Readers trust a full address; a bare name may be the name of the organisation on a click-tracking link.
  const isAddress = alarmed || /^(?:https?:|www\.)|\//i.test(text.trim())
  // The text shows a sign-in address, and the link leads away from the brand's own sites or to a top-level domain that filters
  // distrust. Links that show a product or another page often differ only because of click tracking.
  const isFalse = isCheap(host) || BRANDS.some((brand) => isOwn(brand, name) && !isOwn(brand, label))
  const isLogin = isAddress && (signsIn || hasBait(text)) && isFalse
  const [points, fraud] = isSame ? [6, 0] : isLogin ? [44, 2] : isAddress ? [24, 2] : [9, 0]
  return [
    make('link_mismatch', points, fraud)(
      `${shown} -> ${host}`,
      'A link shows one domain and goes to another',
      'Show the domain the link goes to, or words',
    ),
  ]
}

function hasBait(address: string): boolean {
  return address
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => SIGN_IN.has(word))
}

type Say = (rule: string, points: number, fraud: number, description: string, suggestion: string) => void

function hostFindings(host: Host, signals: MessageSignals, make: Make): Finding[] {
  const found: Finding[] = []
  const say: Say = (rule, points, fraud, description, suggestion) =>
    found.push(make(rule, points, fraud)(host.host, description, suggestion))
  if (host.domain === null) {
    if (IP_ADDRESS.test(host.host))
      say('link_ip', 22, 2, 'A link goes to an IP address', 'Link to a domain of your own')
    return found
  }
  const isFree = isFreeHost(host.host)
  const brand = brandIn(host, signals)
  hidden(host, host.domain, signals, say)
  if (isFree) free(signals, say)
  distrusted(host, brand, signals, say)
  if (brand !== null) ofBrand(host, brand, signals, say)
  else if (!isFree) namedAsBait(host, signals, say)
  return found
}

const OWN_PAGE = 'Link to a page of your own domain'
const IP_ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|0x[0-9a-f]+|\d{8,10})(?::\d+)?$/

/** The reader does not see where the link goes. */
function hidden({ host }: Host, domain: string, { alarmed }: MessageSignals, say: Say): void {
  const [points, fraud] = alarmed ? [16, 2] : [8, 1]
  if (SHORTENERS.has(domain))
    say('link_shortener', points, fraud, 'A shortened link hides where it goes', 'Link to the page itself')
  if (isDisguised(withoutPort(host)))
    say(
      'link_homograph',
      15,
      fraud,
      'A link goes to a domain whose letters look like others',
      'Check that it is the domain you mean',
    )
}

function free({ alarmed }: MessageSignals, say: Say): void {
  const [points, fraud] = alarmed ? [14, 2] : [3, 0]
  say('link_free_host', points, fraud, 'A link goes to a page that anybody can make for nothing', OWN_PAGE)
}

/** Filters distrust the ending or the port. */
function distrusted({ host }: Host, brand: Brand | null, { alarmed, spoken }: MessageSignals, say: Say): void {
  const isDoubtful = alarmed || (brand !== null && spoken.has(brand.name))
  const [points, fraud] = isDoubtful ? [12, 1] : [3, 0]
  if (isCheap(host))
    say('link_cheap_domain', points, fraud, 'A link goes to a domain under an ending that filters distrust', OWN_PAGE)
  if (/:\d+$/.test(host) && !/:(?:80|443)$/.test(host))
    say('link_port', 8, 1, 'A link goes to an unusual port', 'Use the usual port')
}

/** When the mail names the brand, bait words in the host show that the reader is to take it for the brand's own. */
function ofBrand(host: Host, brand: Brand, { alarmed, spoken }: MessageSignals, say: Say): void {
  const points = !spoken.has(brand.name) ? (alarmed ? 28 : 14) : baitWords(host) > 0 ? 44 : 34
  say('link_brand', points, 2, `A link’s host uses the name of ${brand.name} and is not theirs`, OWN_PAGE)
}

function namedAsBait(host: Host, { alarmed }: MessageSignals, say: Say): void {
  if (!host.label.includes('-') || baitWords(host) < (alarmed ? 1 : 2)) return
  const [points, fraud] = alarmed ? [16, 2] : [6, 1]
  say('link_bait_host', points, fraud, 'A link’s host is named for what fraud asks for', OWN_PAGE)
}

function baitWords({ label, sub }: Host): number {
  return [...label.split('-'), ...sub.split(/[.-]/)].filter((word) => BAIT_WORDS.has(word)).length
}

function withoutPort(name: string): string {
  return name.replace(/:\d+$/, '')
}

function isCheap(name: string): boolean {
  return RISKY_TLDS.has(name.slice(name.lastIndexOf('.') + 1))
}

/** One of FREE_HOSTS, or a host below one. */
function isFreeHost(name: string): boolean {
  for (let from = 0; from !== -1; ) {
    if (FREE_HOSTS.has(name.slice(from))) return true
    const dot = name.indexOf('.', from)
    from = dot === -1 ? -1 : dot + 1
  }
  return false
}

const remembered = new Recent<Host>(MAX_REMEMBERED)

function readHost(name: string): Host {
  const host = withoutPort(name)
  const { domain, domainWithoutSuffix, subdomain, isIp } = parse(host, { allowPrivateDomains: false })
  const read =
    isIp === true || domain === null
      ? { host: name, domain: null, label: '', sub: '', isPlain: false }
      : { host: name, domain, label: domainWithoutSuffix ?? '', sub: subdomain ?? '', isPlain: false }
  const says = hostFindings(read, { alarmed: true, spoken: ALL_BRANDS, signsIn: true }, (rule, points, fraud) =>
    at(0, 'html', rule, points, fraud),
  )
  return { ...read, isPlain: says.length === 0 }
}

/** As if an alarming mail named every brand: a host with no finding then never has one. */
const ALL_BRANDS: ReadonlySet<string> = new Set(BRANDS.map(({ name }) => name))
const NO_BRANDS: ReadonlySet<string> = new Set()

const LONG_BRAND_CHARS = 6
/** Brands whose first label has at least LONG_BRAND_CHARS characters, by the beginning of that label. */
const LONG_BRANDS = Map.groupBy(
  BRANDS.filter(({ labels: [own = ''] }) => own.length >= LONG_BRAND_CHARS),
  ({ labels: [own = ''] }) => own.slice(0, LONG_BRAND_CHARS),
)
const DIGITS: Readonly<Record<string, string>> = { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's' }

/** The brand whose name the host bears although the host is not the brand's. */
function brandIn({ host, label, sub }: Host, { alarmed, spoken }: MessageSignals): Brand | null {
  const plain = withoutAccents(label).replaceAll(/[01345]/g, (digit) => DIGITS[digit] ?? digit)
  const parts = [...plain.split('-'), ...sub.split(/[.-]/)]
  // A name that others bear too needs a further sign that the brand is meant.
  const isMeant = (brand: Brand, others: readonly string[]): boolean =>
    brand.isWord !== true ||
    spoken.has(brand.name) ||
    // In the domain itself, when the mail suggests fraud or the name is spelt with digits.
    (plain.includes(brand.name) && (alarmed || !label.includes(brand.name))) ||
    others.some((other) => BAIT_WORDS.has(other)) ||
    isCheap(host)
  for (const word of new Set([plain, ...parts, label.replaceAll('-', ''), sub.replaceAll(/[.-]/g, '')])) {
    const brand = BRAND_OF_LABEL.get(word)
    if (brand !== undefined && !isOwn(brand, label) && isMeant(brand, parts)) {
      // A short word in the subdomain alone may be a plain word or a partner: `dpd.shop.example`.
      if (word.length >= 5 || label.includes(word) || spoken.has(brand.name)) return brand
    }
  }
  // `docu-signz` counts like `docusign-now`.
  for (const written of new Set([plain, plain.replaceAll('-', '')])) {
    for (const brand of LONG_BRANDS.get(written.slice(0, LONG_BRAND_CHARS)) ?? []) {
      const [own = ''] = brand.labels
      const others = [...parts, ...written.slice(own.length).split('-')]
      if (written !== own && written.startsWith(own) && !isOwn(brand, label) && isMeant(brand, others)) return brand
    }
  }
  return null
}

/** The brand whose name a sender's domain bears although the domain is not the brand's; null: it bears none. */
export function brandBorneBy(domain: string): string | null {
  return brandIn(remembered.find(domain, readHost), { alarmed: false, spoken: NO_BRANDS, signsIn: false })?.name ?? null
}

/** `label` is the registered label of one of the brand's own sites. Each member of a group has a site named for the group. */
export function isOwn({ name, labels, group }: Brand, label: string): boolean {
  if (labels.includes(label)) return true
  if (group !== true || !label.includes(name)) return false
  return !label.split('-').some((word) => BAIT_WORDS.has(word))
}

/**
 * A brand that the mail mentions while no link leads to any mentioned brand's sites; null when there is none.
 * @param calls the mail gives a telephone number, which leads somewhere too
 */
export function brandWithoutLink(
  named: ReadonlySet<string>,
  labels: ReadonlySet<string>,
  calls: boolean,
): Brand | null {
  if (labels.size === 0 && !calls) return null
  const spoken = BRANDS.filter(({ name }) => named.has(name))
  if (spoken.some((brand) => [...labels].some((label) => isOwn(brand, label)))) return null
  return spoken[0] ?? null
}

const FREE_MAIL =
  words(`gmail.com googlemail.com outlook.com hotmail.com yahoo.com aol.com gmx.com gmx.de web.de mail.com
  protonmail.com proton.me icloud.com yandex.com mail.ru live.com zoho.com tutanota.com outlook.fr hotmail.fr orange.fr
  laposte.net yahoo.fr hotmail.es yahoo.es outlook.es t-online.de freenet.de qq.com 163.com`)

export function isFreeMail(address: string): boolean {
  return FREE_MAIL.has(domainPart(address).toLowerCase())
}

/** Whether any link leads to a site other than those with these registered labels. */
export function leadOut(links: readonly Link[], own: readonly string[]): boolean {
  return links.some(({ target }) => {
    const [authority] = takeApart(target) ?? []
    return authority !== undefined && !own.includes(remembered.find(authority.toLowerCase(), readHost).label)
  })
}

/** The registered label of a sender's domain; empty when the domain is unknown. */
export function labelOf(domain: string | undefined): readonly string[] {
  return domain === undefined ? [] : [remembered.find(domain, readHost).label]
}
