import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { heap, kept } from '../../../test/world/memory.ts'
import { type BodySpool, bodySpool, largeTurns, MAX_IN_MEMORY_BYTES, type SpooledBody } from './body-spool.ts'

const MB = 1_048_576
const CHUNK = 65_536

function bodies(maxSpooledBytes = 1_073_741_824, turns = largeTurns()): BodySpool {
  return bodySpool({
    maxSpooledBytes,
    folder: tmpdir(),
    turns,
    tooLarge: (most) => new Error(`larger than ${most}`),
    noRoom: () => new Error('no room'),
  })
}

async function fill(body: SpooledBody, bytes: number): Promise<SpooledBody> {
  for (let left = bytes; left > 0; left -= CHUNK) await body.add(Buffer.alloc(Math.min(CHUNK, left), 97))
  return body
}

test('bodies of a megabyte are processed in parallel, larger ones within forty megabytes together', async () => {
  const room = bodies()
  const running: number[] = []
  const ends: (() => void)[] = []
  let most = 0
  const hold = async (whole: Buffer): Promise<void> => {
    running.push(whole.length)
    most = Math.max(
      most,
      running.reduce((sum, bytes) => sum + bytes, 0),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    await promise
    running.splice(running.indexOf(whole.length), 1)
  }
  const small = await Promise.all(Array.from({ length: 8 }, () => fill(room.begin(50 * MB), MAX_IN_MEMORY_BYTES)))
  assert.ok(small.every((body) => !body.isLarge()))
  const atOnce = small.map((body) => body.work(hold))
  await turn()
  assert.equal(running.length, 8)
  for (const end of ends.splice(0)) end()
  await Promise.all(atOnce)

  most = 0
  const sizes = [25, 25, 10, 5, 50, 30, 2]
  const large = await Promise.all(sizes.map((size) => fill(room.begin(50 * MB), size * MB)))
  assert.ok(large.every((body) => body.isLarge()))
  const worked = Promise.all(large.map((body) => body.work(hold)))
  const done = worked.then(() => true)
  while (!(await Promise.race([done, turn(false)]))) {
    const together = running.reduce((sum, bytes) => sum + bytes, 0)
    assert.ok(running.length <= 1 || together <= 40 * MB, `${together / MB} MB in memory`)
    ends.shift()?.()
  }
  assert.equal(most, 50 * MB, 'the one that is larger than the room had its turn, alone')
  for (const body of [...small, ...large]) await body.drop()
})

test('a turn ends with its work, whatever the outcome', async () => {
  const room = bodies()
  for (let i = 0; i < 5; i++) {
    const body = await fill(room.begin(50 * MB), 30 * MB)
    const failing = body.work(async () => {
      throw new Error('it went wrong')
    })
    await assert.rejects(failing, /went wrong/)
    await body.drop()
  }
  const last = await fill(room.begin(50 * MB), 30 * MB)
  assert.equal(await last.work(async (whole) => whole.length), 30 * MB)
  await last.drop()
})

test('of a hundred incoming bodies of a megabyte at most sixty-four are in memory', async () => {
  const room = bodies()
  const before = kept()
  const open: SpooledBody[] = []
  for (let i = 0; i < 100; i++) open.push(await fill(room.begin(50 * MB), MB))
  const grown = kept() - before
  assert.ok(grown <= 65 * MB, `${Math.round(grown / MB)} MB`)
  for (const body of open) assert.equal(await body.work(async (whole) => whole.every((byte) => byte === 97)), true)
  for (const body of open) await body.drop()
  const after = kept() - before
  assert.ok(after < MB, `${Math.round(after / MB)} MB stay`)
})

test('a body that comes a byte at a time takes little more memory than its bytes', async () => {
  const room = bodies()
  const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte))
  const before = heap()
  const body = room.begin(MB)
  for (let at = 0; at < MB; at++) assert.equal(body.add(Buffer.from(bytes[at % 256] as Buffer)), null)
  const grown = heap() - before
  assert.ok(grown <= 40 * MB, `${Math.round(grown / MB)} MB`)
  const isWhole = (whole: Buffer): boolean => whole.length === MB && whole.every((byte, at) => byte === at % 256)
  assert.equal(await body.work(async (whole) => isWhole(whole)), true)
  await body.drop()
})

