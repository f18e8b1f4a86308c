import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstIdAt, isUuid, systemIds, timeOfId } from './ids.ts'

test('ids have version 7, are unique and sort in order of creation, even when the clock stands still or drifts back', () => {
  let nowMs = 1_800_000_000_000
  const ids = systemIds(() => nowMs)
  const made: string[] = []
  const make = (count: number): void => {
    for (let i = 0; i < count; i++) made.push(ids.next())
  }
  make(10_000)
  nowMs += 60_000
  make(1_000)
  nowMs -= 500
  make(1_000)
  assert.ok(made.every((id) => isUuid(id) && id[14] === '7'))
  assert.equal(new Set(made).size, made.length)
  assert.deepEqual(made.toSorted(), made)
  assert.equal(timeOfId(made.at(-1) ?? '').getTime(), 1_800_000_060_000)
  assert.ok(firstIdAt(new Date(nowMs + 500)) <= (made.at(-1) ?? ''))
})

test('ids follow a clock that is put back, and stay unique when it shows the same time again', () => {
  let nowMs = 1_800_000_000_000
  const ids = systemIds(() => nowMs)
  const made = new Set<string>()
  const make = (): void => {
    for (let i = 0; i < 1_000; i++) {
      const id = ids.next()
      assert.ok(timeOfId(id).getTime() - nowMs < 10)
      made.add(id)
    }
  }
  for (const backMs of [0, 600, 3_600_000, 0]) {
    nowMs -= backMs
    make()
    nowMs += backMs
    make()
  }
  assert.equal(made.size, 8_000)
})

test('the random part of an id is random: every digit in every place, the four variants equally often', () => {
  const ids = systemIds()
  const places = Array.from({ length: 16 }, () => new Map<string, number>())
  for (let i = 0; i < 16_000; i++) {
    const tail = ids.next().slice(19).replace('-', '')
    places.forEach((digits, place) => void digits.set(tail.charAt(place), (digits.get(tail.charAt(place)) ?? 0) + 1))
  }
  const [variants = new Map<string, number>(), ...others] = places
  assert.deepEqual([...variants.keys()].sort(), ['8', '9', 'a', 'b'])
  for (const count of variants.values()) assert.ok(Math.abs(count - 4_000) < 400, `${count}`)
  for (const digits of others) {
    assert.equal(digits.size, 16)
    for (const count of digits.values()) assert.ok(Math.abs(count - 1_000) < 250, `${count}`)
  }
})
