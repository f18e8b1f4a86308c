import assert from 'node:assert/strict'
import { test } from 'node:test'
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
