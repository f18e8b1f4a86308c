// The instance's secret, and how it is changed (docs/adr/0012).
//
// All secrets that the instance has ever had are numbered, from 1. The newest is in no database: it is POSTHORN_SECRET_KEY, or
// in the file `secret.key` in the data directory, as base64. The earlier ones are in `secret_key`, sealed under the newest, so
// holding the newest means holding all. An instance whose secret was never changed has no such row.
//
// The steps of a change, which may be interrupted between any two and then resumes:
//   1. The new secret is written to `secret.key.<number>` and synced (the operator keeps one for POSTHORN_SECRET_KEY).
//   2. One transaction announces it: its row, and all others sealed under it. From then on a process can only start with the
//      new secret; running ones continue with the previous one, and nothing is sealed with the new one.
//   3. The file replaces `secret.key`. Any process that finds this not done does it.
//   4. Once every running process holds the new secret it begins: all seal and sign with it from then on.
//   5. Older sealed values are resealed, row by row, each only if it still holds what was read.
//   6. The end is recorded.

import { randomBytes } from 'node:crypto'
import { chmod, open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import type { Database, Db } from '../db.ts'
import { giveToOwner } from '../files/data-folder.ts'
import { SECRET_BYTES, type Secrets, sameSecret, secretsFrom, secretsOf } from '../secrets.ts'
import * as sql from './sql-secrets.ts'

export interface SecretSource {
  readonly dataDir: string
  /** Null: the file `secret.key` in the data directory, created when it is missing. */
  readonly secretKey: string | null
}

/** How far the change to the newest secret has come. */
export interface SecretState {
  readonly number: number
  readonly begun: boolean
  readonly finished: boolean
}

export interface RenewedSecrets {
  /** This process holds the newest secret. */
  readonly isCurrent: boolean
  /** The newest secret has begun (step 4). */
  readonly begun: boolean
}

const FORMER = 'former secret'

/** @throws when what the database holds sealed cannot be opened with the given secret */
export async function openSecrets(database: Database, source: SecretSource): Promise<Secrets> {
  const rows = await database.system.query<sql.KeyRow>(sql.secretKeys)
  // Queried before the file is looked for: a process that creates an instance makes the file first.
  const known = await database.system.one<{ value: string }>(sql.secretCheck)
  const found = await secretGiven(source, rows.at(-1)?.check_mac ?? known?.value ?? null)
  if (rows.length > 0) {
    const held = await heldBy(rows, source)
    if (held !== null) return secretsOf(held, presentOf(rows))
    if (found === null) throw noSecret(source)
    const former = await Promise.all(rows.slice(0, -1).map((row) => isGiven(row, source)))
    if (former.includes(true))
      throw new Error("this instance's secret was changed: start with the new one (see docs/operations.md)")
    throw wrongSecret()
  }
  if (found === null && known !== null) throw noSecret(source)
  const given = found ?? (await madeSecret(secretFile(source)))
  const check = checkOf(given)
  // A database that is read-only, or has had the check for long, is only read.
  if (known === null) await database.system.execute(sql.addSecretCheck, [check])
  const row = known ?? (await database.system.one<{ value: string }>(sql.secretCheck))
  if (row === null || !sameSecret(row.value, check)) throw wrongSecret()
  return secretsFrom(given)
}

function wrongSecret(): Error {
  return new Error(
    'this database was set up with another secret: restore its POSTHORN_SECRET_KEY, or secret.key in the data directory',
  )
}

/** No secret is made in this case: it would open nothing, and take the place of the right one. */
function noSecret(source: SecretSource): Error {
  return new Error(
    `${secretFile(source)} is missing, and this database was set up with a secret: copy the file from a backup or another machine, or set POSTHORN_SECRET_KEY if the instance had it set`,
  )
}

/** Picks up changes of the secrets: a new one if it can be read here (a changed file), and which one is used for sealing. */
export async function renewSecrets(
  database: Database,
  secrets: Secrets,
  source: SecretSource,
): Promise<RenewedSecrets> {
  const rows = await database.system.query<sql.KeyRow>(sql.secretKeys)
  const newest = rows.at(-1)
  if (newest === undefined) return { isCurrent: true, begun: true }
  if (newest.number > secrets.newest()) {
    const held = await heldBy(rows, source)
    if (held !== null) secrets.hold(held)
  }
  const isCurrent = newest.number <= secrets.newest()
  if (isCurrent) secrets.use(presentOf(rows))
  return { isCurrent, begun: newest.begun_at !== null }
}

/** Null when the secret was never changed. */
export async function secretState(db: Db): Promise<SecretState | null> {
  const newest = (await db.query<sql.KeyRow>(sql.secretKeys)).at(-1)
  if (newest === undefined) return null
  const { number, begun_at, finished_at } = newest
  return { number, begun: begun_at !== null, finished: finished_at !== null }
}

/**
 * Steps 1 to 3.
 *
 * @param given the new secret; null: one is made, for `secret.key`
 * @returns its number
 * @throws when a change is under way, or that secret was used before
 */
export async function announceSecret(
  database: Database,
  source: SecretSource,
  given: string | null,
  at: Date,
): Promise<number> {
  const number = await database.transaction(async (db) => {
    await db.query(sql.lockSecretKeys)
    const rows = await db.query<sql.KeyRow>(sql.secretKeys)
    if (rows.at(-1)?.finished_at === null)
      throw new Error('the secret is being changed already: finish with posthorn rekey --finish')
    const known = await db.one<{ value: string }>(sql.secretCheck)
    const first = rows.length === 0 ? await secretGiven(source, known?.value ?? null) : null
    const held = first === null ? await heldBy(rows, source) : [first]
    if (held === null) throw wrongSecret()
    const next = held.length + 1
    const fresh = given === null ? randomBytes(SECRET_BYTES) : Buffer.from(given)
    if (held.some((secret) => sameSecret(secret, fresh)))
      throw new Error('that secret was in use before: choose a new one')
    if (given === null) await writeNext(source.dataDir, next, fresh)
    const under = secretsFrom(fresh)
    for (const [i, secret] of held.entries()) {
      const sealed = under.seal(FORMER, String(i + 1), secret)
      await db.execute(sql.putSecretKey, [i + 1, checkOf(secret), sealed, at, true])
    }
    await db.execute(sql.putSecretKey, [next, checkOf(fresh), null, at, false])
    return next
  })
  if (given === null) await takeNext(source.dataDir, number)
  await database.system.query(sql.tellOfSecrets)
  return number
}

/** Step 4. @returns false when it had begun before */
export async function beginSecret(db: Db, number: number, at: Date): Promise<boolean> {
  const began = (await db.execute(sql.beginSecretKey, [number, at])) > 0
  await db.query(sql.tellOfSecrets)
  return began
}

/** Step 6. */
export async function finishSecret(db: Db, number: number, at: Date): Promise<void> {
  await db.execute(sql.finishSecretKey, [number, at])
}

function presentOf(rows: readonly sql.KeyRow[]): number {
  return rows.findLast(({ begun_at }) => begun_at !== null)?.number ?? 1
}

function checkOf(secret: Buffer): string {
  return secretsFrom(secret).mac('instance check', 'posthorn').toString('hex')
}

function isOf({ check_mac }: sql.KeyRow, secret: Buffer): boolean {
  return sameSecret(check_mac, checkOf(secret))
}

async function isGiven(row: sql.KeyRow, source: SecretSource): Promise<boolean> {
  const secret = await secretGiven(source, row.check_mac)
  return secret !== null && isOf(row, secret)
}

/** All secrets in order; null when the newest is not given here. Does step 3 if it is still to do. */
async function heldBy(rows: readonly sql.KeyRow[], source: SecretSource): Promise<readonly Buffer[] | null> {
  const newest = rows.at(-1)
  if (newest === undefined) return null
  let secret: Buffer | null = await secretGiven(source, newest.check_mac)
  if (secret === null || !isOf(newest, secret)) {
    secret = source.secretKey === null ? await readSecret(nextFile(source.dataDir, newest.number)) : null
    if (secret === null || !isOf(newest, secret)) return null
    await takeNext(source.dataDir, newest.number)
  }
  const under = secretsFrom(secret)
  return rows.map(({ number, sealed }) =>
    sealed === null ? (secret as Buffer) : under.open(FORMER, String(number), sealed),
  )
}

/**
 * POSTHORN_SECRET_KEY is the secret itself, or the line of a `secret.key`: whichever the check fits.
 *
 * @param check of the secret that is looked for; null: a new instance
 * @returns null when it should be in a file, and the file is missing
 */
async function secretGiven(source: SecretSource, check: string | null): Promise<Buffer | null> {
  if (source.secretKey === null) return readSecret(secretFile(source))
  const ofFile = Buffer.from(source.secretKey, 'base64')
  const isOfFile = ofFile.length >= SECRET_BYTES && check !== null && sameSecret(check, checkOf(ofFile))
  return isOfFile ? ofFile : Buffer.from(source.secretKey)
}

function secretFile({ dataDir }: SecretSource): string {
  return path.join(dataDir, 'secret.key')
}

function nextFile(dataDir: string, number: number): string {
  return path.join(dataDir, `secret.key.${number}`)
}

async function madeSecret(file: string): Promise<Buffer> {
  try {
    await writeSecret(file, randomBytes(SECRET_BYTES), 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await chmod(file, 0o600)
  const made = await readSecret(file)
  if (made === null) throw new Error(`${file} is not a secret key`)
  return made
}

async function writeNext(dataDir: string, number: number, secret: Buffer): Promise<void> {
  await writeSecret(nextFile(dataDir, number), secret, 'w')
  await syncFolder(dataDir)
}

async function takeNext(dataDir: string, number: number): Promise<void> {
  try {
    await rename(nextFile(dataDir, number), path.join(dataDir, 'secret.key'))
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await syncFolder(dataDir)
}

async function writeSecret(file: string, secret: Buffer, flags: 'w' | 'wx'): Promise<void> {
  await using handle = await open(file, flags, 0o600)
  await handle.writeFile(`${secret.toString('base64')}\n`)
  await giveToOwner(path.dirname(file), file)
  await handle.sync()
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

async function readSecret(file: string): Promise<Buffer | null> {
  try {
    const secret = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
    if (secret.length < SECRET_BYTES) throw new Error(`${file} does not contain a secret key; restore it from a backup`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
