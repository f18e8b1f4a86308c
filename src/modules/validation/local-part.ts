// The kind of name before the @.
//
//   role         a function, not a person: role-based-email-addresses (MIT), ignoring tags and separators
//   human_name   a given name with something like a surname, in either order, or a given name alone
//   random       machine-made: digits, hexadecimal, or letter sequences that no language has
//   generic      everything else
//
// Given names come from gender-detection-from-name (MIT; English, French, Spanish, Italian, German, Turkish). The same names
// teach how letters follow one another: the score of a word is the mean logarithm of the probability of each letter after the
// two before it. Names of languages missing in the lists (Slavic, Baltic, African, Chinese, Vietnamese; in Latin letters) are
// listed here, because their letters follow one another differently. Words of these languages, and names on no list, score above
// `SPEAKABLE`; random letters score below. The test checks the threshold against labelled lists.

import { createRequire } from 'node:module'
import { HashedSet, readOnce } from './hashed-set.ts'

export type LocalPattern = 'human_name' | 'role' | 'random' | 'generic'

const roleNames = createRequire(import.meta.url)('role-based-email-addresses') as readonly string[]
/** On the list as places or products, but far more often names of people. */
const PEOPLE = new Set(['alexa', 'alla', 'arin', 'denver', 'france', 'gardner', 'sydney', 'sem', 'women'])
/** The package has few roles in other languages: German, French, Spanish, Italian, Dutch, Scandinavian, Polish, Portuguese. */
const EUROPEAN_ROLES = `returns orders order refunds dpo gdpr dsgvo legal compliance procurement purchasing reception recruitment
  recruiting careers bookings booking reservations reservation accountspayable accountsreceivable accounts.payable
  accounts.receivable invoicing invoice invoices payroll payments warehouse logistics dispatch facilities complaints
  feedback enquiries enquiry inquiries inquiry customercare customersupport customer.service
  vertrieb einkauf bewerbung bewerbungen verwaltung kundenservice kundendienst kundenbetreuung kundensupport anfrage anfragen
  empfang bestellung bestellungen rechnungen rechnungswesen rechnungseingang personalabteilung karriere
  datenschutz datenschutzbeauftragter geschaeftsfuehrung geschaftsfuhrung geschaeftsleitung geschaftsleitung sekretariat
  zentrale buero buro verkauf versand retouren reklamation reklamationen service technik presse redaktion beratung
  buchung buchungen reservierung lohnbuchhaltung mahnung mahnwesen lager poststelle posteingang beschwerde hausverwaltung
  facturation accueil commande commandes commercial ventes achats service.client serviceclient serviceclients compta
  comptabilite rh recrutement secretariat direction juridique reclamation reclamations livraison reservations
  facturacion pedidos compras administracion atencionalcliente atencion.cliente clientes recepcion rrhh empleo reservas
  contabilidad devoluciones reclamaciones direccion
  vendite acquisti amministrazione fatturazione fatture ordini assistenza assistenzaclienti prenotazioni segreteria
  contabilita commerciale risorseumane reclami spedizioni
  verkoop inkoop klantenservice administratie facturen facturatie bestellingen boekhouding receptie vacatures
  kundtjanst faktura fakturor ekonomi forsaljning inkop kundeservice regnskab salg ordrer bestilling bogholderi
  asiakaspalvelu myynti laskutus
  biuro sprzedaz faktury ksiegowosc zamowienia rekrutacja sekretariat reklamacje obslugaklienta
  vendas faturacao faturamento financeiro atendimento encomendas`
const EUROPEAN: ReadonlySet<string> = new Set(EUROPEAN_ROLES.split(/\s+/))
const ACCENTED = /\p{M}/u
const ROLES: ReadonlySet<string> = new Set([
  ...roleNames.map((name) => name.toLowerCase()).filter((name) => !PEOPLE.has(name)),
  ...['abuse', 'postmaster', 'hostmaster', 'webmaster', 'noreply', 'no-reply', 'donotreply', 'do-not-reply'],
  ...['admin', 'administrator', 'info', 'sales', 'support', 'contact', 'office', 'billing', 'security', 'privacy'],
  ...['mailer-daemon', 'help', 'helpdesk', 'kontakt', 'buchhaltung', 'rechnung', 'contacto', 'ventas', 'comptabilite'],
  ...EUROPEAN,
])
const COMPACT_ROLES: ReadonlySet<string> = new Set([...ROLES].map((name) => name.replace(/[._-]/g, '')))

