import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { passwords } from './passwords.ts'

test('a flood of log-ins leaves threads to other work, and beyond a number they are refused', async () => {
  const { verify } = passwords(randomBytes)
  let hashed = 0
  const refusals: unknown[] = []
  const all = Array.from({ length: 20 }, () =>
    verify('a password', null).then(
      () => void hashed++,
      (error) => void refusals.push(error),
    ),
  )
  await stat('.')
  assert.ok(hashed < 4, `${hashed} passwords were hashed before a file was looked at`)
  await Promise.all(all)
  assert.equal(hashed, 16)
  assert.equal(refusals.length, 4)
  for (const error of refusals) assert.equal(error instanceof ApiError && error.status, 503)
  assert.equal(await verify('a password', null), false)
})
