// Request heads: the fast path accepts only one plain GET without a body, and reads its user agent correctly.

import assert from 'node:assert/strict'
import { fastPathHeads, MAX_HEAD_BYTES } from '../../../src/platform/http/fast-path-head.ts'
import type { Target } from '../frame.ts'

export const target: Target = {
  name: 'fast-path-head',
  about: 'the heads that the fast path of HTTP answers (src/platform/http/fast-path-head.ts)',
  seeds: [
    'GET /track/o/AbC_-1 HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0\r\nConnection: keep-alive\r\n\r\n',
    'GET /track/c/x HTTP/1.1\r\nhost:a\r\nX-Forwarded-For: 1.2.3.4, 5.6.7.8\r\nAccept: */*\r\n\r\n',
    'POST /track/u/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na=b',
  ],
  words: [
    '\r\n',
    '\r\n\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ':',
    'Host: b',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    '\0',
  ],
  maxBytes: 20_000,
  run: (input) => {
    const text = input.toString('latin1')
    const head = fastPathHeads()(text)
    if (head === null) return 'none'
    assert.ok(text.length <= MAX_HEAD_BYTES)
    assert.equal(text.indexOf('\r\n\r\n'), text.length - 4, 'something comes behind it')
    assert.ok(text.startsWith(`GET ${head.folder}${head.name} HTTP/1.1\r\n`))
    assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n\0]/)
    const lines = text.slice(0, -4).split('\r\n').slice(1)
    const named = (name: string): string[] => lines.filter((line) => line.toLowerCase().startsWith(`${name}:`))
    const [host, ...moreHosts] = named('host')
    assert.equal(moreHosts.length, 0)
    assert.equal(head.host, host?.slice(5).replace(/^[ \t]+|[ \t]+$/g, ''))
    for (const name of ['content-length', 'transfer-encoding', 'expect', 'upgrade']) assert.deepEqual(named(name), [])
    const [agent] = named('user-agent')
    assert.equal(head.userAgent, agent?.slice(11).replace(/^[ \t]+|[ \t]+$/g, ''))
    return `${lines.length} ${head.forwardedFor !== undefined}`
  },
}
