import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claimed } from '../outbox/index.ts'
import { inFairOrder } from './claims.ts'
import { waitingMail } from './waiting-mail.ts'

test('mail to one person goes before mail to many, each in order, and what is put back goes first', () => {
  const waiting = waitingMail<string>((mail) => mail.startsWith('many'))
  for (const mail of ['many 1', 'one 1', 'many 2', 'one 2']) waiting.add(mail)
  assert.deepEqual([waiting.length, waiting.next(), waiting.next(), waiting.next()], [4, 'one 1', 'one 2', 'many 1'])
  waiting.add('one 3')
  waiting.putBack('many 1')
  assert.deepEqual([waiting.next(), waiting.length], ['many 1', 2])
  assert.deepEqual(waiting.clear(), ['one 3', 'many 2'])
  assert.deepEqual([waiting.length, waiting.next()], [0, undefined])
})

test('of what was claimed, mail to one person enters first, and of each account in turns', () => {
  const row = (id: string, accountId: string, bulk: boolean): Claimed => ({
    ...{ id, accountId, bulk, domainId: null, siteId: 1, fence: 1, sandbox: false, blocked: null },
  })
  const many = ['a1', 'a2', 'a3'].map((id) => row(id, 'a', true))
  const others = [row('b1', 'b', true), row('c1', 'c', false), row('a4', 'a', false), row('c2', 'c', false)]
  const order = inFairOrder([...many, ...others]).map(({ id }) => id)
  assert.deepEqual(order, ['c1', 'a4', 'c2', 'a1', 'b1', 'a2', 'a3'])
})
