import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { readOnce } from './hashed-set.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const lists = ['disposable-domains/index.json', 'mailchecker'] as const
for (const file of lists) {
  test(`nothing of the lists of ${file} stays in memory after reading`, async () => {
    const read = new WeakRef(readOnce<object>(file))
    for (let i = 0; i < 10 && read.deref() !== undefined; i++) {
      await turn()
      collect()
    }
    assert.ok(read.deref() === undefined)
  })
}