/** Whether the local part names a function rather than a person. Pure; ignores a `+tag` and case. */
export function isRole(local: string): boolean {
  const name = plain(local)
  // With an accent only European roles count: `kundtjänst` is one, but `üser` is not `user`.
  if (ACCENTED.test(local.normalize('NFKD'))) return EUROPEAN.has(name)
  return ROLES.has(name) || (name.length > 3 && COMPACT_ROLES.has(name.replace(/[._-]/g, '')))
}

/** Teaches the letter sequences of languages that the lists of names lack; does not decide who is a person. */
const FURTHER_NAMES = `hrvoje zvonimir hrvat krsto krstic mrkonja grgur grgic srdan vrdoljak crnko drago drnic zdravko trpimir
  brzezinski brzoza szczepan szczesny przemyslaw grzegorczyk krzysztof wrzesniewski zdzislaw mscislaw czeslaw szymczyk
  strzelec trzaska skrzypczak jedrzejczyk dzierzynski wlodzimierz kiewicz mickiewicz sienkiewicz brzeczy
  shchepkin shchukin shcherbakov khrushchev hryhorii hrytsenko mstyslav vsevolod dzhokhar chkheidze mkrtchyan mgeladze
  vlk vlcek prchal brnak trnka smrz vrba strba hlinka zdenek kvetoslava hrbek dvorak
  dziugas dziedzic zygimantas vytautas kestutis aldis ilze
  sbusiso sibusiso mthunzi mbongeni ntombi nkosana hlengiwe nhlanhla ngcobo mkhize mwangi njoroge nkrumah ngozi kwame kwabena
  nguyen nghia nghiem ngoc ngan phuong thuy huynh truong trinh
  kwok kwong ngai ngkwok tszkit tszwai cheung xiong xiaoqing qingxia qingyu qiuxia xiuying xuefei zhang zhiqiang hsieh hsiao
  hsueh tseng tzu chih hwang hyun`
const MIN_SINGLE_NAME = 3
const MIN_SURNAME = 3
const MAX_NAME = 20
const MIN_RANDOM = 6
const SPEAKABLE = -4.25
const UUID_OR_HEX = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$|^(?=.*\d)[0-9a-f]{12,}$/

/** Providers that give their customers numbers, or use telephone numbers as names. */
const NUMBERED = new Set([
  ...[
    'qq.com',
    'vip.qq.com',
    'foxmail.com',
    '163.com',
    '126.com',
    'yeah.net',
    'vip.163.com',
    '139.com',
    '189.cn',
    'wo.cn',
  ],
  ...['sina.com', 'sina.cn', 'sohu.com', 'aliyun.com', '21cn.com'],
])
const NUMBER = /^[a-z]{0,12}[._-]?\d{5,}[._-]?[a-z]{0,12}$/

/** @param domain lower-case A-labels */
export function patternOf(local: string, domain: string): LocalPattern {
  if (isRole(local)) return 'role'
  const name = plain(local)
  if (NUMBERED.has(domain) && NUMBER.test(name)) return 'generic'
  if (looksRandom(name)) return 'random'
  return looksHuman(name) ? 'human_name' : 'generic'
}

