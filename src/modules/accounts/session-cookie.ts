/** The token of the session's cookie; null when there is none. */
export function sessionToken(cookie: string | undefined): string | null {
  return /(?:^|;\s*)(?:__Host-)?posthorn=([A-Za-z0-9_-]{43})(?:;|$)/.exec(cookie ?? '')?.[1] ?? null
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
  return [`${secure ? '__Host-posthorn' : 'posthorn'}=${token}`, ...attributes].join('; ')
}
