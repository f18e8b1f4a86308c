import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { Type } from 'typebox'
import { systemClock } from '../clock.ts'
import { endpoint, type Gate, type HttpServer, httpServer } from '../http.ts'
import { systemIds } from '../ids.ts'
import { createLogger } from '../log.ts'
import { type FastPathHead, fastPathHeads } from './fast-path-head.ts'

/** With a fresh cache. */
const fastPathHeadOf = (text: string): FastPathHead | null => fastPathHeads()(text)

const gate: Gate = { admit: async () => Promise.reject(new Error('nobody is asked')) }
const asked: string[] = []
let plain = 0
let server: HttpServer
let port = 0
let held: Promise<void> = Promise.resolve()

const FOUND = { status: 302, body: '', headers: { 'cache-control': 'no-store' } }

function answerTo(name: string, userAgent: string | undefined, ip: string) {
  asked.push(`${name} ${userAgent} ${ip}`)
  return { answer: FOUND, location: `https://target.test/${name}` }
}

before(async () => {
  server = await httpServer({
    gate,
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: ['127.0.0.0/8'],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
    clock: systemClock(),
  })
  server.add([
    endpoint({
      method: 'GET',
      path: '/t/{name}',
      access: null,
      summary: 'A link',
      tag: 'Links',
      params: Type.Object({ name: Type.String() }),
      answers: { 302: Type.Null() },
      plainly: ({ name, userAgent, ip }) => {
        if (name === 'no') return null
        if (name === 'bug') throw new Error('a bug of ours')
        plain++
        const after = name === 'late-bug' ? Promise.reject(new Error('a bug of ours')) : held
        const requestId = name.startsWith('known') ? name : null
        const made = { ...answerTo(name, userAgent, ip), after: name === 'now' ? null : after, requestId }
        return name === 'wild' ? { ...made, location: 'a\r\nb: c' } : made
      },
      handle: async ({ params, headers, ip }) => {
        if (params.name === 'bug') throw new Error('a bug of ours')
        await held
        const { answer, location } = answerTo(params.name, headers['user-agent'], ip)
        return { ...answer, headers: { ...answer.headers, location } }
      },
    }),
    endpoint({
      method: 'POST',
      path: '/p',
      access: null,
      summary: 'What came',
      tag: 'Links',
      body: Type.Object({ a: Type.Number() }),
      answers: { 200: Type.Null() },
      handle: async ({ body }) => ({ status: 200, body: `got ${body.a}` }),
    }),
  ])
  server.fastPath?.before(server.app.server, 'connection')
  await server.app.listen({ host: '127.0.0.1', port: 0 })
  port = (server.app.server.address() as AddressInfo).port
})

after(async () => {
  server.fastPath?.close()
  await server.app.close()
})

interface Client extends Disposable {
  readonly socket: Socket
  /** Everything received so far. */
  said(): string
  /** Waits until what was received matches. */
  until(pattern: RegExp): Promise<string>
}

