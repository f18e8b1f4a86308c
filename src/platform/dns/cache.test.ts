import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dnsCache } from './cache.ts'

const MANY = Array.from({ length: 4_000 }, (_, n) => `10.1.${n >> 8}.${n & 255}`)

test('answers of thousands of records do not fill the memory, and the latest ones are kept', () => {
  const cache = dnsCache<number>(20_000)
  for (let n = 0; n < 1_000; n++) cache.set(`A h${n}.test`, { answer: n, untilMs: 1 }, MANY)
  const kept = Array.from({ length: 1_000 }, (_, n) => cache.get(`A h${n}.test`)?.answer).filter((n) => n !== undefined)
  assert.ok(kept.length > 50 && kept.length < 150, `${kept.length}`)
  assert.equal(kept.at(-1), 999)
  cache.set('A last.test', { answer: -1, untilMs: 1 }, Array(1_000_000).fill('10.1.1.1'))
  assert.equal(cache.get('A last.test'), undefined, 'larger than the whole cache')
  assert.equal(cache.get('A h999.test')?.answer, 999)
})

test('an answer that is replaced counts once, and small ones are limited in number', () => {
  const cache = dnsCache<number>(2, 10_000)
  for (let n = 0; n < 100; n++) cache.set('MX a.test', { answer: n, untilMs: n }, [{ exchange: 'mx.a.test' }])
  assert.deepEqual(cache.get('MX a.test'), { answer: 99, untilMs: 99 })
  cache.set('MX b.test', { answer: 1, untilMs: 1 }, [])
  cache.set('TLSA c.test', { answer: 2, untilMs: 1 }, [{ data: Buffer.alloc(32) }])
  assert.deepEqual(
    ['MX a.test', 'MX b.test', 'TLSA c.test'].map((key) => cache.get(key)?.answer),
    [undefined, 1, 2],
  )
})
