import type { TlsaRecord } from '../../mail/tlsa.ts'

/** RFC 8460 section 4.3. */
export type SessionFault =
  | 'starttls-not-supported'
  | 'certificate-host-mismatch'
  | 'certificate-expired'
  | 'certificate-not-trusted'
  | 'validation-failure'
  | 'tlsa-invalid'
  | 'dnssec-invalid'
  | 'sts-policy-fetch-error'
  | 'sts-policy-invalid'
  | 'sts-webpki-invalid'

/** What a connection to a host must be. */
export type HostRule =
  /** Whatever the host offers. `fault`: what a policy that is being tested has against it. */
  | { readonly kind: 'any'; readonly fault: SessionFault | null }
  /** MTA-STS: TLS with a certificate for the host's name; not `enforced`: only told when it is not. */
  | { readonly kind: 'sts'; readonly enforced: boolean }
  /** DANE without a record that one can use: TLS, with whomever (RFC 7672 section 2.2). */
  | { readonly kind: 'encrypted' }
  | {
      readonly kind: 'dane'
      readonly records: readonly TlsaRecord[]
      /** Of the host. The records stand at the first, which is asked for in the handshake. */
      readonly names: readonly string[]
      /** Of the recipients: a certificate of usage 2 may be for one of these as well, for their mail alone. */
      readonly domains: readonly string[]
    }
  /** No mail goes there. */
  | { readonly kind: 'closed'; readonly why: string; readonly fault: SessionFault }

/** The policy as a report names it, RFC 8460 section 4.4. */
export interface ToldPolicy {
  readonly type: 'tlsa' | 'sts' | 'no-policy-found'
  readonly strings: readonly string[]
  readonly mx: readonly string[]
}

export interface SitePolicy {
  rule(host: string): HostRule
  told(host: string): ToldPolicy
}

/** One session with a host, from its opening to what became of TLS. */
export interface Session {
  /** The recipients' domain. */
  readonly site: string
  readonly policy: ToldPolicy
  readonly fault: SessionFault | null
  readonly host: string
  readonly ip: string
  /** Null: the system's choice. */
  readonly sourceIp: string | null
}
