import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { SMTPServerDataStream } from 'smtp-server'
import { kept } from '../../test/world/memory.ts'
import { largeTurns } from '../platform/files/body-spool.ts'
import { incomingMessages } from './submission-messages.ts'

const MB = 1_048_576
const CHUNK = 65_536

/** @param onChunk called before each chunk is handed out */
function mailOf(bytes: number, onChunk: (sent: number) => void = () => undefined): SMTPServerDataStream {
  let sent = 0
  const stream = new Readable({
    read() {
      if (sent >= bytes) {
        this.push(null)
        return
      }
      const length = Math.min(CHUNK, bytes - sent)
      onChunk(sent)
      this.push(Buffer.alloc(length, 97 + (Math.floor(sent / CHUNK) % 26)))
      sent += length
    },
  })
  return stream as SMTPServerDataStream
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-spool-'))
  try {
    await work(folder)
    assert.deepEqual(await readdir(folder), [], 'nothing stays on the disk')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function roomIn(spoolFolder: string, hasRoom = true): Parameters<typeof incomingMessages>[1] {
  return { spoolFolder, turns: largeTurns(), disk: { hasRoom: () => hasRoom } }
}

test('a message arrives byte for byte, small or large, whether it declared its size or not', () =>
  inFolder(async (folder) => {
    const messages = incomingMessages(25 * MB, roomIn(folder))
    for (const bytes of [0, 1, CHUNK, MB - 1, MB, MB + 1, 3 * MB + 7]) {
      const wanted = Buffer.concat(await mailOf(bytes).toArray())
      for (const declared of [null, bytes]) {
        const same = await messages.take(mailOf(bytes), declared, async (raw) => raw.equals(wanted))
        assert.ok(same, `${bytes} bytes, ${declared === null ? 'not ' : ''}declared`)
      }
    }
  }))

test('a hundred megabytes without a declared size are refused with about one of them in memory', () =>
  inFolder(async (folder) => {
    const messages = incomingMessages(25 * MB, roomIn(folder))
    const before = kept()
    let most = 0
    // The same chunk every time: memory grows only by what is kept of it.
    const chunk = Buffer.alloc(CHUNK, 97)
    let sent = 0
    const mail = new Readable({
      read() {
        if (sent % MB === 0) most = Math.max(most, kept() - before)
        sent += CHUNK
        this.push(sent > 100 * MB ? null : chunk)
      },
    }) as SMTPServerDataStream
    await assert.rejects(
      messages.take(mail, null, async () => assert.fail('it was worked on')),
      /larger than/,
    )
    assert.ok(most < 4 * MB, `${Math.round(most / MB)} MB`)
  }))

test('a message that is refused or breaks off gives its room back', () =>
  inFolder(async (folder) => {
    const messages = incomingMessages(2 * MB, roomIn(folder))
    for (let i = 0; i < 200; i++) {
      await assert.rejects(
        messages.take(mailOf(4 * MB), null, async () => undefined),
        /larger than/,
      )
      if (i % 20 !== 0) continue
      const torn = mailOf(3 * MB, (sent) => {
        if (sent > 1.5 * MB) torn.destroy(new Error('the client went away'))
      })
      await assert.rejects(
        messages.take(torn, null, async () => undefined),
        /went away/,
      )
    }
    assert.equal(await messages.take(mailOf(2 * MB), null, async (raw) => raw.length), 2 * MB)
  }))

test('without room on the disk, only a message that needs it is refused', () =>
  inFolder(async (folder) => {
    const messages = incomingMessages(25 * MB, roomIn(folder, false))
    assert.equal(await messages.take(mailOf(MB), null, async (raw) => raw.length), MB)
    await assert.rejects(
      messages.take(mailOf(2 * MB), null, async () => undefined),
      /4\.3\.1/,
    )
  }))
