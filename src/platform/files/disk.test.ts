// What keeps mail out: a disk without room, or a folder of the store that cannot be read. Each is logged as one fact.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { lastingFault, REMINDER_MS, SETTLED_MS } from '../lasting-fault.ts'
import { createLogger } from '../log.ts'
import { type DiskGuard, diskGuard, diskRoom } from './disk.ts'

const MESSAGE_BYTES = 1_024
/** A file system that has no blocks, and so no room. */
const NO_ROOM = '/proc'

interface Line {
  readonly level: string
  readonly msg: string
  readonly repeated?: number
}

function written(): { readonly lines: Line[]; readonly clock: { ms: number; monotonicMs(): number } } {
  const clock = { ms: 0, monotonicMs: () => clock.ms }
  return { lines: [], clock }
}

function loggerTo(lines: Line[]): ReturnType<typeof createLogger> {
  return createLogger('info', null, { write: (line) => void lines.push(JSON.parse(line)) })
}

/** Lets the guard look as often as this. */
async function look(guard: DiskGuard, times: number, clock: { ms: number }, everyMs: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    clock.ms += everyMs
    guard.wake()
    for (let turns = 0; turns < 20; turns++) await turn()
    // The look itself is in the thread pool.
    await diskRoom([os.tmpdir()], MESSAGE_BYTES)
    for (let turns = 0; turns < 20; turns++) await turn()
  }
}

test('a fault that lasts is logged when it begins, every ten minutes, and once it has been absent for ten seconds', () => {
  const { lines, clock } = written()
  const fault = lastingFault({ log: loggerTo(lines), clock, lasts: 'it is broken', ended: 'it works again' })
  fault.absent()
  for (; clock.ms < REMINDER_MS; clock.ms += 2_000) fault.met({})
  fault.met({})
  clock.ms += SETTLED_MS / 2
  fault.absent()
  fault.met({})
  clock.ms += SETTLED_MS
  for (let i = 0; i < 3; i++) fault.absent()
  fault.met({})
  assert.deepEqual(
    lines.map(({ level, msg, repeated }) => [level, msg, repeated]),
    [
      ['error', 'it is broken', undefined],
      ['error', 'it is broken', REMINDER_MS / 2_000 - 1],
      ['info', 'it works again', undefined],
      ['error', 'it is broken', undefined],
    ],
  )
})

for (const holdMail of [true, false])
  test(`while a folder is away, mail is ${holdMail ? 'refused' : 'accepted'} if ${holdMail ? '' : 'none '}is stored in it, and the log says so once`, async () => {
    await using stack = new AsyncDisposableStack()
    const place = await mkdtemp(path.join(os.tmpdir(), 'posthorn-disk-'))
    stack.defer(() => rm(place, { recursive: true, force: true }))
    const [folder, away] = [path.join(place, 'data'), path.join(place, 'away')]
    await mkdir(folder)
    const { lines, clock } = written()
    const guard = diskGuard({
      ...{ folders: [place, folder], holdMail, besideDatabase: false, maxMessageBytes: MESSAGE_BYTES, clock },
      log: loggerTo(lines),
    })
    await guard.start()
    stack.defer(() => guard.stop(AbortSignal.timeout(1_000)))
    assert.equal(guard.hasRoom(), true)

    await rename(folder, away)
    await look(guard, 10, clock, 2_000)
    assert.equal(guard.hasRoom(), !holdMail)
    const fault = holdMail
      ? 'the data directory cannot be read: no mail is accepted'
      : 'the data directory cannot be read'
    assert.deepEqual(
      lines.map(({ level, msg }) => `${level} ${msg}`),
      [`error ${fault}`],
    )

    await rename(away, folder)
    await look(guard, 1, clock, 2_000)
    assert.equal(guard.hasRoom(), true, 'at once')
    await look(guard, 1, clock, SETTLED_MS)
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      [fault, 'the data directory can be read again'],
    )
  })

for (const [where, holdMail, besideDatabase] of [
  ['there', true, false],
  ['in a database beside it', false, true],
  ['elsewhere', false, false],
] as const)
  test(`of several folders, the one on the fullest disk counts; mail is stored ${where}`, async () => {
    const room = await diskRoom([os.tmpdir(), NO_ROOM, os.tmpdir()], MESSAGE_BYTES)
    assert.deepEqual([room.folder, room.freeBytes], [NO_ROOM, 0])
    const { lines, clock } = written()
    const folders = [os.tmpdir(), NO_ROOM]
    const log = loggerTo(lines)
    const guard = diskGuard({ folders, holdMail, besideDatabase, maxMessageBytes: MESSAGE_BYTES, clock, log })
    await guard.start()
    await guard.stop(AbortSignal.timeout(1_000))
    const takesMail = where === 'elsewhere'
    assert.deepEqual([guard.hasRoom(), guard.takesMail()], [false, takesMail])
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      [`no room on the disk: no mail ${takesMail ? 'over a megabyte ' : ''}is accepted`],
    )
  })
