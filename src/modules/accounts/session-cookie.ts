// A cookie with the prefix is set by this host over TLS alone; without it a neighbouring name could set one for us.
const SECURE = '__Host-posthorn'
const PLAIN = 'posthorn'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The token of the session's cookie; null when there is none. @param secure only the one that came over TLS counts */
export function sessionToken(cookie: string | undefined, secure: boolean): string | null {
  const prefix = `${secure ? SECURE : PLAIN}=`
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const tokens = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length))
  return tokens.find((token) => TOKEN.test(token)) ?? null
}

/** @param secure the dashboard is reached over TLS: the cookie then never leaves it */
export function sessionCookie(
  token: string,
  { secure, maxAgeSeconds }: { secure: boolean; maxAgeSeconds: number },
): string {
  const attributes = [
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${maxAgeSeconds}`,
    ...(secure ? ['Secure'] : []),
  ]
  return [`${secure ? SECURE : PLAIN}=${token}`, ...attributes].join('; ')
}
