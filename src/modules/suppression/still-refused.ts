// What still refuses live mail to an address that was taken off a list: the other list, or the complaint or hard bounce behind the
// entry, which the verdict on a send remembers (docs/risk.md).

import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

export type StillRefused = 'complaint' | 'suppressed' | 'unsubscribed' | 'hard_bounce'

/** In the order of their weight: what cannot be undone comes first, and what a send may override last. */
const SENTENCES: Readonly<Record<StillRefused, string>> = {
  complaint: 'Emails to it are still refused, because it complained (previous_complaint)',
  suppressed: 'Emails to it are still refused, because it is suppressed',
  unsubscribed: 'Emails to it are still refused, because it is unsubscribed (recipient_unsubscribed)',
  hard_bounce:
    'Emails to it need override_soft_block until one is delivered, because it hard-bounced (previous_hard_bounce)',
}
const KINDS = Object.keys(SENTENCES) as readonly StillRefused[]

interface Row {
  readonly list: 'suppression' | 'unsubscribe' | 'past'
  readonly reason: string | null
}

/** @returns the heaviest reason; null when the lists and their past allow live mail */
export async function stillRefused(
  db: Db,
  accountId: string,
  recipient: string,
  now: Date,
): Promise<StillRefused | null> {
  const rows = await db.query<Row>(sql.WHAT_IS_KNOWN, [[accountId], [recipient], [false], now])
  const found = rows.map(kindOf)
  return KINDS.find((kind) => found.includes(kind)) ?? null
}

function kindOf({ list, reason }: Row): StillRefused {
  if (list === 'unsubscribe') return 'unsubscribed'
  if (reason === 'complaint') return 'complaint'
  return list === 'suppression' ? 'suppressed' : 'hard_bounce'
}

/** The message of an answer. @param done a sentence without its stop */
export function andStill(done: string, refused: StillRefused | null): string {
  return refused === null ? done : `${done}. ${SENTENCES[refused]}`
}
