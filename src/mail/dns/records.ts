// Defines the TXT records that a sending domain publishes and checks them: ownership, SPF, DKIM and DMARC. The values handed
// out always pass when published as given with nothing beside them. Other values pass when they have the same effect: an
// SPF policy whose evaluation reaches our mechanism, a DKIM record with the same key, any valid DMARC policy.
//
// An optional fifth record has no part in the decision: the second DKIM key, Ed25519 (RFC 8463), under its own selector.
// Once it is published, mail is signed with both keys.
//
// A DNS failure (SERVFAIL, time-out, the caller's deadline) is status `error`: it proves nothing about the domain.

import { getDomain } from 'tldts'
import type { Resolver } from '../../platform/dns.ts'
import { discoverDmarc, isDmarcRecord, parseDmarc } from '../authentication/dmarc.ts'
import { lookupSpf } from '../authentication/spf.ts'
import { reaches } from '../authentication/spf-reach.ts'
import { isSpfRecord, parseSpf } from '../authentication/spf-record.ts'
import { type ExpectedText, MAX_NAME_CHARS, misplacedNames, misplacedRecord, nearMiss, textsAt } from './mistakes.ts'

export type Purpose = 'ownership' | 'spf' | 'dkim' | 'dmarc'
export const PURPOSES: readonly Purpose[] = ['ownership', 'spf', 'dkim', 'dmarc']

export type RecordStatus = 'pending' | 'valid' | 'missing' | 'mismatch' | 'multiple' | 'error'

/** A TXT record to publish. Names are full, without a trailing dot. */
export interface DomainRecord {
  readonly purpose: Purpose
  readonly name: string
  /** The part of `name` left of the registrable domain; `@` for that domain itself. */
  readonly host: string
  readonly value: string
  /** Seconds. */
  readonly ttl: number
  /** False for a record that is shown but does not affect verification. */
  readonly required: boolean
}

export interface DomainIdentity {
  /** Lower-case A-labels, no trailing dot. */
  readonly domain: string
  readonly verificationToken: string
  readonly dkimSelector: string
  /** Base64 of the SubjectPublicKeyInfo, the value of `p=`. */
  readonly dkimPublicKey: string
  /** Base64 of the bare 32 bytes of the second key. */
  readonly ed25519PublicKey: string
  /** For example `a:mail.example.com`. */
  readonly spfMechanism: string
}

/** Result of a check. `found` holds at most FOUND_LIMIT texts; they and `error` have at most FOUND_CHARACTERS. */
export interface RecordCheck {
  readonly status: Exclude<RecordStatus, 'pending'>
  readonly expected: string
  readonly found: readonly string[]
  /** What is wrong, for a person; null when valid. */
  readonly error: string | null
}

export type DomainChecks = Readonly<Record<Purpose, RecordCheck>>

const FOUND_LIMIT = 10
export const FOUND_CHARACTERS = 1_024
const TTL_SECONDS = 3_600
const OWNERSHIP_PREFIX = 'posthorn-verify='

/** The registrable domain by the public suffix list; the name itself when it is a public suffix. */
export function registrableDomain(domain: string): string {
  return getDomain(domain) ?? domain
}

/** The part of a name that a DNS provider's form asks for. */
export function hostOf(name: string, domain: string): string {
  const zone = registrableDomain(domain)
  return name === zone ? '@' : name.slice(0, -(zone.length + 1))
}

/**
 * The four records, in the order ownership, SPF, DKIM, DMARC.
 *
 * DMARC reports go to postmaster at the registrable domain: RFC 5321 section 4.5.1 requires that mailbox, and inside one
 * organizational domain no other zone has to authorise them (RFC 9990). There is no `pct` (RFC 9989).
 */
export function domainRecords(identity: DomainIdentity): readonly DomainRecord[] {
  const { domain, verificationToken, dkimSelector, dkimPublicKey, spfMechanism } = identity
  const record = (purpose: Purpose, name: string, value: string, required = true): DomainRecord => {
    return { purpose, name, host: hostOf(name, domain), value, ttl: TTL_SECONDS, required }
  }
  return [
    record('ownership', `_posthorn-verify.${domain}`, `${OWNERSHIP_PREFIX}${verificationToken}`),
    record('spf', domain, spfRecord(spfMechanism)),
    record('dkim', `${dkimSelector}._domainkey.${domain}`, `v=DKIM1; k=rsa; p=${dkimPublicKey}`),
    record('dmarc', `_dmarc.${domain}`, dmarcRecord(domain), false),
  ]
}

