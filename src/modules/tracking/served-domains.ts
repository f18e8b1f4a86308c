// The branded names being served, in memory: the base of each sending domain's links, and the certificate for each TLS
// handshake. While the database is down, the last state stays in use. A certificate is opened at a handshake, and only those of
// the names called most recently stay open: each takes some 40 KB.

import { createSecureContext, type SecureContext } from 'node:tls'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import type { Certificate } from '../../platform/network/certificates.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { trackingAssignments } from '../domains/index.ts'
import { CERTIFICATE_KEY, OWN_CERTIFICATE_KEY } from './certificates.ts'
import * as sql from './sql-tracking-domains.ts'

export interface Served {
  /** The names of all accounts. */
  refresh(): Promise<void>
  /** The certificate of the public URL's host. */
  refreshOwn(): Promise<void>
  /** The base of a sending domain's links, and since when it holds; null: the domain has no branded name. */
  brandedBase(domainId: string): { readonly url: string; readonly since: Date } | null
  /** Null: the name is not served here, or it is the public URL's host and has no certificate from a CA. */
  contextFor(name: string): SecureContext | null
  /** Whether this is a customer's name that is served here. */
  isBranded(name: string): boolean
  /** The certificate of the public URL's host, for TLS in other protocols; null: it has none from a CA. */
  ownCertificate(): Promise<Certificate | null>
}

interface Entry {
  readonly name: string
  readonly since: Date
  readonly expiresAtMs: number
  readonly certificate: string
  readonly sealedKey: Buffer
}

const MAX_CONTEXTS = 1_000

interface ServedAt {
  readonly publicUrl: string
  readonly httpsPort: number | null
  readonly ownName: string | null
}

export function servedNames(
  { database, clock, secrets }: { readonly database: Database; readonly clock: Clock; readonly secrets: Secrets },
  { publicUrl, httpsPort, ownName }: ServedAt,
): Served {
  let own: { readonly expiresAtMs: number; readonly pem: Certificate; readonly context: SecureContext } | null = null
  const refreshOwn = async (): Promise<void> => {
    if (ownName === null) return
    const row = await database.system.one<sql.OwnCertificateRow>(sql.ownCertificate, [ownName, clock.now()])
    const expiresAtMs = row?.expires_at.getTime() ?? 0
    if (row === null) own = null
    else if (own?.expiresAtMs !== expiresAtMs) {
      const key = secrets.open(OWN_CERTIFICATE_KEY, ownName, row.private_key)
      const pem = { cert: row.certificate, key: key.toString() }
      own = { expiresAtMs, pem, context: contextOf(row.certificate, key) }
    }
  }
  const contexts = recentlyUsed<{ readonly of: Buffer; readonly context: SecureContext }>(MAX_CONTEXTS)
  let byId: ReadonlyMap<string, Entry> = new Map()
  let ids: ReadonlyMap<string, string> = new Map()
  let assigned: ReadonlyMap<string, string> = new Map()
  const port = outerPort(publicUrl, httpsPort)
  return {
    refreshOwn,
    refresh: async () => {
      const rows = await database.system.query<sql.ServedRow>(sql.servedNames, [clock.now()])
      const isKnown = (row: sql.ServedRow): boolean => byId.get(row.id)?.expiresAtMs === row.ssl_expires_at.getTime()
      const changed = rows.filter((row) => !isKnown(row)).map(({ id }) => id)
      const pems = changed.length === 0 ? [] : await database.system.query<PemRow>(sql.certificatesOf, [changed])
      const fresh = new Map(pems.map((pem) => [pem.id, pem]))
      const entries = rows.flatMap((row): [string, Entry][] => {
        const known = byId.get(row.id)
        const pem = fresh.get(row.id)
        if (pem === undefined) return known === undefined ? [] : [[row.id, { ...known, since: row.ssl_since }]]
        const { certificate, private_key: sealedKey } = pem
        const expiresAtMs = row.ssl_expires_at.getTime()
        return [[row.id, { name: row.name, since: row.ssl_since, expiresAtMs, certificate, sealedKey }]]
      })
      byId = new Map(entries)
      ids = new Map(entries.map(([id, { name }]) => [name, id]))
      assigned = await trackingAssignments(database.system)
    },
    brandedBase: (domainId) => {
      const entry = byId.get(assigned.get(domainId) ?? '')
      return entry === undefined ? null : { url: `https://${entry.name}${port}`, since: entry.since }
    },
    contextFor: (name) => {
      if (name.toLowerCase() === ownName) return own?.context ?? null
      const id = ids.get(name.toLowerCase())
      const entry = id === undefined ? undefined : byId.get(id)
      if (id === undefined || entry === undefined) return null
      const known = contexts.get(id)
      if (known?.of === entry.sealedKey) return known.context
      const context = contextOf(entry.certificate, secrets.open(CERTIFICATE_KEY, id, entry.sealedKey))
      contexts.set(id, { of: entry.sealedKey, context })
      return context
    },
    isBranded: (name) => ids.has(name.toLowerCase()),
    ownCertificate: async () => {
      await refreshOwn().catch(() => undefined)
      return own?.pem ?? null
    },
  }
}

/**
 * The port of branded links, as in a URL. A container, or a proxy that forwards by name, has another one outside than the one
 * listened on here; the public URL names it.
 */
function outerPort(publicUrl: string, httpsPort: number | null): string {
  const { protocol, port } = new URL(publicUrl)
  if (protocol === 'https:') return port === '' ? '' : `:${port}`
  return httpsPort === null || httpsPort === 443 ? '' : `:${httpsPort}`
}

function contextOf(cert: string, key: Buffer): SecureContext {
  return createSecureContext({ cert, key, minVersion: 'TLSv1.2' })
}

interface PemRow {
  readonly id: string
  readonly certificate: string
  readonly private_key: Buffer
}