async function client(): Promise<Client> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return {
    socket,
    said: () => text,
    until: async (pattern) => {
      const began = performance.now()
      while (!pattern.test(text)) {
        if (performance.now() - began > 10_000) throw new Error(`no ${pattern} in ${JSON.stringify(text)}`)
        await delay(2)
      }
      return text
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

const get = (name: string, ...fields: string[]): string =>
  `GET /t/${name} HTTP/1.1\r\n${['Host: a.test', ...fields].join('\r\n')}\r\n\r\n`

const withoutOwn = (text: string): string =>
  text.replace(/x-request-id: [^\r]*/g, 'x-request-id: *').replace(/Date: [^\r]*/g, 'Date: *')

/** Header lines, sorted. */
const sorted = (text: string): readonly string[] => withoutOwn(text).split('\r\n').toSorted()

describe('the fast path', () => {
  test('answers as the framework does, to the header', async () => {
    using quick = await client()
    const before = plain
    quick.socket.write(get('abc', 'User-Agent: A \xe9 B  ', 'X-Forwarded-For: 9.9.9.9, 127.0.0.2'))
    const one = await quick.until(/\r\n\r\n$/)
    assert.equal(plain, before + 1)
    using slow = await client()
    slow.socket.write(get('abc', 'User-Agent: A \xe9 B  ', 'X-Forwarded-For: 9.9.9.9, 127.0.0.2', 'X-Request-Id: mine'))
    const other = await slow.until(/\r\n\r\n$/)
    assert.equal(plain, before + 1)
    assert.deepEqual(sorted(one), sorted(other))
    const [first = '', second = ''] = asked.slice(-2)
    assert.equal(first, second)
    assert.match(first, /9\.9\.9\.9$/)
  })

  test('answers many on one connection, and gives it back with the first that is not plain', async () => {
    using one = await client()
    const before = plain
    for (let i = 0; i < 3; i++) {
      one.socket.write(get(`n${i}`))
      await one.until(new RegExp(`/n${i}\\r\\n[^]*\\r\\n\\r\\n$`))
    }
    one.socket.write('POST /p HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"')
    await delay(5)
    one.socket.write(':1}')
    await one.until(/got 1$/)
    one.socket.write(get('later'))
    await one.until(/\/later\r\n/)
    assert.equal(plain, before + 3)
  })

  test('keeps the order of requests that come at once, or while an answer is made', async () => {
    using one = await client()
    one.socket.write(get('a') + get('b') + get('no'))
    await one.until(/\/a\r\n[^]*\/b\r\n[^]*\/no\r\n/)
    using two = await client()
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    two.socket.write(get('a'))
    await delay(5)
    held = Promise.resolve()
    two.socket.write(get('b'))
    await delay(5)
    two.socket.write(`${get('c')}HEAD /t/d HTTP/1.1\r\nHost: a\r\n\r\n`)
    await delay(5)
    assert.equal(two.said(), '')
    hold.resolve()
    await two.until(/\/a\r\n[^]*\/b\r\n[^]*\/c\r\n[^]*\/d\r\n/)
  })

  test('leaves a head in pieces, a head that is too long and non-HTTP input to the server', async () => {
    using pieces = await client()
    for (const piece of get('pieces').match(/[^]{1,7}/g) ?? []) {
      pieces.socket.write(piece)
      await delay(1)
    }
    await pieces.until(/\/pieces\r\n/)
    using long = await client()
    long.socket.write(get('long', `X: ${'x'.repeat(20_000)}`))
    await long.until(/^HTTP\/1\.1 431 /)
    using wild = await client()
    wild.socket.write('\x16\x03\x01\x00nothing\r\n\r\n')
    await wild.until(/^HTTP\/1\.1 400 /)
  })

  test('answers requests that wait for the same promise together, each with its own answer, and others at once', async () => {
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    const names = ['a1', 'known-b2', 'wild', 'c3', 'gone']
    const all = await Promise.all(
      names.map(async (name) => {
        const one = await client()
        one.socket.write(get(name))
        return one
      }),
    )
    using last = await client()
    last.socket.write(get('now'))
    await last.until(/target\.test\/now\r\n[^]*\r\n\r\n$/)
    assert.deepEqual(
      all.map((one) => one.said()),
      names.map(() => ''),
    )
    all[4]?.socket.destroy()
    hold.resolve()
    held = Promise.resolve()
    const said = await Promise.all(all.slice(0, 4).map((one) => one.until(/\r\n\r\n/)))
    assert.match(said[0] ?? '', /\r\nlocation: https:\/\/target\.test\/a1\r\n/)
    assert.match(said[1] ?? '', /\r\nx-request-id: known-b2\r\n/)
    assert.match(said[2] ?? '', /^HTTP\/1\.1 500 /)
    assert.doesNotMatch(said[2] ?? '', /b: c/)
    assert.match(said[3] ?? '', /\r\nlocation: https:\/\/target\.test\/c3\r\n/)
    for (const one of all) one[Symbol.dispose]()
  })

  for (const name of ['bug', 'late-bug']) {
    test(`a request that meets a bug gets a 500 in the contract's form, and others are served (${name})`, async () => {
      using one = await client()
      one.socket.write(get(name))
      const said = await one.until(/\}$/)
      assert.match(said, /^HTTP\/1\.1 500 Internal Server Error\r\n/)
      const body = JSON.parse(said.slice(said.indexOf('\r\n\r\n'))) as Record<string, unknown>
      assert.deepEqual(Object.keys(body).sort(), ['code', 'details', 'error', 'request_id'])
      assert.equal(body['code'], 'internal_error')
      assert.ok(said.includes(`\r\nx-request-id: ${body['request_id']}\r\n`))
      assert.doesNotMatch(said, /of ours|\.ts/)
      using other = await client()
      other.socket.write(get('abc'))
      assert.match(await other.until(/\r\n\r\n$/), /^HTTP\/1\.1 302 /)
    })
  }

  test('a client that half-closes gets its answer, and one that goes away costs nothing', async () => {
    using one = await client()
    const closed = once(one.socket, 'close')
    one.socket.end(get('half'))
    await one.until(/\/half\r\n/)
    await closed
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    const gone = await client()
    gone.socket.write(get('gone'))
    await delay(5)
    gone.socket.destroy()
    await delay(5)
    hold.resolve()
    held = Promise.resolve()
    using next = await client()
    next.socket.write(get('next'))
    await next.until(/\/next\r\n/)
  })
})

test('the head of a plain GET is read, and a head with anything more is left to Node', () => {
  const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`
  const from = 'GET /t/a HTTP/1.1'
  assert.deepEqual(fastPathHeadOf(head(from, 'hOST:x', 'USER-agent: \t u ', 'Connection: Keep-Alive', 'Cookie:')), {
    folder: '/t/',
    name: 'a',
    host: 'x',
    userAgent: 'u',
    forwardedFor: undefined,
  })
  for (const lines of [
    [from],
    [from, 'Host: a', 'Host: b'],
    [from, 'Host: a', 'Connection: close'],
    [from, 'Host: a', 'Connection: upgrade'],
    [from, 'Host: a', 'Content-Length: 0'],
    [from, 'Host: a', 'Transfer-Encoding: chunked'],
    [from, 'Host: a', 'Expect: 100-continue'],
    [from, 'Host: a', 'Sec-Purpose: prefetch'],
    [from, 'Host: a', 'X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 2.2.2.2'],
    [from, 'Host: a', ' folded: b'],
    [from, 'Host : a'],
    [from, 'Host: a', 'X: \0'],
    [from, 'Host: a', 'X: a\nB: c'],
    [from, 'Host: a', ...Array.from({ length: 70 }, (_, i) => `X${i}: a`)],
    ['GET /t/a?b HTTP/1.1', 'Host: a'],
    ['GET /t/a%20 HTTP/1.1', 'Host: a'],
    ['GET /t/../a HTTP/1.1', 'Host: a'],
    ['GET http://a/t/a HTTP/1.1', 'Host: a'],
    ['GET /t/a HTTP/1.0', 'Host: a'],
    ['HEAD /t/a HTTP/1.1', 'Host: a'],
  ]) {
    assert.equal(fastPathHeadOf(head(...lines)), null, lines.join(' | '))
  }
  assert.equal(fastPathHeadOf(`${head(from, 'Host: a')}x`), null)
})

test('repeated fields come from the cache, and are checked as strictly', () => {
  const headOf = fastPathHeads()
  const plain = 'Host: a\r\nUser-Agent: u\r\n\r\n'
  for (const [line, name] of [
    ['GET /t/a HTTP/1.1', 'a'],
    ['GET /t/b HTTP/1.1', 'b'],
    ['GET /t/b?c HTTP/1.1', null],
    ['HEAD /t/b HTTP/1.1', null],
    ['GET /t/c HTTP/1.1', 'c'],
  ] as const) {
    const expected = name === null ? null : { folder: '/t/', name, host: 'a', userAgent: 'u', forwardedFor: undefined }
    assert.deepEqual(headOf(`${line}\r\n${plain}`), expected)
    assert.equal(headOf(`${line}\r\nConnection: close\r\n${plain}`), null)
    assert.equal(headOf(`${line}\r\n${plain}x`), null)
  }
  // More of them than the cache holds.
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 300; i++)
      assert.equal(headOf(`GET /t/a HTTP/1.1\r\nHost: a\r\nUser-Agent: ${i}\r\n\r\n`)?.userAgent, String(i))
})

test('Node accepts what the fast path accepts, and reads the same from it', async () => {
  const piece = fc.constantFrom(
    'GET ',
    '/t/a',
    ' HTTP/1.1',
    '\r\n',
    '\n',
    '\r',
    'Host: a',
    'User-Agent: u',
    ':',
    ' ',
    'x',
  )
  const heads = fc.array(piece, { maxLength: 12 }).map((pieces) => `GET /t/a HTTP/1.1\r\n${pieces.join('')}\r\n\r\n`)
  const taken = fc.sample(heads, { numRuns: 3_000, seed: 4 }).filter((text) => fastPathHeadOf(text) !== null)
  assert.ok(taken.length > 20, String(taken.length))
  for (const text of taken.slice(0, 60)) {
    using one = await client()
    // A second request in the same chunk is not for the fast path: both go to Node.
    one.socket.write(text + get('end'))
    const said = await one.until(/\/end\r\n|HTTP\/1\.1 4/)
    assert.match(said, /\/t?\/?a\r\n[^]*\/end\r\n/, JSON.stringify(text))
    assert.equal(asked.at(-2), `a ${fastPathHeadOf(text)?.userAgent} 127.0.0.1`)
  }
})
