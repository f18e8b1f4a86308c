import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { type Answers, type Calls, callsOver, type ErrorForm } from './calls.ts'

const errors: ErrorForm = {
  write: (error) => ({ said: (error as Error).message }),
  read: (written) => new Error((written as { said: string }).said),
}

async function between(answers: Answers, work: (calls: Calls) => Promise<void>): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  callsOver(port2, answers, errors)
  try {
    await work(callsOver(port1, {}, errors))
  } finally {
    port1.close()
  }
}

test('each call gets its own answer, whatever travelled with it and in whatever order they come', async () => {
  const waiting: (() => void)[] = []
  const answers: Answers = {
    echo: async ([text]: readonly string[], bytes: Buffer) => {
      await new Promise<void>((resolve) => void waiting.push(resolve))
      return `${text} ${bytes.toString('latin1', 0, 5)} ${bytes.length}`
    },
    no: ([why]: readonly string[]) => {
      throw new Error(why)
    },
  }
  await between(answers, async ({ call }) => {
    const large = Buffer.alloc(2_000_000, 'l')
    const echoed = Promise.all([
      call('echo', ['a'], Buffer.from('small')),
      call('echo', ['b']),
      call('echo', ['c'], large),
      call('echo', ['d'], Buffer.from('-view-').subarray(1, 5)),
    ])
    await assert.rejects(call('no', ['because']), /^Error: because$/)
    for (const go of waiting.toReversed()) go()
    assert.deepEqual(await echoed, ['a small 5', 'b  0', 'c lllll 2000000', 'd view 4'])
    assert.equal(large.length, 0, 'what is large is handed over, not copied')
  })
})

test('where the other side has ended, what waits and what comes is rejected', async () => {
  const forever = { never: () => new Promise(() => undefined) }
  await between(forever, async (calls) => {
    const asked = calls.call('never', [])
    calls.end(new Error('it ended'))
    await assert.rejects(asked, /it ended/)
    await assert.rejects(calls.call('never', []), /it ended/)
  })
})