/** Lower case, without quotes, tag and accents; the lists of names have both spellings. */
function plain(local: string): string {
  const bare = local.startsWith('"') ? local.slice(1, -1) : local
  const tag = bare.indexOf('+')
  return (tag > 0 ? bare.slice(0, tag) : bare).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

function looksHuman(name: string): boolean {
  // A year or number after a name is ordinary; digits within it are not.
  const words = name
    .replace(/\d{1,4}$|['’]/g, '')
    .split(/[._-]+/)
    .filter((word) => word !== '')
  if (words.length === 0 || words.length > 4 || words.some((word) => !/^\p{L}{1,20}$/u.test(word))) return false
  const { given } = speech()
  if (words.length === 1) return isOneName(words[0] ?? '')
  const long = words.filter((word) => word.length > 1)
  if (long.length === 0 || long.some((word) => ROLES.has(word) && !given.has(word))) return false
  if (words.length > long.length) return long.some((word) => word.length >= MIN_SURNAME) && long.every(isSpeakable)
  return long.some((word) => word.length >= MIN_SINGLE_NAME && given.has(word)) && long.every(isSpeakable)
}

/** `john`, `johnsmith`, `smithjohn`, `jsmith`. */
function isOneName(word: string): boolean {
  const { given } = speech()
  if (word.length > MAX_NAME) return false
  if (word.length >= MIN_SINGLE_NAME && given.has(word)) return true
  if (word.length > MIN_SURNAME && given.has(word.slice(1)) && word.length > 5) return true
  for (let cut = 4; cut <= word.length - MIN_SURNAME; cut++) {
    const [front, back] = [word.slice(0, cut), word.slice(cut)]
    if (given.has(front) && back.length >= 4 && given.has(back)) return true
  }
  return false
}

function looksRandom(name: string): boolean {
  if (UUID_OR_HEX.test(name)) return true
  const solid = name.replace(/[._-]/g, '')
  if (solid.length < MIN_RANDOM) return false
  const digits = solid.replace(/\D/g, '').length
  if (digits === solid.length) return true
  // How often letters change to digits and back: `a8x2k9` against `anna1984`.
  const turns = (solid.match(/\d(?=\D)|\D(?=\d)/g) ?? []).length
  if (turns >= 3 && solid.length >= 8) return true
  if (digits / solid.length > 0.5 && digits > 4 && solid.length > 7) return true
  const words = name.split(/[^\p{L}]+/u).filter((word) => word.length > 0)
  const longest = words.reduce((a, b) => (b.length > a.length ? b : a), '')
  if (turns >= 2 && solid.length >= 7 && !isSpeakable(longest)) return true
  return longest.length >= MIN_RANDOM && /^[a-z]+$/.test(longest) && !isSpeakable(longest)
}

function isSpeakable(word: string): boolean {
  return word.length < 4 || !/^[a-z]+$/.test(word) || pronounceability(word) > SPEAKABLE
}

/** Mean of log P(letter | the two before it), including the end. Between -1.5 (a name) and -6 (noise). */
export function pronounceability(word: string): number {
  const { logs } = speech()
  let sum = 0
  let [a, b] = [0, 0]
  for (const unit of codes(word)) {
    sum += logs[(a * LETTERS + b) * LETTERS + unit] ?? 0
    ;[a, b] = [b, unit]
  }
  return sum / (word.length + 1)
}

interface Speech {
  readonly given: HashedSet
  /** By the two previous letters and the letter; 27 symbols, 0 being the end of a word. */
  readonly logs: Float32Array
}

const LETTERS = 27
const LANGUAGES = ['en', 'fr', 'es', 'it', 'de', 'tr']
/** Count assumed for a sequence that never occurred. */
const UNSEEN = 0.05
const loaded: { speech: Speech | null } = { speech: null }

/** Made at the first use, about 100 ms once per process; takes 700 KB. */
function speech(): Speech {
  if (loaded.speech !== null) return loaded.speech
  const names = new Set<string>()
  for (const language of LANGUAGES) {
    const table = readOnce<ReadonlyMap<string, string>>(`gender-detection-from-name/names/${language}`)
    for (const name of table.keys()) names.add(plain(name).replaceAll(/[^\p{L}]/gu, ''))
  }
  const counts = new Float32Array(LETTERS ** 3)
  for (const name of [...names, ...FURTHER_NAMES.split(/\s+/)]) {
    if (!/^[a-z]{3,}$/.test(name)) continue
    let [a, b] = [0, 0]
    for (const unit of codes(name)) {
      const at = (a * LETTERS + b) * LETTERS + unit
      counts[at] = (counts[at] ?? 0) + 1
      ;[a, b] = [b, unit]
    }
  }
  loaded.speech = { given: new HashedSet(names), logs: logarithms(counts) }
  return loaded.speech
}

function logarithms(counts: Float32Array): Float32Array {
  const logs = new Float32Array(counts.length)
  for (let row = 0; row < counts.length; row += LETTERS) {
    const total = counts.subarray(row, row + LETTERS).reduce((sum, count) => sum + count, 0) + LETTERS * UNSEEN
    for (let unit = 0; unit < LETTERS; unit++) logs[row + unit] = Math.log(((counts[row + unit] ?? 0) + UNSEEN) / total)
  }
  return logs
}

/** The letters as 1 to 26, then 0 for the end. */
function* codes(word: string): Generator<number> {
  for (let index = 0; index < word.length; index++) yield word.charCodeAt(index) - 96
  yield 0
}
