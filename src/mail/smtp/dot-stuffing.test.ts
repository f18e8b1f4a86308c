import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wireParts } from './dot-stuffing.ts'

test('dots are doubled after every line end, and only the last line is a lone dot', () => {
  const pieces = fc.array(fc.constantFrom('.', '\r', '\n', '\r\n', 'a', '..', '\r\n.\r\n', '\n.\n', '\r.\r'))
  fc.assert(
    fc.property(pieces, (parts) => {
      const message = parts.join('')
      const wire = Buffer.concat(wireParts(Buffer.from(message))).toString()
      const whole = message === '' || message.endsWith('\r\n') ? message : `${message}\r\n`
      assert.equal(wire, `${whole.replace(/(^|[\r\n])\./g, '$1..')}.\r\n`)
      assert.ok(!/[\r\n]\.[\r\n]/.test(`\r\n${wire}`.slice(0, -3)))
    }),
  )
})

// Each row: a message, and its number of pieces, including the final dot.
const PIECES: [message: string, pieces: number][] = [
  ['a\r\n', 2],
  ['.\r\n'.repeat(1_000), 2_001],
  ['.\r\n'.repeat(1_002), 2],
  [`a\r\n${'.\r\n'.repeat(1_000)}`, 2_002],
  [`a\r\n${'.\r\n'.repeat(1_001)}`, 2],
  ['.\n..\r.a\r\r\n.'.repeat(1_000), 2],
  ['.\r\n'.repeat(1_000_000), 2],
]
for (const [message, pieces] of PIECES) {
  test(`${message.length} bytes from ${JSON.stringify(message.slice(0, 12))} are sent in ${pieces} pieces`, () => {
    const parts = wireParts(Buffer.from(message))
    assert.equal(parts.length, pieces)
    const whole = message.endsWith('\r\n') ? message : `${message}\r\n`
    const expected = Buffer.from(`${whole.replace(/(^|[\r\n])\./g, '$1..')}.\r\n`)
    assert.ok(Buffer.concat(parts).equals(expected))
  })
}
