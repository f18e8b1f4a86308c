import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DialogueRecorder } from './smtp-dialogue.ts'
import { replyOf } from './smtp-reply.ts'

const REST = '(the rest was not kept)'

function recorded(record: (dialogue: DialogueRecorder) => void): string[] {
  let now = 0
  const dialogue = new DialogueRecorder(() => now++ * 1.6)
  record(dialogue)
  return dialogue.take().map(({ at, from, line }) => `${at} ${from} ${line}`)
}

test('a dialogue has a line for each line of a reply, and whole milliseconds', () => {
  const lines = recorded((dialogue) => {
    dialogue.server(replyOf(220, ['mx.test']))
    dialogue.client('EHLO a.test')
    dialogue.server(replyOf(250, ['mx.test', 'PIPELINING']))
    dialogue.server(replyOf(354, []))
    dialogue.note('the connection was closed')
  })
  assert.deepEqual(lines, [
    '0 server 220 mx.test',
    '2 client EHLO a.test',
    '3 server 250-mx.test',
    '5 server 250 PIPELINING',
    '6 server 354',
    '8 client (the connection was closed)',
  ])
})

test('100 lines are kept, of which the last one says that there were more', () => {
  const some = (count: number): string[] =>
    recorded((dialogue) => {
      for (let i = 1; i <= count; i++) dialogue.client(`NOOP ${i}`)
    })
  assert.ok(some(99).at(-1)?.endsWith('NOOP 99'))
  assert.equal(some(100).length, 100)
  assert.deepEqual([some(105).length, some(105).at(-1)?.endsWith(REST)], [100, true])
})

test('1,024 characters of a line and 16 KB of all are kept', () => {
  const [whole, cut] = recorded((dialogue) => {
    dialogue.client('x'.repeat(1_024))
    dialogue.client('y'.repeat(1_025))
  })
  assert.equal(whole, `0 client ${'x'.repeat(1_024)}`)
  assert.equal(cut, `2 client ${'y'.repeat(1_024)}...`)
  const lines = recorded((dialogue) => {
    for (let i = 0; i < 20; i++) dialogue.client('x'.repeat(1_024))
  })
  assert.deepEqual([lines.length, lines.at(-1)?.endsWith(REST)], [17, true])
})

test('a dialogue that was taken begins anew', () => {
  const dialogue = new DialogueRecorder(() => 0)
  for (let i = 0; i < 200; i++) dialogue.client('x'.repeat(1_024))
  assert.equal(dialogue.take().at(-1)?.line, REST)
  for (let i = 0; i < 16; i++) dialogue.client('y'.repeat(1_024))
  assert.equal(dialogue.take().at(-1)?.line, 'y'.repeat(1_024))
  assert.deepEqual(dialogue.take(), [])
})
