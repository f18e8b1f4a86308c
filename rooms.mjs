// Who may enter whom. This table is the document and the wall at once: `npm run check` makes the rules of
// dependency-cruiser from it, counts the modules that were read, and fails when code enters what is not named here.
//
// A room is a folder of src/modules. It is entered by its index.ts alone, and only from a higher floor, so the rooms have
// no cycle. A table of the database is named in the sql.ts of one room alone (test/tidy.test.ts).

/** @type {import('./rooms.d.mts').Room[]} */
export const ROOMS = [
  {
    name: 'accounts',
    floor: 1,
    owns: 'customers, plans, API keys, SMTP credentials, quotas, dashboard users and sessions',
    enters: [],
  },
  {
    name: 'events',
    floor: 1,
    owns: 'the append-only log: one row per fact, written in the transaction of the fact',
    enters: [],
  },
  {
    name: 'domains',
    floor: 2,
    owns: 'sending domains, DNS records, DKIM keys, verification, settings',
    enters: ['accounts', 'events'],
  },
  {
    name: 'suppression',
    floor: 2,
    owns: 'suppressions and unsubscribes: two lists, one question (may we send?)',
    enters: ['accounts', 'events'],
  },
  { name: 'machines', floor: 2, owns: 'what runs where: a row for each process', enters: ['accounts'] },
  { name: 'content', floor: 2, owns: 'content scoring', enters: ['accounts'] },
  {
    name: 'validation',
    floor: 2,
    owns: 'address checks, SMTP probe, disposable and provider data',
    enters: ['accounts'],
  },
  { name: 'statistics', floor: 2, owns: 'daily roll-ups, followed from events', enters: ['accounts', 'events'] },
  {
    name: 'transport',
    floor: 2,
    owns: 'what receivers ask of TLS towards their hosts (MTA-STS, DANE), and the reports of what came of it (TLS-RPT)',
    enters: ['accounts'],
  },
  {
    name: 'dmarc',
    floor: 2,
    owns: 'what receivers report of DMARC: who sends in the name of a domain, and what passed',
    enters: [],
  },
  {
    name: 'bounces',
    floor: 3,
    owns: 'DSN and ARF intake, classification, history',
    enters: ['accounts', 'events', 'suppression'],
  },
  {
    name: 'tracking',
    floor: 3,
    owns: 'tracking domains and certificates, tokens, public pages, precedence',
    enters: ['accounts', 'domains', 'suppression', 'events'],
  },
  {
    name: 'webhooks',
    floor: 3,
    owns: 'endpoints, signing, delivery of notifications, followed from events',
    enters: ['accounts', 'domains', 'events'],
  },
  {
    name: 'health',
    floor: 4,
    owns: 'score, history, readiness report',
    enters: ['accounts', 'statistics', 'domains', 'tracking', 'events'],
  },
  {
    name: 'risk',
    floor: 4,
    owns: 'the verdict for preview and send',
    enters: ['accounts', 'domains', 'suppression', 'bounces', 'content', 'validation', 'statistics'],
  },
  {
    name: 'outbox',
    floor: 4,
    owns: 'emails as stored: rows, bodies, queue, leases, attempts',
    enters: ['accounts', 'events', 'suppression', 'domains', 'machines'],
  },
  {
    name: 'sending',
    floor: 5,
    owns: 'accepting a message (REST, SMTP): check, store, enqueue; templates; the emails API',
    enters: ['accounts', 'domains', 'suppression', 'tracking', 'risk', 'events', 'outbox'],
  },
  {
    name: 'delivery',
    floor: 6,
    owns: 'claim, compose, sign, connect, speak SMTP, retry, record; the sandbox inbox',
    enters: ['sending', 'domains', 'suppression', 'bounces', 'events', 'outbox', 'transport'],
  },
  {
    name: 'contacts',
    floor: 6,
    owns: 'contacts, double opt-in',
    enters: ['accounts', 'suppression', 'sending', 'events'],
  },
  {
    name: 'vendors',
    floor: 6,
    owns: "other vendors' calls, translated into sends and calls for one email",
    enters: ['accounts', 'sending', 'events', 'outbox'],
  },
  {
    name: 'notices',
    floor: 6,
    owns: 'mails of the system to accounts and to the operator',
    enters: ['accounts', 'events', 'suppression', 'content', 'sending', 'outbox'],
  },
]

/**
 * What lies outside the rooms. Paths are below src/; `mail` is protocol knowledge and is given its resolver, its clock
 * and its connections, so that of the platform it sees these faces and constants, and nothing that does anything.
 */
export const MAIL_MAY_SEE = [
  'platform/dns.ts',
  'platform/clock.ts',
  'platform/addresses.ts',
  'platform/network/tls-client.ts',
]

/** Packages that are tools of one place alone: the packages, and the files (below src/) that may import them. */
export const TOOLS = [
  {
    name: 'the web framework',
    packages: ['fastify/', '@fastify/'],
    files: ['app\\.ts', 'modules/[^/]+/routes[^/]*\\.ts', 'roles/', 'platform/http', 'platform/validation\\.ts'],
  },
  { name: 'the reader of markdown', packages: ['marked/'], files: ['platform/http/docs-page\\.ts'] },
  {
    name: 'the verifier of signatures',
    packages: ['mailauth/'],
    files: ['mail/authentication/dkim-verify\\.ts'],
  },
  { name: 'the database driver', packages: ['pg/', '@types/pg/'], files: ['platform/'] },
]
