// Whether a browser sent a request from a page of ours. A session's cookie goes along by itself, so what it may change is
// asked for by our own pages alone (Fetch Metadata: Sec-Fetch-Site; RFC 6454: Origin). A request that says neither is refused.

import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser would find the page of ours that it asks for by TLS. What a proxy has forwarded, of whatever kind, is left
 * alone: it may have come by TLS, and would be sent round for ever.
 *
 * @param secure the public URL, where we answer it by TLS ourselves
 */
export function isInTheClear(
  { protocol, hostname, headers }: { protocol: string; hostname: string; headers: IncomingHttpHeaders },
  secure: URL,
): boolean {
  const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip']
  return protocol === 'http' && hostname === secure.hostname && forwarded.every((name) => headers[name] === undefined)
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isFromOurPages(method: string, headers: IncomingHttpHeaders): boolean {
  if (SAFE.has(method)) return true
  const { 'sec-fetch-site': site, origin, host } = headers
  if (typeof site === 'string') return site === 'same-origin'
  return typeof origin === 'string' && URL.canParse(origin) && host !== undefined && new URL(origin).host === host
}
