// What a click on the page's button does. Anyone with the link confirms the contact, once, under the lock of its row. The
// event is written in the same transaction, so two posts make one event. A link cannot sign up somebody who has said no
// since it was sent, nor somebody who has been asked again since.

import { storableText } from '../../platform/db/storable-text.ts'
import type { Db } from '../../platform/db.ts'
import { append } from '../events/index.ts'
import { mayWeSend } from '../suppression/index.ts'
import type { ContactContext } from './contacts.ts'
import { LINK_LIVES_MS, MAX_AGENT_CHARS } from './limits.ts'
import * as sql from './sql.ts'
import type { ConfirmationToken } from './tokens.ts'

/** What is known of the person who pressed the button. */
export interface Confirmer {
  readonly ip: string
  readonly userAgent: string | null
}

export type ConfirmationState =
  | { readonly kind: 'pending'; readonly email: string }
  | { readonly kind: 'confirmed'; readonly email: string }
  /** The person has said no since, or cannot be reached. */
  | { readonly kind: 'stopped'; readonly email: string }
  | { readonly kind: 'unknown' }

/** Changes nothing. */
export async function confirmationStateOf(
  { database, clock }: ContactContext,
  token: ConfirmationToken,
): Promise<ConfirmationState> {
  const { accountId, contactId } = token
  const row = await database.system.one<sql.ContactRow>(sql.contact, [clock.now(), accountId, contactId])
  return row === null ? { kind: 'unknown' } : standing(row, token)
}

export function confirmContact(
  context: ContactContext,
  token: ConfirmationToken,
  confirmer: Confirmer,
): Promise<ConfirmationState> {
  const { accountId, contactId } = token
  const { database, clock } = context
  return database.transaction(async (db) => {
    const now = clock.now()
    const row = await db.one<sql.ContactRow>(sql.lockContact, [now, accountId, contactId])
    if (row === null) return { kind: 'unknown' }
    const before = standing(row, token)
    if (before.kind !== 'pending') return before
    // Checked after taking the row's lock: a refusal that arrived while waiting for it counts.
    const [refusal] = await mayWeSend(db, [{ accountId, recipient: row.email, sandbox: false }], now)
    if (refusal != null) return { kind: 'stopped', email: row.email }
    const agent = confirmer.userAgent === null ? null : storableText(confirmer.userAgent, MAX_AGENT_CHARS)
    await db.execute(sql.confirm, [accountId, contactId, now, confirmer.ip, agent])
    await logConfirmation(context, db, row, now)
    return { kind: 'confirmed', email: row.email }
  })
}

function standing(
  { status, email, suppressed, asked_back_at: askedBack }: sql.ContactRow,
  token: ConfirmationToken,
): ConfirmationState {
  if (suppressed) return { kind: 'stopped', email }
  if (status === 'pending_confirmation') {
    return { kind: askedBack === null || isOf(askedBack, token) ? 'pending' : 'stopped', email }
  }
  return { kind: status === 'subscribed' ? 'confirmed' : 'stopped', email }
}

/** True when the link was written at that asking or later. Tokens hold whole seconds. */
function isOf(askedAt: Date, { endsAt }: ConfirmationToken): boolean {
  return endsAt.getTime() >= Math.floor((askedAt.getTime() + LINK_LIVES_MS) / 1_000) * 1_000
}

async function logConfirmation({ ids }: ContactContext, db: Db, row: sql.ContactRow, now: Date): Promise<void> {
  await append(db, [
    {
      eventId: ids.next(),
      at: now,
      accountId: row.account_id,
      domainId: null,
      emailId: null,
      type: 'contact.confirmed',
      stream: 'transactional',
      sandbox: false,
      tag: null,
      data: {
        contact_id: row.id,
        email: row.email,
        previous_status: 'pending_confirmation',
        status: 'subscribed',
        confirmed_at: now.toISOString(),
        source: row.source,
        consent: consentOf(row),
      },
      facts: null,
    },
  ])
}

/** The form the API and the event show. */
export function consentOf(row: sql.ContactRow): object {
  return {
    source_url: row.source_url,
    consent_text: row.consent_text,
    timestamp: row.consent_at?.toISOString() ?? null,
  }
}
