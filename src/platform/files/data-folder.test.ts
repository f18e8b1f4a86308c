import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { assertOwnerReads } from './data-folder.ts'

const SERVICE = 60_123

test('root is told which of its files the owner of the data directory cannot read', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root sees what others cannot')
  const place = await mkdtemp(path.join(os.tmpdir(), 'posthorn-owner-'))
  const [data, closed, key, hidden] = ['data', 'closed', 'key', 'closed/key'].map((name) => path.join(place, name))
  assert.ok(data !== undefined && closed !== undefined && key !== undefined && hidden !== undefined)
  try {
    await chmod(place, 0o755)
    await mkdir(data)
    await mkdir(closed, { mode: 0o700 })
    for (const file of [key, hidden]) await writeFile(file, 'secret', { mode: 0o640 })
    await assertOwnerReads(data, key, 'A_FILE')
    await chown(data, SERVICE, SERVICE)
    const refused = (file: string): RegExp => new RegExp(`^Error: A_FILE: ${file} cannot be read by user ${SERVICE}, `)
    await assert.rejects(assertOwnerReads(data, key, 'A_FILE'), refused(key))
    await assertOwnerReads(data, path.join(place, 'absent'), 'A_FILE')
    await chown(key, 0, SERVICE)
    await assertOwnerReads(data, key, 'A_FILE')
    await chmod(hidden, 0o644)
    await assert.rejects(
      assertOwnerReads(data, hidden, 'A_FILE'),
      refused(hidden),
      'in a folder that is closed to others',
    )
    assert.deepEqual([process.geteuid?.(), process.getegid?.()], [0, 0])
  } finally {
    await rm(place, { recursive: true, force: true })
  }
})
