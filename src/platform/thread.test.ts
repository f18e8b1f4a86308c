import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadFor } from './thread.ts'

test('the time that a thread takes to load its modules is not counted against its first piece of work', async () => {
  const file = new URL('../../test/slow-thread.ts', import.meta.url)
  const thread = threadFor<string, string>({ file, withinMs: 1_000, memoryMb: 64 })
  assert.equal(await thread.run('a'), 'A')
  await thread.close()
})
