import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SharedCommitOptions, sharedCommit } from './shared-commit.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A writer whose writes end on command. */
function writer(options: Partial<SharedCommitOptions<number, number[]>> = {}) {
  const groups: number[][] = []
  const writes: PromiseWithResolvers<void>[] = []
  const commit = sharedCommit<number, number[]>({
    begin: () => [],
    gather: (items, item) => void items.push(item),
    write: async (items) => {
      groups.push([...items])
      const done = Promise.withResolvers<void>()
      writes.push(done)
      await done.promise
    },
    sizeOf: (item) => item,
    maxItems: 100,
    maxBytes: 1_000,
    maxWaitingBytes: 2_000,
    full: () => new Error('full'),
    ...options,
  })
  return { commit, groups, writes }
}

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  const done = (): void => {
    settled = true
  }
  promise.then(done, done)
  await nextTurn()
  return settled
}

test('items of the same turn share one promise, and items during a write share the next', async () => {
  const { commit, groups, writes } = writer()
  const [a, b] = [commit.add(1), commit.add(2)]
  assert.equal(a, b)
  await nextTurn()
  const [c, d] = [commit.add(3), commit.add(4)]
  assert.equal(c, d)
  assert.notEqual(a, c)
  await nextTurn()
  assert.deepEqual(groups, [[1, 2]])
  assert.equal(await isSettled(a), false)
  writes[0]?.resolve()
  await a
  await nextTurn()
  assert.deepEqual(groups, [
    [1, 2],
    [3, 4],
  ])
  assert.equal(await isSettled(c), false)
  const idle = commit.idle()
  assert.equal(await isSettled(idle), false)
  writes[1]?.resolve()
  await Promise.all([c, idle])
})

test('a failed write rejects only its own group', async () => {
  const { commit, writes } = writer()
  const first = commit.add(1)
  await nextTurn()
  const second = commit.add(2)
  writes[0]?.reject(new Error('no disk'))
  await assert.rejects(first, /no disk/)
  await nextTurn()
  writes[1]?.resolve()
  await second
  await commit.idle()
})

test('groups are bounded by items and bytes, and waiting items by bytes', async () => {
  const { commit, groups, writes } = writer({ maxItems: 2 })
  const all = [commit.add(1), commit.add(2), commit.add(3), commit.add(900), commit.add(900)]
  assert.equal(all[0], all[1])
  assert.equal(all[2], all[3])
  assert.notEqual(all[3], all[4])
  await assert.rejects(commit.add(500), /full/)
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    writes[i]?.resolve()
    await all[i * 2]
  }
  assert.deepEqual(groups, [[1, 2], [3, 900], [900]])
  // A single larger item goes alone, when nothing waits.
  await commit.idle()
  const large = commit.add(5_000)
  await nextTurn()
  writes[3]?.resolve()
  await large
  assert.deepEqual(groups[3], [5_000])
})
