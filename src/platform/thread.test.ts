import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadFor } from './thread.ts'

test('the time a thread takes to load its modules does not count against its first job', async () => {
  const file = new URL('../../test/world/slow-thread.ts', import.meta.url)
  const thread = threadFor<string, string>({ file, withinMs: 1_000, memoryMb: 64 })
  assert.equal(await thread.run('a'), 'A')
  await thread.close()
})
