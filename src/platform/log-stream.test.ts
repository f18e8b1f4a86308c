// The log's destination takes nothing: neither the process nor its memory may depend on that.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type fs from 'node:fs'
import { openSync } from 'node:fs'
import path from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { mock, type TestContext, test } from 'node:test'
import { createLogger } from './log.ts'
import { logStream } from './log-stream.ts'

interface Disk {
  readonly writeSync: typeof fs.writeSync
  /** Bytes that it still takes. */
  room: number
  kept: string
}

/** A disk that takes as much as it has room for, and then nothing. */
function disk(room: number): Disk {
  const found: Disk = {
    room,
    kept: '',
    writeSync: ((_fd: number, bytes: Buffer) => {
      const taken = bytes.subarray(0, found.room)
      if (taken.length === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      found.room -= taken.length
      found.kept += taken.toString('latin1')
      return taken.length
    }) as typeof fs.writeSync,
  }
  return found
}

test('lines that a full disk refused are written whole once there is room, and lost lines are reported', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const at = disk(1_000)
    const log = createLogger('info', null, {
      write: (line) => stream.write(line),
    })
    const stream = logStream({ fd: 2, writeSync: at.writeSync, onLost: (lines) => log.warn({ lines }, 'lost') })
    const LINES = 40_000
    for (let n = 0; n < LINES; n++) log.info({ n }, 'a fact')
    for (let turn = 0; turn < 5; turn++) {
      mock.timers.tick(1_000)
    }
    assert.equal(at.kept.length, 1_000)
    at.room = Number.POSITIVE_INFINITY
    mock.timers.tick(1_000)
    log.info({ n: LINES }, 'a fact')
    const lines = at.kept
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; n?: number; lines?: number })
    const facts = lines.filter(({ msg }) => msg === 'a fact').map(({ n }) => n)
    const lost = LINES + 1 - facts.length
    assert.deepEqual(facts, [...Array(facts.length - 1).keys(), LINES], 'in order, none twice')
    assert.deepEqual(
      lines.flatMap(({ msg, lines: count }) => (msg === 'lost' ? [count] : [])),
      [lost],
    )
    assert.ok(at.kept.length > 1_000_000 && at.kept.length < 1_200_000, `${at.kept.length} bytes were kept`)
  } finally {
    mock.timers.reset()
  }
})

/** More than a socket, a write under way and the waiting lines can hold. */
const TOO_MANY = 4_000

/** A process that logs in many turns, reports that on standard output, and exits on command or when the test ends. */
function logging({ signal }: TestContext, stderr: 'pipe' | number, lines = TOO_MANY): ChildProcess {
  const script = `process.stdout.on('error', () => undefined)
    process.stderr.on('error', () => undefined)
    const { createLogger } = await import(${JSON.stringify(path.join(import.meta.dirname, 'log.ts'))})
    const log = createLogger('info')
    process.on('uncaughtException', (err) => { log.error({ err }, 'uncaught'); process.stdout.write('uncaught\\n') })
    process.on('SIGTERM', () => { log.info({}, 'the last'); process.exit(7) })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    for (let n = 0; n < ${lines}; n++) {
      log.info({ n, text: 'x'.repeat(1_000) }, 'a fact')
      if (n % 10 === 0) await turn()
    }
    process.stdout.write('there\\n')
    setInterval(() => undefined, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', stderr],
    signal,
    killSignal: 'SIGKILL',
  })
  child.on('error', () => undefined)
  return child
}

for (const [where, begin] of [
  ['on a full disk', (t: TestContext) => logging(t, openSync('/dev/full', 'w'))],
  ['to a reader that is gone', (t: TestContext) => gone(logging(t, 'pipe'))],
  ['to a reader that reads nothing', (t: TestContext) => logging(t, 'pipe')],
] as const) {
  test(`a process whose log goes ${where} keeps working, and ends when told to`, { timeout: 60_000 }, async (t) => {
    const child = begin(t)
    try {
      const [said] = await once(child.stdout as NodeJS.ReadableStream, 'data')
      assert.equal(String(said), 'there\n')
      child.kill('SIGTERM')
      const [code] = await once(child, 'exit')
      assert.equal(code, 7)
    } finally {
      child.kill('SIGKILL')
    }
  })
}

function gone(child: ChildProcess): ChildProcess {
  child.stderr?.destroy()
  return child
}

test('a process that exits has written its last line', { timeout: 60_000 }, async (t) => {
  const child = logging(t, 'pipe', 900)
  const all = textOf(child.stderr as NodeJS.ReadableStream)
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGTERM')
  const lines = (await all)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string })
  assert.deepEqual([lines.length, lines.at(-1)?.msg], [901, 'the last'])
})

test('a late reader is told how many lines it missed', { timeout: 60_000 }, async (t) => {
  const child = logging(t, 'pipe')
  try {
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    let read = ''
    for await (const chunk of child.stderr as NodeJS.ReadableStream) {
      read += String(chunk)
      if (read.endsWith('are lost"}\n')) break
    }
    const lines = read.trimEnd().split('\n')
    const { lines: missed } = JSON.parse(lines.at(-1) ?? '') as { lines: number }
    const facts = lines.slice(0, -1).map((line) => (JSON.parse(line) as { n: number }).n)
    assert.deepEqual([facts, facts.length + missed], [[...facts.keys()], TOO_MANY])
  } finally {
    child.kill('SIGKILL')
  }
})
