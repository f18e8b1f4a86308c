import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quotedReply, verdictOf } from './words.ts'

// What a report says of its own, or quotes from a receiver, in which the words of a domain that takes no mail also occur.
const SAID: readonly (readonly [words: string, status: string | null, expected: string])[] = [
  ['Domain dest.example does not accept mail (nullMX)', '5.1.0', 'hard bad_domain'],
  ['smtp; 550 5.1.2 <bob@dest.example>... Host unknown', '5.1.2', 'hard bad_domain'],
  ['smtp; 550 5.7.1 recipient does not accept mail from outside the organization', '5.7.1', 'block policy'],
  ['smtp; 550 This user does not accept mail from your domain', '5.0.0', 'block policy'],
  ['The mailbox does not accept mail from you', null, 'block policy'],
  ['smtp; 550 mailbox does not accept mail over 10 MB', '5.0.0', 'unknown unknown'],
  ['smtp; 550 5.7.1 host unknown: no PTR', '5.7.1', 'block authentication'],
  ['Sender domain not found', null, 'block policy'],
  ['Unknown host name in HELO', null, 'block policy'],
]

for (const [words, status, expected] of SAID) {
  test(`"${words}" is ${expected}`, () => {
    const { verdict } = verdictOf({ words, reply: quotedReply(words), status, command: null })
    assert.equal(`${verdict.type} ${verdict.category}`, expected)
  })
}
