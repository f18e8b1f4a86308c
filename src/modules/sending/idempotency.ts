// Idempotency keys (contract section 5). A key is claimed in the transaction that stores the emails, and its answer is
// written there too: key, emails and answer become durable together or not at all. A refusal frees the key.

import type { Db, Writer } from '../../platform/db.ts'
import { IDEMPOTENCY_KEPT_MS } from './limits.ts'
import * as sql from './sql.ts'

export interface IdempotencyKey {
  readonly accountId: string
  readonly path: string
  readonly key: string
  /** SHA-256 of the body, whatever the order of its fields. */
  readonly bodyHash: Buffer
}

export interface StoredAnswer {
  readonly bodyHash: Buffer
  readonly status: number
  readonly body: unknown
}

interface KeyRow {
  readonly account_id: string
  readonly path: string
  readonly key: string
  readonly body_hash: Buffer
  readonly answer: string | null
  readonly status: number | null
}

/** @returns the stored answer of each key that already existed */
export async function claimKeys(
  db: Db,
  keys: readonly IdempotencyKey[],
  now: Date,
): Promise<ReadonlyMap<string, StoredAnswer>> {
  if (keys.length === 0) return new Map()
  const expired = new Date(now.getTime() - IDEMPOTENCY_KEPT_MS)
  const claimed = await db.query<KeyRow>(sql.claimKeys, [
    ...columns(keys),
    keys.map((key) => key.bodyHash),
    now,
    expired,
  ])
  const ours = new Set(claimed.map((row) => nameOf({ accountId: row.account_id, path: row.path, key: row.key })))
  const known = keys.filter((key) => !ours.has(nameOf(key)))
  if (known.length === 0) return new Map()
  const rows = await db.query<KeyRow>(sql.findKeys, columns(known))
  return new Map(
    rows.map((row) => [
      nameOf({ accountId: row.account_id, path: row.path, key: row.key }),
      { bodyHash: row.body_hash, status: row.status ?? 200, body: JSON.parse(row.answer ?? 'null') as unknown },
    ]),
  )
}

export async function storeAnswers(
  db: Writer,
  answers: readonly { readonly key: IdempotencyKey; readonly status: number; readonly body: unknown }[],
): Promise<void> {
  if (answers.length === 0) return
  await db.execute(sql.storeAnswers, [
    ...columns(answers.map(({ key }) => key)),
    answers.map(({ body }) => JSON.stringify(body)),
    answers.map(({ status }) => status),
  ])
}

export async function freeKeys(db: Writer, keys: readonly IdempotencyKey[]): Promise<void> {
  if (keys.length > 0) await db.execute(sql.freeKeys, columns(keys))
}

/** @returns how many keys older than a day it deleted; as many as `limit` means that there may be more */
export function forgetKeys(db: Db, now: Date, limit: number): Promise<number> {
  return db.execute(sql.forgetKeys, [new Date(now.getTime() - IDEMPOTENCY_KEPT_MS), limit])
}

export function nameOf({ accountId, path, key }: Omit<IdempotencyKey, 'bodyHash'>): string {
  return `${accountId} ${path} ${key}`
}

function columns(keys: readonly Omit<IdempotencyKey, 'bodyHash'>[]): unknown[] {
  return [keys.map((key) => key.accountId), keys.map((key) => key.path), keys.map((key) => key.key)]
}
