// The error responses most operations share: each is in the document once and referred to.

import { isDeepStrictEqual } from 'node:util'

/** Names by status and codes, as `describedErrors` writes them. A response with other codes stays in its operation. */
const NAMES: Readonly<Record<string, string>> = {
  '400 invalid_parameter': 'InvalidParameter',
  '400 invalid_json, invalid_parameter': 'InvalidRequest',
  '401 api_key_expired, api_key_revoked, invalid_api_key, missing_api_key': 'Unauthorized',
  '401 not_signed_in': 'NotSignedIn',
  '403 account_suspended, insufficient_scope, ip_not_allowed': 'Forbidden',
  '404 not_found': 'NotFound',
  '409 already_exists': 'AlreadyExists',
  '409 invalid_state': 'InvalidState',
  '413 payload_too_large': 'PayloadTooLarge',
  '415 unsupported_media_type': 'UnsupportedMediaType',
  '422 validation_error': 'ValidationError',
  '429 rate_limit_exceeded': 'RateLimited',
  '500 internal_error': 'InternalError',
  '503 service_unavailable': 'ServiceUnavailable',
}

interface Operation {
  responses?: Record<string, { description?: string } | { readonly $ref: string }>
}

/**
 * Replaces each response that has a name by a reference. Where two with the same codes differ (an endpoint without a key has
 * no rate headers), the name goes to the more frequent form.
 *
 * @returns the responses by name
 */
export function sharedResponses(operations: readonly Operation[]): Readonly<Record<string, object>> {
  const forms = new Map<string, { readonly response: object; count: number }[]>()
  const each = (visit: (name: string, response: object, put: (other: { $ref: string }) => void) => void): void => {
    for (const { responses = {} } of operations) {
      for (const [status, response] of Object.entries(responses)) {
        const { description = '' } = response as { readonly description?: string }
        const name = NAMES[`${status} ${description}`]
        if (name !== undefined) visit(name, response, (other) => (responses[status] = other))
      }
    }
  }
  each((name, response) => {
    const seen = forms.get(name) ?? []
    const same = seen.find((form) => isDeepStrictEqual(form.response, response))
    if (same === undefined) forms.set(name, [...seen, { response, count: 1 }])
    else same.count++
  })
  const entries = [...forms].map(
    ([name, seen]) => [name, seen.toSorted((a, b) => b.count - a.count)[0]?.response ?? {}] as const,
  )
  const shared = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
  each((name, response, put) => {
    if (isDeepStrictEqual(response, shared[name])) put({ $ref: `#/components/responses/${name}` })
  })
  return shared
}
