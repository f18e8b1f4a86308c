import type { Db } from '../../platform/db.ts'
import * as sql from './sql.ts'

export interface WebhookFigures {
  /** Deliveries that have not ended, over all accounts. */
  readonly waiting: number
  /** How long the earliest of them has been due; 0 when none is. */
  readonly lagSeconds: number
}

export async function webhookFigures(db: Db, now: Date): Promise<WebhookFigures> {
  const row = await db.one<{ waiting: number; due: Date | null }>(sql.figures)
  const due = row?.due ?? now
  return { waiting: row?.waiting ?? 0, lagSeconds: Math.max(0, (now.getTime() - due.getTime()) / 1_000) }
}
