import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submissionHash } from './submitted.ts'

const hashOf = (text: string): string => submissionHash('a@shop.example', [], Buffer.from(text)).toString('hex')

// What programs generate anew for each attempt, wherever it stands: Python's puts Message-ID last, others the date.
const MADE_ANEW = [
  ['Message-ID: <1@shop.example>', 'Message-ID: <2@shop.example>'],
  ['Date: Mon, 2 Mar 2026 10:00:00 +0000', 'Date: Mon, 2 Mar 2026 10:01:00 +0000'],
  ['Received: from a\n by b', 'Received: from a\n by c'],
] as const

for (const lineEnd of ['\r\n', '\n']) {
  test(`two submissions are one message wherever the differing fields stand, with lines that end in ${JSON.stringify(lineEnd)}`, () => {
    for (const [first, second] of MADE_ANEW) {
      for (const place of [0, 1, 2]) {
        const message = (made: string): string =>
          ['From: a@shop.example', 'Subject: Hello'].toSpliced(place, 0, made).concat('', 'Hello', '').join('\n')
        const wire = (made: string): string => message(made).replaceAll('\n', lineEnd)
        assert.equal(hashOf(wire(first)), hashOf(wire(second)), `${first} at line ${place}`)
      }
    }
  })
}

test('another subject or body makes another message, and so does a header that has become text', () => {
  const message = 'Subject: Hello\r\nDate: 1\r\n\r\nHello\r\n'
  const others = ['Subject: Hallo\r\nDate: 1\r\n\r\nHello\r\n', 'Subject: Hello\r\nDate: 1\r\n\r\nHallo\r\n']
  for (const other of [...others, 'Subject: Hello\r\n\r\nDate: 1\r\nHello\r\n']) {
    assert.notEqual(hashOf(other), hashOf(message), other)
  }
})
