// Suppressions out of a file, the service's own or another one's: why an address is on the list, in the words of whoever
// wrote it. What they say is settled before the import, so that it does not end with every line at fault. Knows nothing of
// the browser.

import type { Entry } from './csv.ts'

/** As the API takes them. */
export const SUPPRESSION_REASONS = ['hard_bounce', 'repeated_soft_bounce', 'complaint', 'spamtrap', 'manual'] as const

export type Reason = (typeof SUPPRESSION_REASONS)[number]

/** What other services call them, their signs taken for blanks. */
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
// RFC 3463 section 3.2: X.1.z says that the address is wrong.
const WRONG_ADDRESS = /\b5\.1\.\d{1,3}\b/

function ofWord(text: string): Reason | undefined {
  return REASONS.get(
    text
      .toLowerCase()
      .replaceAll(/[\s_-]+/g, ' ')
      .trim(),
  )
}

/** Null: it is not understood. Without a word somebody put it there. */
export function reasonOf(text: string): Reason | null {
  return ofWord(text) ?? (WRONG_ADDRESS.test(text) ? 'hard_bounce' : null)
}

/** The reasons in a list that are not understood, with how many entries have each, the commonest first. */
export function unknownReasons(entries: readonly Entry[]): readonly (readonly [text: string, count: number])[] {
  const unknown = entries.map(({ fields }) => fields['reason'] ?? '').filter((text) => reasonOf(text) === null)
  const counted = [...Map.groupBy(unknown, (text) => text)].map(([text, all]) => [text, all.length] as const)
  return counted.toSorted((one, other) => other[1] - one[1])
}

/** Null: it goes in. @param instead taken where a reason is not understood; null: none is chosen */
export function suppressionRefusal({ fields }: Entry, instead: Reason | null): string | null {
  if (instead !== null || reasonOf(fields['reason'] ?? '') !== null) return null
  return 'the reason is not recognized. Choose one for these rows below.'
}

/** What the API is given of one: a reason that is no word of theirs stays in the details. */
export function suppressionOf({ email, fields }: Entry, instead: Reason | null): object {
  const written = fields['reason'] ?? ''
  return {
    email,
    reason: reasonOf(written) ?? instead ?? '',
    details: fields['details'] || (ofWord(written) === undefined ? written : ''),
    expires_at: fields['expires_at'] ?? '',
  }
}
