// Finds the DMARC policy that applies to a domain (RFC 9989): its own record, else that of its organizational domain, found
// by the DNS tree walk, else that of a public suffix above. Several records at one name count as none.

import type { Resolver } from '../../platform/dns.ts'

/** Most queries per walk, however many labels a name has (RFC 9989 section 4.10). */
const WALK_QUERIES = 8

export interface DmarcRecord {
  readonly policy: 'none' | 'quarantine' | 'reject'
  /** The value of a `p=` that names no policy, in place of which receivers take `none`; null otherwise. */
  readonly unknownPolicy: string | null
  readonly subdomainPolicy: 'none' | 'quarantine' | 'reject' | null
  /** `psd=`: whether the name is a public suffix; `u` when the record does not say. */
  readonly publicSuffix: 'y' | 'n' | 'u'
  readonly strictDkim: boolean
  readonly strictSpf: boolean
  readonly aggregateReports: readonly string[]
}

export type DmarcDiscovery =
  | { readonly kind: 'found'; readonly at: string; readonly text: string; readonly record: DmarcRecord }
  /** The domain's own name holds several records; any record above it is ignored. */
  | { readonly kind: 'multiple'; readonly texts: readonly string[] }
  | { readonly kind: 'invalid'; readonly text: string; readonly reason: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'error'; readonly at: string; readonly reason: 'servfail' | 'timeout' }

/** A DMARC record begins with `v=DMARC1`, case-sensitive (RFC 9989 section 4.7). */
export function isDmarcRecord(text: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(text)
}

/**
 * Reads a record that `isDmarcRecord` accepts. Ignores unknown tags, including `pct`, `rf` and `ri`. Without a usable
 * `p=`, a record that asks for reports counts as p=none; any other is void (RFC 9989 section 4.7).
 *
 * @returns null for a void record
 */
export function parseDmarc(text: string): DmarcRecord | null {
  const tags = new Map<string, string>()
  for (const part of text.split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase()
    if (name !== '' && !tags.has(name)) tags.set(name, part.slice(at + 1).trim())
  }
  const reports = (tags.get('rua') ?? '').split(',').map((uri) => uri.trim())
  const aggregateReports = reports.filter((uri) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(uri))
  const stated = tags.get('p')
  const policy = policyOf(stated) ?? (aggregateReports.length > 0 ? 'none' : null)
  if (policy === null) return null
  const suffix = tags.get('psd')?.toLowerCase()
  return {
    policy,
    unknownPolicy: stated === undefined || policyOf(stated) !== null ? null : stated,
    subdomainPolicy: policyOf(tags.get('sp')),
    publicSuffix: suffix === 'y' || suffix === 'n' ? suffix : 'u',
    strictDkim: tags.get('adkim')?.toLowerCase() === 's',
    strictSpf: tags.get('aspf')?.toLowerCase() === 's',
    aggregateReports,
  }
}

function policyOf(value: string | undefined): DmarcRecord['policy'] | null {
  const lower = value?.toLowerCase()
  return lower === 'none' || lower === 'quarantine' || lower === 'reject' ? lower : null
}

/** The names of a tree walk up from `domain`: the domain, then at most seven labels, then one fewer each (section 4.10). */
export function walkNames(domain: string): readonly string[] {
  const labels = domain.split('.')
  const names = [domain]
  for (let kept = Math.min(labels.length - 1, WALK_QUERIES - 1); kept > 0; kept--) {
    names.push(labels.slice(-kept).join('.'))
  }
  return names
}

/**
 * Discovers the policy for a domain (RFC 9989 section 4.10.1). A record at the domain itself that receivers skip is a fault
 * to report, whatever records exist above it.
 */
export async function discoverDmarc(domain: string, resolver: Resolver, signal?: AbortSignal): Promise<DmarcDiscovery> {
  const found: { readonly at: string; readonly text: string; readonly record: DmarcRecord }[] = []
  for (const at of walkNames(domain)) {
    const answer = await resolver.txt(`_dmarc.${at}`, signal)
    if (answer.kind === 'servfail' || answer.kind === 'timeout') {
      return { kind: 'error', at: `_dmarc.${at}`, reason: answer.kind }
    }
    const texts = answer.kind === 'found' ? answer.records.filter(isDmarcRecord) : []
    const [text] = texts
    if (text === undefined) continue
    if (texts.length > 1) {
      if (at === domain) return { kind: 'multiple', texts }
      continue
    }
    const record = parseDmarc(text)
    if (record === null) {
      if (at === domain) return { kind: 'invalid', text, reason: 'the DMARC record has neither a valid p= nor a rua=' }
      continue
    }
    if (at === domain) return { kind: 'found', at, text, record }
    found.push({ at, text, record })
    if (record.publicSuffix !== 'u') break
  }
  const decides = organizational(found)
  return decides === null ? { kind: 'none' } : { kind: 'found', ...decides }
}

/** Of the records above the domain, the one of the organizational domain, else of a public suffix (section 4.10.2). */
function organizational<Found extends { readonly record: DmarcRecord }>(found: readonly Found[]): Found | null {
  const last = found.at(-1)
  if (last === undefined) return null
  // Below a public suffix, the organizational domain is one label longer; its record, if any, is the one found before.
  return last.record.publicSuffix === 'y' ? (found.at(-2) ?? last) : last
}
