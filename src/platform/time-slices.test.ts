import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inPieces, timeSlices } from './time-slices.ts'

test('pieces run in order, and others have a turn after each slice', async () => {
  let nowMs = 0
  const order: string[] = []
  const turn = timeSlices({ monotonicMs: () => nowMs })
  const piece = async (name: string): Promise<void> => {
    await turn()
    order.push(name)
    nowMs += 3
  }
  const others = (async () => {
    while (order.filter((name) => name !== 'other').length < 6) {
      await new Promise(setImmediate)
      order.push('other')
    }
  })()
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(piece))
  await others
  assert.equal(order.filter((name) => name !== 'other').join(''), 'abcdef')
  assert.match(order.join(' '), /a b (?:other )+c d (?:other )+e f/)
})

test('a piece ends with the item that fills it, and others have a turn before the next', async () => {
  const order: unknown[] = []
  const pieces = (async () => {
    for await (const piece of inPieces([0.5, 0.5, 0, 3, 0.9], (share) => share)) order.push(piece)
  })()
  await new Promise(setImmediate)
  order.push('other')
  await pieces
  assert.deepEqual(order, [[0.5, 0.5], 'other', [0, 3], [0.9]])
  for await (const piece of inPieces([], () => 1)) assert.fail(String(piece))
})
