// `posthorn rekey`: changes the secret of a running instance (platform/secrets/keys.ts describes the steps and the state after a
// crash). The first call announces the new secret and, if every running process holds it, completes the change; otherwise
// `--finish` completes it once they do.

import { readFile } from 'node:fs/promises'
import type { Ground } from '../composition/ground.ts'
import { SETTINGS } from '../config.ts'
import { accountSecrets, CONSOLE, recordOperatorAction } from '../modules/accounts/index.ts'
import { domainSecrets } from '../modules/domains/index.ts'
import { type Running, runningBehind } from '../modules/machines/index.ts'
import { rotateTokenKey, trackingSecrets } from '../modules/tracking/index.ts'
import { webhookSecrets } from '../modules/webhooks/index.ts'
import { UsageError } from '../platform/command.ts'
import type { Database } from '../platform/db.ts'
import { NEVER } from '../platform/lifecycle.ts'
import {
  announceSecret,
  beginSecret,
  finishSecret,
  openSecrets,
  type SecretSource,
  secretState,
} from '../platform/secrets/keys.ts'
import { type SealedColumn, sealAnew } from '../platform/secrets/sealed-columns.ts'

export interface RekeyOptions {
  readonly database: Database
  readonly source: SecretSource
  readonly ground: Pick<Ground, 'clock' | 'ids'>
}

export interface Rekeyed {
  readonly number: number
  readonly state: 'announced' | 'finished'
  /** The processes that must get the new secret first. */
  readonly waiting_for: readonly Running[]
  /** How many values were sealed anew. */
  readonly sealed_anew: number
}

/** All columns that are stored sealed. */
export const SEALED: readonly SealedColumn[] = [
  ...domainSecrets,
  ...accountSecrets,
  ...webhookSecrets,
  ...trackingSecrets,
]

const KNOWN_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 100

/**
 * @param given the new secret, for POSTHORN_SECRET_KEY; null: one is generated, for `secret.key`
 * @throws when a change is already under way, or the secret was used before
 */
export async function beginRekey(options: RekeyOptions, given: string | null): Promise<Rekeyed> {
  const { database, source, ground } = options
  const number = await announceSecret(database, source, given, ground.clock.now())
  const waiting = await awaitProcesses(options, number, 'held', source.secretKey === null && given === null)
  if (waiting.length > 0) return { number, state: 'announced', waiting_for: waiting, sealed_anew: 0 }
  return finishRekey({ ...options, source: given === null ? source : { ...source, secretKey: given } })
}

/** @throws when there is nothing to finish, running processes lack the new secret, or a row cannot be opened */
export async function finishRekey(options: RekeyOptions): Promise<Rekeyed> {
  const { database, source, ground } = options
  const state = await secretState(database.system)
  if (state === null || state.finished) throw new Error('the secret is not being changed: run posthorn rekey first')
  const { number } = state
  const waiting = await runningBehind(database.system, number, 'held')
  if (waiting.length > 0 && !state.begun)
    throw new Error(`restart these processes with the new secret first: ${waiting.map(processText).join(', ')}`)
  await database.transaction(async (db) => {
    if (!(await beginSecret(db, number, ground.clock.now()))) return
    await rotateTokenKey(db, ground.clock, number)
    await recordOperatorAction(db, ground, CONSOLE, { action: 'secret.change', detail: { number } })
  })
  const late = await awaitProcesses(options, number, 'used', true)
  if (late.length > 0)
    throw new Error(
      `these processes do not use the new secret yet; run this command again: ${late.map(processText).join(', ')}`,
    )
  const secrets = await openSecrets(database, source)
  let sealed = 0
  for (let before = -1; sealed !== before; ) {
    before = sealed
    for (const column of SEALED) sealed += await sealAnew(database.system, secrets, column)
  }
  await finishSecret(database.system, number, ground.clock.now())
  return { number, state: 'finished', waiting_for: [], sealed_anew: sealed }
}

/** Reads a secret for POSTHORN_SECRET_KEY from a file. @throws UsageError when a setting cannot hold it */
export async function secretIn(file: string): Promise<string> {
  const text = (await readFile(file, 'utf8')).trim()
  if (/\p{Cc}/u.test(text)) throw new UsageError('the new secret must be a single line')
  try {
    // Once announced, a secret that no process can start with leaves only a backup.
    SETTINGS.secretKey.read(text)
  } catch (cause) {
    throw new UsageError(`the new secret ${(cause as Error).message}`, { cause })
  }
  return text
}

export function processText({ host, pid, silent_seconds }: Running): string {
  return `${host} process ${pid} (last seen ${Math.max(0, Math.round(silent_seconds))} s ago)`
}

/** @param waits whether to wait for processes that learn of it by themselves @returns those that lack it */
async function awaitProcesses(
  { database, ground: { clock } }: RekeyOptions,
  number: number,
  by: 'held' | 'used',
  waits: boolean,
): Promise<readonly Running[]> {
  const until = clock.monotonicMs() + (waits ? KNOWN_WITHIN_MS : 0)
  for (;;) {
    const behind = await runningBehind(database.system, number, by)
    if (behind.length === 0 || clock.monotonicMs() >= until) return behind
    await clock.sleep(LOOK_EVERY_MS, NEVER)
  }
}
