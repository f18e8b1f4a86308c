// A browser takes a cookie with the __Host- prefix only from this host over TLS; without it a sibling host could set ours.
const SECURE = '__Host-posthorn'
const PLAIN = 'posthorn'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The token in the session's cookie; null when there is none. @param secure accept only the cookie set over TLS */
export function sessionToken(cookie: string | undefined, secure: boolean): string | null {
  const prefix = `${secure ? SECURE : PLAIN}=`
  const pairs = (cookie ?? '').split(';').map((pair) => pair.trim())
  const tokens = pairs.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length))
  return tokens.find((token) => TOKEN.test(token)) ?? null
}

/** @param secure the dashboard is reached over TLS: the cookie is then never sent without it */
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
