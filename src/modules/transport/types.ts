import type { TlsaRecord } from '../../mail/dns/tlsa.ts'

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

/** The requirement for a connection to a host. */
export type HostRule =
  /** Any connection. `fault`: to report, such as a violation of a policy in testing mode. */
  | { readonly kind: 'any'; readonly fault: SessionFault | null }
  /** MTA-STS: TLS with a certificate for the host's name. Not `enforced`: violations are only reported. */
  | { readonly kind: 'sts'; readonly enforced: boolean }
  /** DANE without a usable record: TLS, unauthenticated (RFC 7672 section 2.2). */
  | { readonly kind: 'encrypted' }
  | {
      readonly kind: 'dane'
      readonly records: readonly TlsaRecord[]
      /** Names of the host. The first has the records, and is the TLS server name. */
      readonly names: readonly string[]
      /** Domains of the recipients: for usage 2 the certificate may also be for one of these, then only for their mail. */
      readonly domains: readonly string[]
    }
  /** No mail is sent to the host. */
  | { readonly kind: 'closed'; readonly why: string; readonly fault: SessionFault }

/** A policy in the form of a report, RFC 8460 section 4.4. */
export interface ReportedPolicy {
  readonly type: 'tlsa' | 'sts' | 'no-policy-found'
  readonly strings: readonly string[]
  readonly mx: readonly string[]
}

export interface SitePolicy {
  rule(host: string): HostRule
  reported(host: string): ReportedPolicy
}

/** One session with a host, from its opening to the result of TLS. */
export interface Session {
  /** The recipients' domain. */
  readonly site: string
  readonly policy: ReportedPolicy
  readonly fault: SessionFault | null
  readonly host: string
  readonly ip: string
  /** Null: chosen by the system. */
  readonly sourceIp: string | null
}
