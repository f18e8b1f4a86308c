// What `posthorn backup` tells about the secret key: who believes to have it in the backup keeps no other copy.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'

const MAIN = path.join(import.meta.dirname, '..', 'src', 'main.ts')

for (const [what, settings, included, says] of [
  ['is in the backup', {}, true, /It contains the secret key: store it as securely/],
  [
    'is only in POSTHORN_SECRET_KEY, and the backup of no use without it',
    { POSTHORN_SECRET_KEY: 's3cret'.repeat(8) },
    false,
    /It does not contain POSTHORN_SECRET_KEY, without which it is of no use: keep that too, in another place\./,
  ],
] as const) {
  test(`a backup says that the secret key ${what}`, async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-backup-'))
    try {
      const others = Object.entries(process.env).filter(([name]) => !/^(?:POSTHORN_|DATABASE_URL$)/.test(name))
      const env = { ...Object.fromEntries(others), POSTHORN_DATA_DIR: path.join(folder, 'data'), ...settings }
      const posthorn = (...words: string[]) => promisify(execFile)(process.execPath, [MAIN, ...words], { env })
      await posthorn('migrate')
      const { stdout } = await posthorn('backup', path.join(folder, 'backup'))
      assert.match(stdout, says)
      const { stdout: told } = await posthorn('backup', path.join(folder, 'second'), '--json')
      assert.equal(JSON.parse(told).has_secret_key, included)
      const key = access(path.join(folder, 'backup', 'data', 'secret.key'))
      await (included ? key : assert.rejects(key, { code: 'ENOENT' }))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}
