import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slices } from './slices.ts'

test('pieces run in order, and others have a turn after each slice', async () => {
  let nowMs = 0
  const order: string[] = []
  const turn = slices({ monotonicMs: () => nowMs, sliceMs: 5 })
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
