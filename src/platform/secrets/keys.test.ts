import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { freshDb } from '../../../test/world/database.ts'
import { connect } from '../db.ts'
import { announceSecret, beginSecret, finishSecret, openSecrets, type SecretSource } from './keys.ts'

const AT = new Date('2026-03-01T12:00:00Z')
const [FIRST, SECOND, OTHER] = ['first', 'second', 'other'].map((name) => name.padEnd(40, '.')) as [
  string,
  string,
  string,
]

test('a secret is never used again, and one change ends before the next begins', async () => {
  await using store = await freshDb()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: store.url, onError: () => undefined })
  closing.defer(() => database.close())
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'secrets-'))
  closing.defer(() => rm(dataDir, { recursive: true }))
  const holding = (secretKey: string): SecretSource => ({ dataDir, secretKey })
  const announce = (held: string, given: string): Promise<number> => announceSecret(database, holding(held), given, AT)
  await openSecrets(database, holding(FIRST))
  await assert.rejects(announce(FIRST, FIRST), /was in use before/)
  assert.equal(await announce(FIRST, SECOND), 2)
  await assert.rejects(announce(SECOND, OTHER), /being changed already/)
  await beginSecret(database.system, 2, AT)
  await finishSecret(database.system, 2, AT)
  for (const used of [FIRST, SECOND]) await assert.rejects(announce(SECOND, used), /was in use before/)
  await assert.rejects(announce(FIRST, OTHER), /with another secret/)
  assert.equal(await announce(SECOND, OTHER), 3)
})
