// Whether a host is who its rule says, asked after the handshake.

import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { TlsVerifier } from '../../mail/smtp-client.ts'
import { isNamedByTlsa } from '../../mail/tlsa.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HostRule, SessionFault } from './types.ts'

export interface Judge {
  /** Without TLS no mail. */
  readonly required: boolean
  readonly verify: TlsVerifier
  /** What was wrong with the last certificate; null: nothing, or none was seen. */
  fault(): SessionFault | null
}

const MAX_CHAIN = 10

export function judgeOf(rule: HostRule, clock: Clock): Judge {
  let fault: SessionFault | null = null
  const verify: TlsVerifier = (socket) => {
    fault = null
    if (rule.kind === 'dane') {
      if (isNamedByTlsa(rule.records, chainOf(socket), rule.names, clock.now())) return 'dane'
      fault = 'tlsa-invalid'
      return { refused: 'the certificate is none of those that the TLSA records of the host name (DANE)' }
    }
    if (rule.kind === 'any') fault = rule.fault
    if (rule.kind !== 'sts') return socket.authorized ? 'pkix' : 'none'
    if (socket.authorized) return 'mta_sts'
    const code = codeOf(socket)
    fault = FAULTS[code] ?? 'certificate-not-trusted'
    if (!rule.enforced) return 'none'
    return { refused: `the certificate is not one for this host, as the MTA-STS policy of the domain asks (${code})` }
  }
  return {
    required: rule.kind === 'dane' || rule.kind === 'encrypted' || (rule.kind === 'sts' && rule.enforced),
    verify,
    fault: () => fault,
  }
}

const FAULTS: Readonly<Record<string, SessionFault>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-host-mismatch',
  CERT_HAS_EXPIRED: 'certificate-expired',
}

/** Node tells a code, typed as an error. */
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
