import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMessage } from '../../mail/mime/parse.ts'
import { messageReader } from './message-reader.ts'

const HEAD = 'From: Ann <ann@shop.example>\r\nTo: bo@dest.example\r\nSubject: =?utf-8?q?gr=C3=BCn?=\r\nX-Own: 1\r\n'

/** @param bytes size of the attachment; the HTML is as long */
function message(bytes: number): Buffer {
  const part = (type: string, body: string): string => `--b\r\nContent-Type: ${type}\r\n\r\n${body}\r\n`
  const lines = (word: string): string => `${word.repeat(60)}\r\n`.repeat(Math.ceil(bytes / 62))
  const attachment = part(
    'application/octet-stream\r\nContent-Disposition: attachment; filename=a.bin',
    lines('\x01').trimEnd(),
  )
  return Buffer.from(
    `${HEAD}MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${part('text/html; charset=utf-8', lines('é'))}${attachment}--b--\r\n`,
  )
}

function reader(...told: Parameters<typeof messageReader> extends [unknown, ...infer Rest] ? Rest : never) {
  const warnings: unknown[] = []
  return { read: messageReader({ warn: (what: unknown) => void warnings.push(what) }, ...told), warnings }
}

test('a message is parsed the same inline and in the thread, attachments as bytes', async () => {
  const { read, warnings } = reader()
  for (const bytes of [1_000, 400_000]) {
    const raw = message(bytes)
    const found = await read(raw)
    assert.deepEqual(found, await parseMessage(raw))
    assert.ok(Buffer.isBuffer(found.attachments[0]?.content))
    assert.equal(found.unparsed, null)
  }
  assert.deepEqual(warnings, [])
})

/** How many microtask steps the work takes without letting other work of the process run; null: it waits for others. */
async function stepsOf(work: Promise<unknown>, most: number): Promise<number | null> {
  let done = false
  void work.then(() => {
    done = true
  })
  for (let step = 0; step < most; step++) {
    if (done) return step
    await Promise.resolve()
  }
  return null
}

test('a large message leaves the process free for other work while it is parsed', async () => {
  const { read } = reader()
  const raw = message(300_000)
  const steps = await stepsOf(parseMessage(raw), 10_000_000)
  assert.ok(steps !== null, 'read at once it holds the process from its first step to its last')
  const reading = read(raw)
  assert.equal(await stepsOf(reading, steps * 2 + 1_000), null)
  assert.equal((await reading).unparsed, null)
})

test('a message beyond the limits is shown by its header alone, and the next one is parsed', async () => {
  const { read, warnings } = reader({ withinMs: 1, memoryMb: 512 })
  const found = await read(message(8_000_000))
  assert.equal(found.unparsed, 'too_large')
  assert.equal(found.headers.find(([name]) => name === 'X-Own')?.[1], '1')
  assert.deepEqual([found.html, found.text, found.attachments], [null, null, []])
  assert.equal(warnings.length, 1)
  assert.equal((await read(message(1_000))).subject, 'grün')
  const small = reader({ withinMs: 10_000, memoryMb: 16 })
  assert.equal((await small.read(message(12_000_000))).unparsed, 'too_large')
  assert.equal((await small.read(message(300_000))).unparsed, null)
})

test('25 MB of text are read in a heap of 64 MB', async () => {
  const line = 'Dear reader, this is line number seven of a letter about nothing at all\r\n'
  const count = Math.floor((25 * 1_048_576) / line.length)
  const { read, warnings } = reader({ withinMs: 20_000, memoryMb: 64 })
  const { text, unparsed } = await read(Buffer.from(`Subject: s\r\n\r\n${line.repeat(count)}`))
  assert.deepEqual([unparsed, warnings], [null, []])
  assert.equal(text?.length, count * (line.length - 1) - 1)
})
