/** The token of the session's cookie; null when there is none. */
export function sessionToken(cookie: string | undefined): string | null {
  return /(?:^|;\s*)(?:__Host-)?posthorn=([A-Za-z0-9_-]{43})(?:;|$)/.exec(cookie ?? '')?.[1] ?? null
}
