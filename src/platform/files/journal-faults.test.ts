// Lets the N-th file system call of a journal fail, for every N: before anything was done, after all of it, and, for a
// write, after half. Everything acknowledged is handed over, nothing that was never written is, and both the journal and
// its successors keep working.

import assert from 'node:assert/strict'
import sync, { existsSync, mkdtempSync, rmSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { systemIds } from '../ids.ts'
import { type Journal, type JournalOptions, journalIn } from './journal.ts'

type Mode = 'before' | 'after' | 'half'
type Call = (...parameters: unknown[]) => Promise<unknown>
interface Armed {
  readonly at: number
  readonly mode: Mode
}

const FUNCTIONS = ['mkdir', 'open', 'readdir', 'readFile', 'rename', 'stat', 'unlink'] as const
const SYNC_FUNCTIONS = ['statSync'] as const
const METHODS = ['write', 'sync', 'datasync', 'read', 'stat', 'close'] as const

let count = 0
/** The names of the calls in a run without a fault. */
let names: string[] = []
let armed: Armed | null = null
const undo: (() => void)[] = []

/** Counts a call. @returns the error to fail with; null: the call succeeds */
function faultOf(name: string): Error | null {
  const now = ++count
  if (armed === null) names.push(name)
  return armed?.at === now ? Object.assign(new Error(`${name} failed by the test`), { code: 'EIO' }) : null
}

function failing(name: string, real: Call): Call {
  return async function (this: unknown, ...parameters) {
    const fault = faultOf(name)
    if (fault === null || armed === null) return Reflect.apply(real, this, parameters)
    if (armed.mode === 'after') {
      const done = await Reflect.apply(real, this, parameters)
      if (name === 'open') await (done as fs.FileHandle).close()
    }
    if (armed.mode === 'half' && name === 'write') {
      const [bytes, from, length, position] = parameters as [Buffer, number, number, number]
      await Reflect.apply(real, this, [bytes, from, Math.floor(length / 2), position])
    }
    // The handle is closed even when close reports a failure.
    if (armed.mode === 'before' && name === 'close') await Reflect.apply(real, this, parameters)
    throw fault
  }
}

function wrap(holder: Record<string, Call>, names: readonly string[]): void {
  for (const name of names) {
    const real = holder[name] as Call
    holder[name] = failing(name, real)
    undo.push(() => {
      holder[name] = real
    })
  }
}

const probe = await fs.open(os.devNull)
const handles = Object.getPrototypeOf(probe) as Record<string, Call>
await probe.close()
wrap(fs as unknown as Record<string, Call>, FUNCTIONS)
wrap(handles, METHODS)
for (const name of SYNC_FUNCTIONS) {
  const real = sync[name]
  const failed = (...parameters: Parameters<typeof real>): unknown => {
    const fault = faultOf(name)
    if (fault !== null) throw fault
    return real(...parameters)
  }
  Object.assign(sync, { [name]: failed })
  undo.push(() => Object.assign(sync, { [name]: real }))
}
syncBuiltinESMExports()
after(() => {
  for (const one of undo) one()
  syncBuiltinESMExports()
})

interface Story {
  readonly acknowledged: Set<string>
  readonly written: Set<string>
  readonly handedOn: string[]
  readonly failures: unknown[]
}

/** Two processes on one folder, and one that comes after both; the fault hits any of them. */
async function run(folder: string, options: JournalOptions, fault: Armed | null): Promise<Story> {
  const story: Story = { acknowledged: new Set(), written: new Set(), handedOn: [], failures: [] }
  const ids = systemIds()
  const append = async (journal: Journal, ...lines: string[]): Promise<void> => {
    for (const line of lines) story.written.add(line)
    await journal.append(lines).then(
      () => lines.forEach((line) => story.acknowledged.add(line)),
      (error: unknown) => story.failures.push(error),
    )
  }
  const drain = (journal: Journal): Promise<void> =>
    journal
      .drain(async (lines) => void story.handedOn.push(...lines))
      .catch((error: unknown) => {
        story.failures.push(error)
      })
  count = 0
  names = []
  armed = fault
  const one = journalIn(folder, ids, options)
  const other = journalIn(folder, ids, options)
  await append(one, 'a1')
  await Promise.all([append(one, 'a2', 'a3'), append(other, 'b1')])
  await drain(one)
  await append(other, 'b2')
  await Promise.all([append(one, 'a4'), drain(one), append(one, 'a5')])
  await drain(other)
  await drain(one)
  await append(one, 'a6')
  await other.close().catch((error: unknown) => story.failures.push(error))
  await drain(one)
  await drain(one)
  await append(one, 'a7')
  const calls = count
  armed = null
  // The journal that failed continues: the fault was temporary.
  await append(one, 'a8')
  assert.ok(story.acknowledged.has('a8'), 'the journal takes lines again')
  await one.close()
  const last = journalIn(folder, ids)
  await last.drain(async (lines) => void story.handedOn.push(...lines))
  assert.equal(last.waiting(), false)
  assert.deepEqual(
    (await fs.readdir(folder)).filter((name) => /\.(log|taken)$/.test(name)),
    [],
    'nothing is left',
  )
  await last.close()
  names.length = Math.min(names.length, calls)
  return story
}

/** In memory where possible: thousands of syncs are not under test. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()
const openFiles = async (): Promise<number> => (await fs.readdir('/proc/self/fd').catch(() => [])).length

const KINDS: readonly (readonly [string, JournalOptions])[] = [
  ['a file for each drain', {}],
  ['a file that is kept', { keepsFile: true, linesAtOnce: 1 }],
]
for (const [kind, options] of KINDS) {
  test(`whichever file system call fails, acknowledged lines are handed over (${kind})`, async () => {
    const made = mkdtempSync(path.join(PLACE, 'journal-faults-'))
    try {
      const whole = await run(path.join(made, 'whole'), options, null)
      assert.deepEqual(whole.failures, [])
      assert.deepEqual(new Set(whole.handedOn), whole.written)
      const calls = [...names]
      assert.ok(calls.length > 30, `${calls.length} calls`)
      const before = await openFiles()
      for (const mode of ['before', 'after', 'half'] as const) {
        for (let at = 1; at <= calls.length; at++) {
          if (mode === 'half' && calls[at - 1] !== 'write') continue
          const where = `${mode} ${at}`
          const { acknowledged, written, handedOn } = await run(path.join(made, where), options, { at, mode })
          for (const line of acknowledged) assert.ok(handedOn.includes(line), `${where}: ${line} is lost`)
          for (const line of handedOn) assert.ok(written.has(line), `${where}: ${line} was never written`)
        }
      }
      assert.ok((await openFiles()) <= before + 2, 'no file stays open')
    } finally {
      rmSync(made, { recursive: true })
    }
  })
}
