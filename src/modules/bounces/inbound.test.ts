// When a report cannot be read or its effect cannot be written: whose fault it is decides whether the report is given up.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { freshDbOfToday } from '../../../test/world/database.ts'
import { manualClock } from '../../../test/world/world.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { inboundOf, type ReportKind } from './inbound.ts'

const HELD_MS = 60_000
const ENDED = statement('test_ended', 'select state, outcome, tries from inbound_report where state > 0')

interface Ended {
  readonly state: number
  readonly outcome: string
  readonly tries: number
}

/** What became of a report whose effect, or whose reading (`dmarc`), first fails with these errors, one after the other. */
async function endAfter(kind: ReportKind, failures: readonly Error[]): Promise<Ended> {
  await using fresh = await freshDbOfToday()
  await using closing = new AsyncDisposableStack()
  const database = connect({ url: fresh.url, onError: () => undefined })
  closing.defer(() => database.close())
  const none = (): never => assert.fail('nothing else is asked')
  const left = [...failures]
  const work = async (): Promise<{ outcome: string; keepRaw: boolean }> => {
    const failure = left.shift()
    if (failure !== undefined) throw failure
    return { outcome: 'done', keepRaw: false }
  }
  const read = async () => {
    const { outcome } = await work()
    return async () => outcome
  }
  const aggregates = { read, close: async () => undefined }
  const clock = manualClock()
  const inbound = inboundOf({
    database,
    clock,
    ids: systemIds(),
    log: createLogger('silent'),
    verpMac: none as never,
    emails: { byToken: none, byMessageId: none, markBounced: none, markComplained: none },
    resolver: {} as never,
    forward: work,
    aggregates: { tls: aggregates, dmarc: aggregates },
    onRead: () => undefined,
  })
  await inbound.take({ kind, localPart: 'x', raw: Buffer.from('Subject: x\r\n\r\nx') })
  await inbound.service.start()
  closing.defer(() => inbound.service.stop(AbortSignal.timeout(5_000)))
  for (let tries = 0; tries < 2_400; tries++) {
    const [ended] = await database.system.query<Ended>(ENDED)
    if (ended !== undefined) return ended
    clock.advance(HELD_MS / 4)
    inbound.service.wake()
    await setTimeout(25)
  }
  return assert.fail('the report still waits')
}

const CODES = ['57P01', '40P01', '23514', '57014', '57014', '57014', '57014']
for (const [kind, what] of [
  ['operator', 'its effect'],
  ['dmarc', 'reading it'],
] as const) {
  test(`a report is not given up because the database was away, broke off or took too long at ${what}`, async () => {
    const failures = CODES.map((code) => Object.assign(new Error('not now'), { code }))
    assert.deepEqual(await endAfter(kind, failures), { state: 1, outcome: 'done', tries: 1 })
  })

  test(`a report goes into quarantine when ${what} fails three times for another reason`, async () => {
    const failures = Array.from({ length: 4 }, () => new Error('a bug'))
    const { state, outcome } = await endAfter(kind, failures)
    assert.deepEqual([state, outcome], [2, 'unparsed'])
  })
}
