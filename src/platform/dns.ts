// The only way to query the DNS. The interface is separate so that tests can declare zones instead.

export interface MxRecord {
  readonly preference: number
  readonly exchange: string
}

export type DnsFailure = 'nxdomain' | 'nodata' | 'servfail' | 'timeout'

/** What the DNS said: a value, not an exception. `ttl` in seconds. */
export type DnsAnswer<T> =
  | { readonly kind: 'found'; readonly records: readonly T[]; readonly ttl: number }
  | { readonly kind: DnsFailure }

/** Names are A-labels without a trailing dot. Only ever throws `signal.reason`. */
export interface Resolver {
  mx(name: string, signal?: AbortSignal): Promise<DnsAnswer<MxRecord>>
  a(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  aaaa(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  /** The strings of each record are joined (RFC 7208 section 3.3, RFC 6376 section 3.6.2.2), and read as UTF-8. */
  txt(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  cname(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  ns(name: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  ptr(address: string, signal?: AbortSignal): Promise<DnsAnswer<string>>
  /** The same for somebody who shares it with others: see `askedFor`. */
  askedFor?(whom: string): Resolver
}

/** The resolver for the queries of `whom`, an account for example: hanging ones hold up those of nobody else. */
export function askedFor(resolver: Resolver, whom: string): Resolver {
  return resolver.askedFor?.(whom) ?? resolver
}
