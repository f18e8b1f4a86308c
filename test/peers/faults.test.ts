// The short form of the fault harness (test/faults): repeated kill -9 of everything, PostgreSQL included, and of single roles
// over a separate PostgreSQL, under load through REST and SMTP, with readers and webhooks; then graceful stops and starts.
// The checker compares the ledgers of clients, receivers, endpoint and readers.
//
// KILLS=30 by default, SEED from the clock and printed. docs/reliability.md describes the long form.

import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Verdict } from '../faults/checker.ts'
import { now, readLedger } from '../faults/ledger.ts'
import { saidIn } from '../faults/nemesis.ts'
import { runPart } from '../faults/part.ts'
import { scratch } from './fixture.ts'

const KILLS = Number(process.env['KILLS'] ?? 30)
const SEED = Number(process.env['SEED'] ?? Math.round(now()) % 1_000_000)
const RESTARTS = 3

const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())

function told({ figures }: Verdict): string {
  const { accepted, lost, kills, duplicates, mostDuplicates, takenTwice, slowestStartMs } = figures
  return `seed ${SEED}: ${lost} of ${accepted} lost over ${kills} kills, ${duplicates} twice (at most ${mostDuplicates} at one), ${takenTwice} stored twice, slowest start ${slowestStartMs} ms`
}

/** Fails with the faults, the last blows and the end of the service's output. */
function assertSound({ faults }: Verdict, folder: string): void {
  if (faults.length === 0) return
  const tell = (lines: readonly string[]): string => lines.map((line) => line.slice(0, 300)).join('\n')
  const blows = readLedger(path.join(folder, 'nemesis.ledger')).map((line) => JSON.stringify(line))
  const found = faults.slice(0, 20).map(({ rule, what }) => `${rule}: ${what}`)
  assert.fail(
    `${faults.length} faults:\n${tell([...found, ...blows.slice(-40), ...saidIn(folder).split('\n').slice(-60)])}`,
  )
}

for (const [scene, kills] of [
  ['whole', Math.ceil(KILLS / 2)],
  ['parts', Math.floor(KILLS / 2)],
] as const) {
  test(`${kills} kills lose nothing and duplicate only mails that were under way: ${scene}`, {
    timeout: 15 * 60_000,
  }, async (t) => {
    const folder = stack.use(await scratch('faults')).path
    const verdict = await runPart({ folder, seed: SEED, scene, kills })
    t.diagnostic(told(verdict))
    assertSound(verdict, folder)
    assert.ok(verdict.figures.accepted > kills, 'the load was no load')
    assert.ok(verdict.figures.webhooks > kills && verdict.figures.hits > 0)
  })
}

test(`${RESTARTS} stops and starts of everything lose nothing and duplicate nothing`, {
  timeout: 10 * 60_000,
}, async (t) => {
  const folder = stack.use(await scratch('faults')).path
  const verdict = await runPart({ folder, seed: SEED, scene: 'whole', kills: RESTARTS, graceful: true })
  t.diagnostic(told(verdict))
  assertSound(verdict, folder)
  assert.equal(verdict.figures.duplicates, 0)
})
