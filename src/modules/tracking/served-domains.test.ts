import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Database } from '../../platform/db.ts'
import { instanceCertificate } from '../../platform/network/certificates.ts'
import { secretsFrom } from '../../platform/secrets.ts'
import { CERTIFICATE_KEY } from './certificates.ts'
import { servedNames } from './served-domains.ts'
import * as sql from './sql-tracking-domains.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const NAMES = 1_200

test('of many branded names, those called last have their certificate open, and the others get it opened again', async (t) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'served-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const { cert, key } = await instanceCertificate({
    certFile: null,
    keyFile: null,
    dataDir,
    names: ['a.example'],
    now: NOW,
  })
  const secrets = secretsFrom(Buffer.alloc(32))
  const ids = Array.from({ length: NAMES }, (_, i) => `${i}`)
  let expiresAt = new Date(NOW.getTime() + 86_400_000)
  const query = async ({ name }: { readonly name: string }, values: readonly unknown[] = []): Promise<unknown[]> => {
    if (name === sql.servedNames.name)
      return ids.map((id) => ({ id, name: `${id}.example`, ssl_since: NOW, ssl_expires_at: expiresAt }))
    if (name !== sql.certificatesOf.name) return []
    const sealed = (id: string): Buffer => secrets.seal(CERTIFICATE_KEY, id, key)
    return (values[0] as string[]).map((id) => ({ id, certificate: cert, private_key: sealed(id) }))
  }
  const served = servedNames(
    { database: { system: { query } } as unknown as Database, clock: { now: () => NOW } as never, secrets },
    { publicUrl: 'http://127.0.0.1', httpsPort: 443, ownName: null },
  )
  await served.refresh()
  const first = served.contextFor('0.example')
  assert.ok(first !== null)
  assert.equal(served.contextFor('0.example'), first)
  await served.refresh()
  assert.equal(served.contextFor('0.example'), first)
  for (const id of ids) served.contextFor(`${id}.example`)
  const again = served.contextFor('0.example')
  assert.ok(again !== null)
  assert.notEqual(again, first)
  expiresAt = new Date(expiresAt.getTime() + 86_400_000)
  await served.refresh()
  assert.notEqual(served.contextFor('0.example'), again)
})
