// Whether a browser sent a request from a page of ours. A session's cookie goes along by itself, so what it may change is
// asked for by our own pages alone (Fetch Metadata: Sec-Fetch-Site; RFC 6454: Origin). A request that says neither is refused.

import type { IncomingHttpHeaders } from 'node:http'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isFromOurPages(method: string, headers: IncomingHttpHeaders): boolean {
  if (SAFE.has(method)) return true
  const { 'sec-fetch-site': site, origin, host } = headers
  if (typeof site === 'string') return site === 'same-origin'
  return typeof origin === 'string' && URL.canParse(origin) && host !== undefined && new URL(origin).host === host
}
