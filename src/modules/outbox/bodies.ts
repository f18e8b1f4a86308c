// Stores contents. Nearly all are small and are inserted together by one statement. A content larger than MAX_ROW_BYTES is cut
// into pieces, one row each, which are written and read one after the other, so that neither this process nor the database
// process holds a second copy of it. The pieces are written in the transaction of their email and exist only with its row.

import type { Db, Writer } from '../../platform/db.ts'
import * as sql from './sql.ts'
import type { NewBody } from './types.ts'

export const MAX_ROW_BYTES = 1_048_576
export const PIECE_BYTES = 524_288

/** @param posting takes the small contents; every piece of a large one is awaited on `db` */
export async function storeBodies(db: Db, bodies: readonly NewBody[], posting: Writer = db): Promise<void> {
  const sized = bodies.map((body) => ({ ...body, bytes: lengthOf(body) }))
  const small = sized.filter(({ bytes }) => bytes <= MAX_ROW_BYTES)
  if (small.length > 0) await posting.execute(sql.addBodies, columnsOf(small))
  for (const large of sized.filter(({ bytes }) => bytes > MAX_ROW_BYTES)) await storeInPieces(db, large)
}

export function lengthOf({ stretches }: Pick<NewBody, 'stretches'>): number {
  return stretches.reduce((sum, { length }) => sum + length, 0)
}

type Sized = NewBody & { readonly bytes: number }

function columnsOf(bodies: readonly Sized[]): unknown[] {
  let start = 1
  const starts = bodies.map(({ bytes }) => {
    const here = start
    start += bytes
    return here
  })
  return [
    bodies.map(({ id }) => id),
    bodies.map(({ accountId }) => accountId),
    Buffer.concat(bodies.flatMap(({ stretches }) => stretches)),
    starts,
    bodies.map(({ bytes }) => bytes),
  ]
}

/** Writes one piece while it prepares the next: no more than two exist at a time. */
async function storeInPieces(db: Db, { id, accountId, stretches, bytes }: Sized): Promise<void> {
  let before: Promise<unknown> = Promise.resolve()
  let piece = 0
  let stored = 0
  for (const bytesOfPiece of piecesOf(stretches, PIECE_BYTES)) {
    const written =
      piece === 0
        ? db.execute(sql.addLargeBody, [id, accountId, bytesOfPiece, bytes])
        : db.execute(sql.addPiece, [id, accountId, bytesOfPiece, piece])
    written.catch(() => undefined)
    await before
    before = written
    piece++
    stored += bytesOfPiece.length
  }
  await before
  if (stored !== bytes) throw new Error('a content changed while it was stored')
}

/** Copies only when a piece spans several stretches. */
export function* piecesOf(stretches: readonly Buffer[], pieceBytes: number): Generator<Buffer> {
  let parts: Buffer[] = []
  let bytes = 0
  for (const stretch of stretches) {
    for (let at = 0; at < stretch.length; ) {
      const part = stretch.subarray(at, at + pieceBytes - bytes)
      at += part.length
      bytes += part.length
      parts.push(part)
      if (bytes < pieceBytes) continue
      yield parts.length === 1 ? part : Buffer.concat(parts)
      parts = []
      bytes = 0
    }
  }
  if (bytes > 0) yield Buffer.concat(parts)
}

/** @returns null when the content no longer exists */
export async function readBody(db: Db, accountId: string, id: string): Promise<Buffer | null> {
  const first = await db.one<{ body: Buffer; whole_bytes: number | null }>(sql.oneBody, [accountId, id])
  if (first === null || first.whole_bytes === null) return first?.body ?? null
  const whole = Buffer.allocUnsafeSlow(first.whole_bytes)
  let at = first.body.copy(whole)
  for (let piece = 1; at < whole.length; piece++) {
    const next = await db.one<{ body: Buffer }>(sql.onePiece, [accountId, id, piece])
    if (next === null) throw new Error('stored content is torn')
    at += next.body.copy(whole, at)
  }
  return whole
}
