// The rights of an open stream: a key may be revoked, or bound to domains, while the stream goes on.

import type { Call, Gate, Principal } from '../../platform/http.ts'

/** The scope of all endpoints of events. */
export const READS_EVENTS = 'stats:read'

/**
 * @returns what the key of a stream may read now: null once the gate refuses it (401 or 403). A rate limit or an unavailable
 *   database does not end the stream; then the rights are those that were known last.
 */
export function admission(
  gate: Gate,
  { headers, ip, principal }: Pick<Call<never, never, never>, 'headers' | 'ip' | 'principal'>,
): () => Promise<Principal | null> {
  let known = principal
  return async () => {
    try {
      known = await gate.admit(
        {
          apiKeyHeader: headers['x-api-key'],
          authorization: headers.authorization,
          cookie: headers.cookie,
          ip,
          method: 'GET',
          path: '',
          headers,
          setHeader: () => undefined,
        },
        { scope: READS_EVENTS },
      )
    } catch (error) {
      const { status } = error as { status?: unknown }
      if (status === 401 || status === 403) return null
    }
    return known
  }
}
