// The address in a body and in a path.

import { addressFault, parseAddress, suppressionKey } from '../../mail/address.ts'
import { type FieldFault, PARAMETER_WORDS, parameterError, validationError } from '../../platform/errors.ts'

/** Reported together with the faults that the schema finds. */
export function emailFaults(body: unknown): readonly FieldFault[] {
  const message = addressFault((body as { readonly email?: unknown } | null)?.email)
  return message === null ? [] : [{ field: 'email', rule: 'email', message }]
}

export function recipientOf(email: string): string {
  const parsed = parseAddress(email.trim())
  if (parsed.ok) return suppressionKey(parsed.address)
  throw validationError(emailFaults({ email }))
}

/** The address from a path that the router decoded once. Without an `@`, it is decoded again: some clients encode twice. */
export function recipientInPath(text: string): string {
  const parsed = parseAddress(text.includes('@') ? text : decodedAgain(text))
  if (parsed.ok) return suppressionKey(parsed.address)
  throw parameterError('email', 'email', PARAMETER_WORDS.email)
}

function decodedAgain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
