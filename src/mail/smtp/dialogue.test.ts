import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandAnswered, DialogueRecorder } from './dialogue.ts'
import { parseReply, replyOf } from './reply.ts'

const REST = '(the rest was not kept)'

function recorded(record: (dialogue: DialogueRecorder) => void): string[] {
  let now = 0
  const dialogue = new DialogueRecorder(() => now++ * 1.6)
  record(dialogue)
  return dialogue.take().map(({ at, from, line }) => `${at} ${from} ${line}`)
}

test('a dialogue has one line per line of a reply, and whole milliseconds', () => {
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

test('a reply with differing codes is recorded as received', () => {
  const reply = parseReply('250-a\r\n550-b\r\n250 c')
  assert.ok(reply !== null)
  assert.deepEqual(
    recorded((dialogue) => dialogue.server(reply)),
    ['0 server 250-a', '2 server 550-b', '3 server 250 c'],
  )
})

test('100 lines are kept, the last of which says that there were more', () => {
  const some = (count: number): string[] =>
    recorded((dialogue) => {
      for (let i = 1; i <= count; i++) dialogue.client(`NOOP ${i}`)
    })
  assert.ok(some(99).at(-1)?.endsWith('NOOP 99'))
  assert.equal(some(100).length, 100)
  assert.deepEqual([some(105).length, some(105).at(-1)?.endsWith(REST)], [100, true])
})

test('1,024 characters per line and 16 KB in total are kept', () => {
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

test('taking a dialogue starts a new one', () => {
  const dialogue = new DialogueRecorder(() => 0)
  for (let i = 0; i < 200; i++) dialogue.client('x'.repeat(1_024))
  assert.equal(dialogue.take().at(-1)?.line, REST)
  for (let i = 0; i < 16; i++) dialogue.client('y'.repeat(1_024))
  assert.equal(dialogue.take().at(-1)?.line, 'y'.repeat(1_024))
  assert.deepEqual(dialogue.take(), [])
})

test('a reply is matched to its command, pipelined or not, on the last of several connections', () => {
  const said = (lines: string): ReturnType<typeof commandAnswered> => {
    const dialogue = lines.split('\n').map((line) => {
      const from = /^\d{3}/.test(line) ? ('server' as const) : ('client' as const)
      return { at: 0, from, line }
    })
    return commandAnswered(dialogue, { code: 450, text: '450 4.2.0 first later' })
  }
  const greeting = '(connecting to 192.0.2.1 port 25)\n220 mx\nEHLO a.test\n250-mx\n250 PIPELINING'
  assert.equal(said('(connecting to 192.0.2.1 port 25)\n450 later'), 'connect')
  assert.equal(said(`${greeting}\nSTARTTLS\n450 later`), 'starttls')
  assert.equal(said(`${greeting}\nMAIL FROM:<>\n450 4.2.0 later`), 'mail')
  assert.equal(
    said('RSET\nMAIL FROM:<>\nRCPT TO:<b@c.test>\nDATA\n250 ok\n250 ok\n450-first\n450 4.2.0 later\n503 no'),
    'rcpt',
  )
  assert.equal(
    said(`${greeting}\nMAIL FROM:<>\n250 ok\nRCPT TO:<b@c.test>\n250 ok\nDATA\n354 go\n(9 bytes)\n450 later`),
    'data',
  )
  assert.equal(
    said(`${greeting}\nMAIL FROM:<>\n(the server closed the connection)\n${greeting}\nMAIL FROM:<>\n450 later`),
    'mail',
  )
  assert.equal(said(`${greeting}\nMAIL FROM:<>\n450 other words`), null)
  assert.equal(said(''), null)
})
