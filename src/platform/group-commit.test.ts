import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GroupCommitOptions, groupCommit } from './group-commit.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A writer whose commits end on command. */
function writer(options: Partial<GroupCommitOptions<number, number>> = {}) {
  const groups: number[][] = []
  const commits: PromiseWithResolvers<void>[] = []
  const commit = groupCommit<number, number>({
    write: async (items) => {
      groups.push([...items])
      const done = Promise.withResolvers<void>()
      commits.push(done)
      await done.promise
      return items.map((item) => item * 10)
    },
    sizeOf: (item) => item,
    maxItems: 100,
    maxBytes: 1_000,
    concurrency: 1,
    maxWaitingBytes: 10_000,
    full: () => new Error('full'),
    ...options,
  })
  return { commit, groups, commits }
}

test('items that arrive during a commit go together into the next', async () => {
  const { commit, groups, commits } = writer()
  const first = commit.add(1)
  await nextTurn()
  const rest = [commit.add(2), commit.add(3)]
  await nextTurn()
  assert.deepEqual(groups, [[1]])
  commits[0]?.resolve()
  assert.equal(await first, 10)
  await nextTurn()
  assert.deepEqual(groups, [[1], [2, 3]])
  commits[1]?.resolve()
  assert.deepEqual(await Promise.all(rest), [20, 30])
  await commit.idle()
})

test('small items wait for one large item at most, and large items for no more than one group of small ones', async () => {
  const { commit, groups, commits } = writer({ largeBytes: 500 })
  const all = [600, 1, 700, 2, 800, 3].map((item) => commit.add(item))
  for (let i = 0; i < 6; i++) {
    await nextTurn()
    commits[i]?.resolve()
    if (i === 1) all.push(commit.add(4))
  }
  await Promise.all(all)
  assert.deepEqual(groups, [[600], [1, 2, 3], [700], [4], [800]])
})

test('a group is limited by items and by bytes, and a large item goes alone', async () => {
  const { commit, groups, commits } = writer({ maxItems: 2 })
  const all = [1, 2, 3, 5_000, 4].map((item) => commit.add(item))
  for (let i = 0; i < 5; i++) {
    await nextTurn()
    commits[i]?.resolve()
    await nextTurn()
  }
  await Promise.all(all)
  assert.deepEqual(groups, [[1, 2], [3], [5_000], [4]])
})

test('a failed commit rejects only its own items', async () => {
  const { commit, commits } = writer()
  const first = commit.add(1)
  await nextTurn()
  const second = commit.add(2)
  commits[0]?.reject(new Error('disk'))
  await assert.rejects(first, /disk/)
  await nextTurn()
  commits[1]?.resolve()
  assert.equal(await second, 20)
})

test('waiting bytes are bounded: past the limit an item is refused at once', async () => {
  const { commit, commits } = writer({ maxWaitingBytes: 10 })
  const running = commit.add(1)
  await nextTurn()
  const waiting = commit.add(8)
  await assert.rejects(commit.add(8), /full/)
  commits[0]?.resolve()
  await running
  await nextTurn()
  commits[1]?.resolve()
  assert.equal(await waiting, 80)
})
