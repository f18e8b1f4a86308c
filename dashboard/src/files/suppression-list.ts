// Suppressions from a file of this or another service, with reasons in that service's words. Unknown reasons are resolved before
// the import, so that it does not fail line by line. Independent of the browser.

import type { Entry } from './csv.ts'

/** As expected by the API. */
export const SUPPRESSION_REASONS = ['hard_bounce', 'repeated_soft_bounce', 'complaint', 'spamtrap', 'manual'] as const

export type Reason = (typeof SUPPRESSION_REASONS)[number]

/** Names used by other services, with punctuation replaced by spaces. */
const OTHER_WORDS: Readonly<Record<Reason, readonly string[]>> = {
  hard_bounce: [
    ...['bounce', 'bounced', 'bounces', 'hard', 'hardbounce', 'hard bounced', 'permanent', 'permanent bounce'],
    ...['invalid', 'invalid email', 'invalid address', 'invalid recipient', 'cleaned'],
  ],
  repeated_soft_bounce: ['soft', 'soft bounce', 'soft bounced', 'softbounce', 'transient', 'transient bounce'],
  complaint: [
    ...[
      'complained',
      'complaints',
      'complainer',
      'spam',
      'spam complaint',
      'spam report',
      'spam reports',
      'spamreport',
    ],
    ...['abuse', 'fbl', 'reported as spam', 'marked as spam'],
  ],
  spamtrap: ['spam trap', 'trap'],
  manual: ['', 'manually', 'manually added', 'manual suppression', 'admin', 'suppressed', 'blocked', 'block'],
}
const REASONS: ReadonlyMap<string, Reason> = new Map(
  SUPPRESSION_REASONS.flatMap((reason) =>
    [reason.replaceAll('_', ' '), ...OTHER_WORDS[reason]].map((word) => [word, reason] as const),
  ),
)
// RFC 3463 section 3.2: X.1.z means that the address is wrong.
const WRONG_ADDRESS = /\b5\.1\.\d{1,3}\b/

function ofWord(text: string): Reason | undefined {
  return REASONS.get(
    text
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      .trim(),
  )
}

/** @returns null when it is not understood; without a reason it counts as manual */
export function reasonOf(text: string): Reason | null {
  return ofWord(text) ?? (WRONG_ADDRESS.test(text) ? 'hard_bounce' : null)
}

/** Reasons in a list that are not understood, with their number of entries, the most frequent first. */
export function unknownReasons(entries: readonly Entry[]): readonly (readonly [text: string, count: number])[] {
  const unknown = entries.map(({ fields }) => fields['reason'] ?? '').filter((text) => reasonOf(text) === null)
  const counted = [...Map.groupBy(unknown, (text) => text)].map(([text, all]) => [text, all.length] as const)
  return counted.toSorted((one, other) => other[1] - one[1])
}

/** @returns null when it can be imported @param instead replaces an unknown reason; null when none is chosen */
export function suppressionRefusal({ fields }: Entry, instead: Reason | null): string | null {
  if (instead !== null || reasonOf(fields['reason'] ?? '') !== null) return null
  return 'the reason is not recognized. Choose one for these rows below.'
}

/** The entry for the API: a reason that it does not know is kept in the details. */
export function suppressionOf({ email, fields }: Entry, instead: Reason | null): object {
  const written = fields['reason'] ?? ''
  return {
    email,
    reason: reasonOf(written) ?? instead ?? '',
    details: fields['details'] || (ofWord(written) === undefined ? written : ''),
    expires_at: fields['expires_at'] ?? '',
  }
}
