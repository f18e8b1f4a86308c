import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inFlightMembers } from './in-flight.ts'

test('members are listed until they leave, in whatever order they do', () => {
  const underWay = inFlightMembers<string>()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => underWay.add(name))
  assert.deepEqual([...underWay].toSorted(), ['a', 'b', 'c', 'd'])
  b?.()
  assert.deepEqual([...underWay].toSorted(), ['a', 'c', 'd'])
  d?.()
  a?.()
  assert.deepEqual([...underWay], ['c'])
  c?.()
  assert.deepEqual([...underWay], [])
})

test('a member that leaves twice takes no other one out, not even one in its former place', () => {
  const underWay = inFlightMembers<string>()
  const first = underWay.add('first')
  const second = underWay.add('second')
  const last = underWay.add('last')
  first()
  first()
  assert.deepEqual([...underWay].toSorted(), ['last', 'second'])
  last()
  second()
  second()
  underWay.add('third')
  first()
  second()
  assert.deepEqual([...underWay], ['third'])
})

test('equal members are counted one by one', () => {
  const underWay = inFlightMembers<string>()
  const one = underWay.add('same')
  underWay.add('same')
  one()
  assert.deepEqual([...underWay], ['same'])
})
