// Checks after the handshake whether a host fulfils its rule.

import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { type TlsaVerdict, tlsaVerdict } from '../../mail/dns/tlsa.ts'
import type { TlsVerifier } from '../../mail/smtp/client.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HostRule, SessionFault } from './types.ts'

export interface RuleCheck {
  /** The policy that requires TLS, as text for people; null: none does. */
  readonly requiredBy: string | null
  readonly verify: TlsVerifier
  /** The fault of the last handshake for the report; null: none, or there was no handshake. */
  fault(): SessionFault | null
  /** Whether the last certificate matched only the recipients' domain: mail for other domains must not use the connection. */
  isForDomain(): boolean
}

const MAX_CHAIN = 10

export function ruleCheckOf(rule: HostRule, clock: Clock): RuleCheck {
  let fault: SessionFault | null = null
  let forDomain = false
  const verify: TlsVerifier = (socket) => {
    fault = null
    if (rule.kind === 'dane') {
      const verdictFor = (names: readonly string[]): TlsaVerdict =>
        tlsaVerdict(rule.records, chainOf(socket), names, clock.now())
      const verdict = verdictFor(rule.names)
      forDomain = verdict === 'other_host' && verdictFor(rule.domains) === 'named'
      if (verdict === 'named' || forDomain) return 'dane'
      fault = verdict === 'other_host' ? 'certificate-host-mismatch' : 'tlsa-invalid'
      return { refused: NOT_BY_DANE[verdict] }
    }
    if (rule.kind === 'any') fault = rule.fault
    if (rule.kind !== 'sts') return socket.authorized ? 'pkix' : 'none'
    if (socket.authorized) return 'mta_sts'
    const code = codeOf(socket)
    fault = FAULTS[code] ?? 'certificate-not-trusted'
    if (!rule.enforced) return 'none'
    return { refused: `the certificate is not a trusted one for this host (${code})` }
  }
  return {
    requiredBy: requiredBy(rule),
    verify,
    fault: () => fault,
    isForDomain: () => forDomain,
  }
}

/** RFC 7672 section 3.1.2: with usage 2 the certificate must also match the host. */
const NOT_BY_DANE: Readonly<Record<Exclude<TlsaVerdict, 'named'>, string>> = {
  other_host: 'the certificate is not one for the name of this host, though of an authority that its TLSA records name',
  not_named: 'the certificate is none of those that the TLSA records of the host name',
}

function requiredBy(rule: HostRule): string | null {
  switch (rule.kind) {
    case 'dane':
    case 'encrypted':
      return 'DANE, the TLSA records of the host'
    case 'sts':
      return rule.enforced ? 'the MTA-STS policy of the domain' : null
    case 'any':
    case 'closed':
      return null
  }
}

const FAULTS: Readonly<Record<string, SessionFault>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  CERT_HAS_EXPIRED: 'certificate-expired',
}

/** Node sets an error code here, although the type is an error. */
function codeOf(socket: TLSSocket): string {
  const error = socket.authorizationError as unknown as string | { readonly code?: string } | null
  return typeof error === 'string' ? error : (error?.code ?? 'unknown')
}

function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true)
  while (next?.raw !== undefined && chain.length < MAX_CHAIN) {
    chain.push(new X509Certificate(next.raw))
    next = next.issuerCertificate === next ? undefined : next.issuerCertificate
  }
  return chain
}
