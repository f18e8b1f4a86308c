import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { MessageData } from './submission-data.ts'

interface Read {
  readonly message: string
  /** Null: the end has not come. */
  readonly behind: string | null
}

/** @param piecesMost 0: walked behind the first removed dot. Default: as in production */
function ours(chunks: readonly string[], piecesMost?: number): Read {
  const data = new MessageData(piecesMost)
  let message = ''
  for (const [at, chunk] of chunks.entries()) {
    const { pieces, behind } = data.feed(Buffer.from(chunk, 'latin1'))
    message += Buffer.concat(pieces).toString('latin1')
    if (behind !== null) return { message, behind: behind.toString('latin1') + chunks.slice(at + 1).join('') }
  }
  return { message, behind: null }
}

/** The library's reader, which checks each byte. */
async function theirs(chunks: readonly string[]): Promise<Read> {
  let message = ''
  let behind: string | null = null
  class Reader extends SMTPStream {
    override _endDataMode(chunk: Buffer | false, rest: Buffer, done: () => void): void {
      if (chunk !== false) message += chunk.toString('latin1')
      behind = rest.toString('latin1')
      done()
    }
  }
  const reader = new Reader()
  const stream = reader.startDataMode()
  stream.write = (chunk: unknown) => {
    message += (chunk as Buffer).toString('latin1')
    return true
  }
  for (const [at, chunk] of chunks.entries()) {
    await new Promise<void>((resolve) => reader._feedDataStream(Buffer.from(chunk, 'latin1'), () => resolve()))
    if (behind !== null) return { message, behind: behind + chunks.slice(at + 1).join('') }
  }
  return { message, behind: null }
}

const chunk = fc.array(fc.constantFrom('\r', '\n', '.', 'a', '\r\n', '\r\n.', '\r\n.\r\n', '..'), { maxLength: 8 })
const talk = fc.array(
  chunk.map((words) => words.join('')),
  { minLength: 1, maxLength: 6 },
)

test('the data ends where the library ends it, with the same bytes, however it is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(talk, async (chunks) => {
      // The library holds back bytes of a message without an end: an added end makes them visible.
      const closed = [...chunks.filter((one) => one !== ''), 'a\r\n.\r\n']
      const expected = await theirs(closed)
      for (const piecesMost of [0, 1, 16]) assert.deepEqual(ours(closed, piecesMost), expected)
    }),
    { numRuns: 3_000 },
  )
})

test('a message cut at every byte is the same message', () => {
  const sent = '..first\r\n.\r\r\n.\n\n..\r\n...\r\n.a\r\n\r\n.\r\nQUIT\r\n'
  const whole = ours([sent])
  assert.deepEqual(whole, { message: '.first\r\n.\r\r\n.\n\n.\r\n..\r\n.a\r\n\r\n', behind: 'QUIT\r\n' })
  for (const piecesMost of [0, 16]) {
    for (let at = 1; at < sent.length; at++) {
      assert.deepEqual(ours([sent.slice(0, at), sent.slice(at)], piecesMost), whole, `cut at ${at}`)
      for (let next = at + 1; next < sent.length; next++) {
        const chunks = [sent.slice(0, at), sent.slice(at, next), sent.slice(next)]
        assert.deepEqual(ours(chunks, piecesMost), whole, `cut at ${at}, ${next}`)
      }
    }
  }
  assert.deepEqual(ours(['.\r\nQUIT']), { message: '', behind: 'QUIT' })
})
