// Whether a browser sent a request from one of our pages. A browser sends a session's cookie on its own, so only our pages
// may make changes with it (Fetch Metadata: Sec-Fetch-Site; RFC 6454: Origin). A request with neither header is refused.
//
// Over plain HTTP browsers send Origin alone. It must name the host that was asked for, or the public URL: a proxy may ask for
// its own name of this service instead.

import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a plain-HTTP request asks for a page of ours that the browser would reach over TLS. False for anything a proxy of
 * any kind has forwarded: it may have come over TLS, and would be redirected forever.
 *
 * @param secure the public URL, where we serve it over TLS ourselves
 */
export function isInTheClear(
  { protocol, hostname, headers }: { protocol: string; hostname: string; headers: IncomingHttpHeaders },
  secure: URL,
): boolean {
  const forwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip']
  return protocol === 'http' && hostname === secure.hostname && forwarded.every((name) => headers[name] === undefined)
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** @param publicUrl where this service is reached */
export function isFromOurPages(method: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (SAFE.has(method)) return true
  const { 'sec-fetch-site': site, origin, host } = headers
  if (typeof site === 'string') return site === 'same-origin'
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  const page = new URL(origin)
  return page.origin === new URL(publicUrl).origin || (host !== undefined && page.host === host)
}