/** The selector of the second key, derived from that of the first. */
export function ed25519Selector(dkimSelector: string): string {
  return `${dkimSelector}e`
}

/** The record of the RSA key alone, the third of `domainRecords`. */
export function dkimRecord(identity: DomainIdentity): DomainRecord {
  return domainRecords(identity).find(({ purpose }) => purpose === 'dkim') as DomainRecord
}

/** RFC 8463 section 4. */
export function ed25519Record({ domain, dkimSelector, ed25519PublicKey }: DomainIdentity): DomainRecord {
  const name = `${ed25519Selector(dkimSelector)}._domainkey.${domain}`
  const value = `v=DKIM1; k=ed25519; p=${ed25519PublicKey}`
  return { purpose: 'dkim', name, host: hostOf(name, domain), value, ttl: TTL_SECONDS, required: false }
}

export function spfRecord(mechanism: string): string {
  return `v=spf1 ${mechanism} ~all`
}

export function dmarcRecord(domain: string): string {
  return `v=DMARC1; p=none; rua=mailto:postmaster@${registrableDomain(domain)}`
}

/** Checks all four records in parallel. No DNS response makes it throw; an aborted `signal` is status `error`. */
export async function checkDomain(
  identity: DomainIdentity,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<DomainChecks> {
  const check = (purpose: Purpose): Promise<RecordCheck> => checkRecord(purpose, identity, resolver, signal)
  const [ownership, spf, dkim, dmarc] = await Promise.all([
    check('ownership'),
    check('spf'),
    check('dkim'),
    check('dmarc'),
  ])
  return { ownership, spf, dkim, dmarc }
}

/** Checks the record of the RSA key alone. Throws no more than `checkDomain` does. */
export function checkDkimKey(identity: DomainIdentity, resolver: Resolver, signal?: AbortSignal): Promise<RecordCheck> {
  return checkRecord('dkim', identity, resolver, signal)
}

function checkRecord(
  purpose: Purpose,
  identity: DomainIdentity,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<RecordCheck> {
  const record = domainRecords(identity).find((each) => each.purpose === purpose) as DomainRecord
  const find = async (): Promise<Finding> => {
    // A DMARC record may be that of a domain above.
    const unpublishable = purpose === 'dmarc' ? null : nameTooLong(record.name)
    if (unpublishable !== null) return unpublishable
    const finding = await CHECKS[purpose](record, identity, resolver, signal)
    const isWrong = finding.status === 'missing' || finding.status === 'mismatch'
    return isWrong ? explained(finding, record, identity, resolver, signal) : finding
  }
  return checked(record, find, signal)
}

/** Checks whether the second key is published. Throws no more than `checkDomain` does. */
export function checkEd25519(identity: DomainIdentity, resolver: Resolver, signal?: AbortSignal): Promise<RecordCheck> {
  const record = ed25519Record(identity)
  const key = { type: 'ed25519', publicKey: identity.ed25519PublicKey } as const
  const find = async (): Promise<Finding> =>
    nameTooLong(record.name) ?? (await checkKeyRecord(record.name, key, resolver, signal))
  return checked(record, find, signal)
}

/** Of a record whose name does not fit in the DNS (RFC 1035 section 2.3.4); null for one that fits. */
function nameTooLong(name: string): Finding | null {
  if (name.length <= MAX_NAME_CHARS) return null
  const error = `the name of this record has ${name.length} characters and the DNS allows ${MAX_NAME_CHARS}: use a shorter domain`
  return { status: 'missing', found: [], error }
}

/** Runs `find` and bounds its texts. @returns status `error` when `find` throws after `signal` was aborted */
export async function checked(
  { value }: Pick<DomainRecord, 'value'>,
  find: () => Promise<Finding>,
  signal: AbortSignal | undefined,
): Promise<RecordCheck> {
  try {
    const { status, found, error } = await find()
    return {
      status,
      expected: value,
      found: found.slice(0, FOUND_LIMIT).map(clipped),
      error: error === null ? null : clipped(error),
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error
    return { status: 'error', expected: value, found: [], error: 'the DNS did not answer in time' }
  }
}

function clipped(text: string): string {
  return text.length > FOUND_CHARACTERS ? `${text.slice(0, FOUND_CHARACTERS - 1)}…` : text
}

export type Finding = Omit<RecordCheck, 'expected'>
type Check = (
  record: DomainRecord,
  identity: DomainIdentity,
  resolver: Resolver,
  signal: AbortSignal | undefined,
) => Promise<Finding>

const CHECKS: Readonly<Record<Purpose, Check>> = {
  ownership: checkOwnership,
  spf: checkSpf,
  dkim: checkDkim,
  dmarc: checkDmarc,
}

/** Adds the owner's mistake if it can be determined: a garbled value, or a correct one under another name. */
async function explained(
  finding: Finding,
  { purpose, name }: DomainRecord,
  identity: DomainIdentity,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const wanted = WANTED[purpose](identity)
  const near = nearMiss(finding.found.length > 0 ? finding.found : await textsAt(name, resolver, signal), wanted)
  if (near !== null) return { status: 'mismatch', found: [near.text], error: near.error }
  if (finding.status !== 'missing') return finding
  const zone = registrableDomain(identity.domain)
  const misplaced = await misplacedRecord(misplacedNames(name, identity.domain, zone), wanted, resolver, signal)
  if (misplaced === null) return finding
  return { ...finding, error: `${finding.error}; it stands at ${misplaced.name}: give it the name ${misplaced.host}` }
}

const WANTED: Readonly<Record<Purpose, (identity: DomainIdentity) => ExpectedText>> = {
  ownership: ({ verificationToken }) => ({
    isRight: (text) => text.trim() === `${OWNERSHIP_PREFIX}${verificationToken}`,
    isMeant: (text) => /^posthorn-verify\b/i.test(text),
    isBare: (text) => text.trim() === verificationToken,
    begins: OWNERSHIP_PREFIX,
  }),
  spf: ({ spfMechanism }) => ({
    isRight: (text) => isSpfRecord(text) && !('syntaxError' in parseSpf(text, spfMechanism)),
    isMeant: (text) => /^v\s*=\s*spf/i.test(text),
    isBare: (text) => text.toLowerCase().startsWith(spfMechanism.toLowerCase()),
    begins: 'v=spf1 ',
  }),
  dkim: ({ dkimPublicKey }) => ({
    isRight: (text) => dkimKeyFault(text, dkimPublicKey) === null,
    isMeant: () => false,
    isBare: (text) => text.replace(/\s/g, '') === dkimPublicKey,
    begins: 'v=DKIM1; k=rsa; p=',
  }),
  dmarc: () => ({
    isRight: (text) => isDmarcRecord(text) && parseDmarc(text) !== null,
    isMeant: (text) => /^v\s*=\s*dmarc/i.test(text),
    isBare: (text) => /^p\s*=\s*(?:none|quarantine|reject)\b/i.test(text),
    begins: 'v=DMARC1;',
  }),
}

export const VALID = { status: 'valid', error: null } as const

const SERVFAIL_CAUSES = 'its name servers fail or refuse, or its DNSSEC signatures are not valid'

export function dnsError(name: string, reason: string): Finding {
  const why = reason === 'servfail' ? `${reason}: ${SERVFAIL_CAUSES}` : reason
  return { status: 'error', found: [], error: `the DNS did not answer for ${name} (${why})` }
}

async function checkOwnership(
  { name, value }: DomainRecord,
  _identity: DomainIdentity,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Finding> {
  const answer = await resolver.txt(name, signal)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return dnsError(name, answer.kind)
  const texts = answer.kind === 'found' ? answer.records : []
  // Another account that claims the same domain has its record at the same name, so ours among several is proof.
  const found = texts.filter((text) => text.trim().startsWith(OWNERSHIP_PREFIX))
  if (found.some((text) => text.trim() === value)) return { ...VALID, found }
  if (found.length > 0) return { status: 'mismatch', found, error: `${name} holds another token` }
  return { status: 'missing', found: texts, error: `no ownership record at ${name}` }
}

async function checkSpf(
  { name, value }: DomainRecord,
  { spfMechanism }: DomainIdentity,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Finding> {
  const found = await lookupSpf(name, resolver, signal)
  if (found.kind === 'error') return dnsError(name, found.reason)
  if (found.kind === 'none') return { status: 'missing', found: [], error: `${name} has no SPF record` }
  if (found.kind === 'multiple') {
    const merged = mergedSpf(found.texts, spfMechanism)
    const advice = merged === null ? 'merge them' : `publish ${merged} in their place`
    const error = `${name} has ${found.texts.length} SPF records and receivers accept one alone: ${advice}`
    return { status: 'multiple', found: found.texts, error }
  }
  const texts = [found.text]
  if (found.text === value) return { ...VALID, found: texts }
  const reach = await reaches(name, spfMechanism, resolver, signal)
  if (reach.kind === 'reached') return { ...VALID, found: texts }
  if (reach.kind === 'temperror') return { status: 'error', found: texts, error: reach.reason }
  // Putting our mechanism first avoids whatever stops evaluation before it. An unreadable record must be repaired instead.
  const isRead = !('syntaxError' in parseSpf(found.text, spfMechanism))
  const whole = `; publish ${withMechanism(found.text, spfMechanism)}`
  // A record that is cut off would be published like that.
  const fits = reach.reason.length + whole.length <= FOUND_CHARACTERS
  const hint = fits ? whole : `; publish the record with ${spfMechanism} as its first mechanism`
  return { status: 'mismatch', found: texts, error: isRead ? reach.reason + hint : reach.reason }
}

/** The record with our mechanism first and alone, and the rest kept. */
function withMechanism(text: string, mechanism: string): string {
  return isSpfRecord(text) ? spfOf([mechanism, ...termsBeside(text, mechanism)]) : spfRecord(mechanism)
}

function spfOf(terms: readonly string[]): string {
  return ['v=spf1', ...terms].join(' ')
}

/** All terms but our mechanism, with whatever qualifier. */
function termsBeside(text: string, mechanism: string): readonly string[] {
  const plain = (term: string): string => term.toLowerCase().replace(/^[+?~-]/, '')
  const terms = text.slice('v=spf1'.length).split(' ')
  return terms.filter((term) => term !== '' && plain(term) !== plain(mechanism))
}

/** One record that passes whom any of the others passes; null when that cannot be said or is too long to be shown. */
function mergedSpf(texts: readonly string[], mechanism: string): string | null {
  const records = texts.map((text) => parseSpf(text, mechanism))
  if (records.some((record) => 'syntaxError' in record || record.redirect !== null)) return null
  const isAll = (term: string): boolean => /^[+?~-]?all$/i.test(term)
  // The record that holds nothing but our mechanism says nothing about the owner's own senders.
  const others = texts.map((text) => termsBeside(text, mechanism)).filter((terms) => terms.some((term) => !isAll(term)))
  const ends = others.flatMap((terms) => terms.filter(isAll))
  if (new Set(ends).size > 1) return null
  const merged = spfOf([mechanism, ...new Set(others.flat().filter((term) => !isAll(term))), ends[0] ?? '~all'])
  return merged.length <= MERGED_CHARACTERS ? merged : null
}

const MERGED_CHARACTERS = 512

function checkDkim(
  { name }: DomainRecord,
  { dkimPublicKey }: DomainIdentity,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Finding> {
  return checkKeyRecord(name, { type: 'rsa', publicKey: dkimPublicKey }, resolver, signal)
}

interface PublishedKey {
  readonly type: 'rsa' | 'ed25519'
  /** The value of `p=`. */
  readonly publicKey: string
}

async function checkKeyRecord(
  name: string,
  key: PublishedKey,
  resolver: Resolver,
  signal: AbortSignal | undefined,
): Promise<Finding> {
  const answer = await resolver.txt(name, signal)
  if (answer.kind === 'servfail' || answer.kind === 'timeout') return dnsError(name, answer.kind)
  const texts = answer.kind === 'found' ? answer.records : []
  const keys = texts.filter(looksLikeDkimKey)
  const [text] = keys
  if (text === undefined) return { status: 'missing', found: texts, error: `no DKIM key at ${name}` }
  if (keys.length > 1) {
    // RFC 6376 section 3.6.2.2: with several records, a verifier may pick any of them.
    return { status: 'multiple', found: keys, error: `${name} holds ${keys.length} DKIM keys, only one may stand` }
  }
  const fault = dkimKeyFault(text, key.publicKey, key.type)
  return fault === null ? { ...VALID, found: keys } : { status: 'mismatch', found: keys, error: fault }
}

function looksLikeDkimKey(text: string): boolean {
  return /^\s*v\s*=\s*DKIM1\b/i.test(text) || parseTagList(text)?.has('p') === true
}

/**
 * Why a key record would not verify our signatures; null when it would.
 *
 * `t=y` (testing) passes: a verifier must not treat such mail differently (RFC 6376 section 3.6.1). So does `t=s`, because
 * our signatures have the domain itself as their identity.
 */
export function dkimKeyFault(text: string, publicKey: string, keyType: PublishedKey['type'] = 'rsa'): string | null {
  const tags = parseTagList(text)
  if (tags === null) return 'the DKIM record is not a list of tag=value'
  const version = tags.get('v')
  if (version !== undefined && (version !== 'DKIM1' || [...tags.keys()][0] !== 'v')) {
    return 'v= must be DKIM1 and come first'
  }
  const key = tags.get('p')?.replace(/[ \t\r\n]/g, '')
  if (key === undefined) return 'the DKIM record has no p='
  if (key === '') return 'the DKIM record has an empty p=, which revokes the key'
  const type = tags.get('k') ?? 'rsa'
  if (type !== keyType) return `the DKIM record says k=${type.slice(0, 30)}, the key is ${keyType}`
  const hashes = listed(tags.get('h'))
  if (hashes !== null && !hashes.includes('sha256')) return 'the DKIM record does not allow sha256 (h=)'
  const services = listed(tags.get('s'))
  if (services !== null && !services.includes('*') && !services.includes('email')) {
    return 'the DKIM record is not for email (s=)'
  }
  if (key === publicKey) return null
  const isCut = key.length >= MIN_KEY_START && publicKey.startsWith(key)
  return isCut
    ? `the key (p=) is cut off after ${key.length} of ${publicKey.length} characters: publish it in strings of at most 255`
    : 'the DKIM record holds another key (p=)'
}

/** Exceeds the common prefix of all keys of one type, in characters. */
const MIN_KEY_START = 48

function listed(value: string | undefined): readonly string[] | null {
  return value === undefined ? null : value.split(':').map((part) => part.trim().toLowerCase())
}

/** RFC 6376 section 3.2: `tag=value` separated by semicolons, no tag twice; null for anything else. */
export function parseTagList(text: string): ReadonlyMap<string, string> | null {
  const tags = new Map<string, string>()
  const parts = text.split(';')
  if (parts.at(-1)?.trim() === '') parts.pop()
  for (const part of parts) {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(0, at)).trim()
    if (!/^[a-z][a-z0-9_]*$/i.test(name) || tags.has(name)) return null
    tags.set(name, part.slice(at + 1).trim())
  }
  return tags.size > 0 ? tags : null
}

const POLICY_CHARACTERS = 40

async function checkDmarc(
  { name }: DomainRecord,
  { domain }: DomainIdentity,
  resolver: Resolver,
  signal?: AbortSignal,
): Promise<Finding> {
  const policy = await discoverDmarc(domain, resolver, signal)
  switch (policy.kind) {
    case 'found': {
      const { unknownPolicy } = policy.record
      if (policy.at !== domain || unknownPolicy === null) return { ...VALID, found: [policy.text] }
      const stated = `p=${unknownPolicy.slice(0, POLICY_CHARACTERS)}`
      const error = `${stated} is not a policy: write none, quarantine or reject; receivers act as with none until then`
      return { status: 'mismatch', found: [policy.text], error }
    }
    case 'multiple':
      return {
        status: 'multiple',
        found: policy.texts,
        error: `${name} has several DMARC records, which counts as none`,
      }
    case 'invalid':
      return { status: 'mismatch', found: [policy.text], error: policy.reason }
    case 'none':
      return { status: 'missing', found: [], error: `no DMARC record at ${name} or above` }
    case 'error':
      return dnsError(policy.at, policy.reason)
  }
}