test('a body is refused as soon as it passes its limit, and so is one for which the files have no room', async () => {
  const room = bodies(10 * MB)
  const body = await fill(room.begin(2 * MB), 2 * MB)
  assert.throws(() => body.add(Buffer.alloc(1)), /larger than 2097152/)
  const second = await fill(room.begin(8 * MB), 8 * MB)
  const third = await fill(room.begin(8 * MB), MB)
  assert.throws(() => third.add(Buffer.alloc(CHUNK)), /no room/)
  await third.drop()
  await body.drop()
  const fourth = await fill(room.begin(8 * MB), 2 * MB)
  assert.ok(fourth.isLarge())
  await second.drop()
  await fourth.drop()
})

test('without free memory a large body waits, is refused after a while, and gets its turn once there is some', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let freeBytes = 10 * MB
  let collected = 0
  const memory = { limitBytes: 512 * MB, freeBytes: () => freeBytes, collect: () => void collected++ }
  const room = bodies(undefined, largeTurns(memory))
  const [first, second] = [await fill(room.begin(50 * MB), 2 * MB), await fill(room.begin(50 * MB), 2 * MB)]
  const refused = assert.rejects(
    first.work(async () => undefined),
    /no room/,
  )
  for (let looks = 0; looks < 40; looks++) {
    await turn()
    t.mock.timers.tick(250)
  }
  await refused
  assert.equal(collected, 10)
  const worked = second.work(async (whole) => whole.length)
  await turn()
  freeBytes = 16 * MB
  t.mock.timers.tick(250)
  assert.equal(await worked, 2 * MB)
  await Promise.all([first.drop(), second.drop()])
})

test('under a memory limit large content is processed one at a time, outgoing mail before incoming bodies', async () => {
  const memory = { limitBytes: 516 * MB, freeBytes: () => 400 * MB, collect: () => undefined }
  const turns = largeTurns(memory)
  const order: string[] = []
  const leave = await turns.grow(6 * MB)
  const coming = turns.take(6 * MB, async () => void order.push('body'))
  const going = turns.grow(6 * MB).then((end) => {
    order.push('mail')
    end()
  })
  await turn()
  assert.deepEqual(order, [])
  leave()
  await Promise.all([coming, going])
  assert.deepEqual(order, ['mail', 'body'])
})

test('an outgoing mail proceeds alone when there is no memory for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = largeTurns({ limitBytes: 512 * MB, freeBytes: () => 0, collect: () => undefined })
  const going = turns.grow(2 * MB)
  for (let looks = 0; looks < 40; looks++) {
    await turn()
    t.mock.timers.tick(250)
  }
  const leave = await going
  leave()
})

test('with little memory, small bodies together get little of it', () => {
  const memory = { limitBytes: 512 * MB, freeBytes: () => 0, collect: () => undefined }
  assert.equal(largeTurns(memory).smallBytes, 16 * MB)
  assert.equal(largeTurns({ ...memory, limitBytes: Number.POSITIVE_INFINITY }).smallBytes, 64 * MB)
})

test('a disk that is full or away refuses large bodies, with the cause, and takes small ones', async () => {
  const tooLarge = (): Error => new Error('too large')
  const noRoom = (cause?: unknown): Error => new Error('no room', { cause })
  let hasRoom = true
  const parts = { turns: largeTurns(), tooLarge, noRoom, hasRoom: () => hasRoom }
  const away = bodySpool({ ...parts, folder: '/proc/away' })
  const torn = away.begin(50 * MB)
  await assert.rejects(fill(torn, 2 * MB), (error: Error) => {
    assert.equal(error.message, 'no room')
    assert.equal((error.cause as NodeJS.ErrnoException).code, 'ENOENT')
    return true
  })
  await torn.drop()
  hasRoom = false
  const room = bodySpool({ ...parts, folder: tmpdir() })
  await assert.rejects(fill(room.begin(50 * MB), 2 * MB), /^Error: no room$/)
  const small = await fill(room.begin(50 * MB), MAX_IN_MEMORY_BYTES)
  assert.equal(await small.work(async (whole) => whole.length), MAX_IN_MEMORY_BYTES)
  await small.drop()
})

test('a file that a killed process with the same id left behind does not refuse a large body', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'spool-'))
  for (let spool = 1; spool <= 100; spool++) writeFileSync(path.join(folder, `incoming.${process.pid}.${spool}`), '')
  const error = (): Error => new Error('refused')
  try {
    const body = await fill(
      bodySpool({ folder, turns: largeTurns(), tooLarge: error, noRoom: error }).begin(50 * MB),
      2 * MB,
    )
    assert.equal(await body.work(async (whole) => whole.length), 2 * MB)
    await body.drop()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
