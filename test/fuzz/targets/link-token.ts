// Tokens in links: only the exact text of a token that we made for this purpose is accepted.

import assert from 'node:assert/strict'
import { FIRST_KEYS, type Token, tokensOf } from '../../../src/modules/tracking/tokens.ts'
import { secretsFrom } from '../../../src/platform/secrets.ts'
import type { Target } from '../frame.ts'

const AT = new Date('2026-01-01')
const tokens = tokensOf(secretsFrom(Buffer.alloc(32, 5)), () => ({
  begun: [...FIRST_KEYS.begun, { number: 2, since: AT, secret: 1 }],
  oldest: 1,
}))
const mail = {
  accountId: '018f0000-0000-7000-8000-000000000001',
  emailId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  domainId: '018f0000-0000-7000-8000-000000000003',
  stream: 'broadcast' as const,
  sandbox: true,
}
const MADE: readonly Token[] = [
  { purpose: 'open', ...mail, domainId: null, stream: 'transactional' },
  { purpose: 'click', ...mail, linkIndex: 65_535, hidden: true, url: 'https://x.test/?a=1&b=ü#f' },
  { purpose: 'click', ...mail, sandbox: false, linkIndex: 0, hidden: false, url: 'http://y.test' },
  { purpose: 'unsubscribe', ...mail, recipient: 'jürgen@bücher.example' },
]
const WRITTEN = new Map(
  [new Date(0), AT].flatMap((at) => MADE.map((token) => [tokens.write(token, at), token] as const)),
)

export const target: Target = {
  name: 'link-token',
  about: 'tokens of pixels, links and unsubscribe pages (src/modules/tracking/tokens.ts)',
  seeds: [...WRITTEN.keys(), '', 'A', 'AQ'.repeat(40), 'x'.repeat(6_001)],
  words: ['A', 'AA', 'AQ', 'Ag', '_', '-', '=', '+', '/', '%41', '\u212a', '\0'],
  run: (input) => {
    const text = input.toString('utf8')
    let found = 'none'
    for (const purpose of ['open', 'click', 'unsubscribe'] as const) {
      const made = WRITTEN.get(text)
      const read = tokens.read(purpose, text)
      assert.deepEqual(read, made?.purpose === purpose ? made : null)
      if (read !== null) found = purpose
    }
    return `${found} ${Math.min(text.length, 200)}`
  },
}
