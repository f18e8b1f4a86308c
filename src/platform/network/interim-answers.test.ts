import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { selfSigned } from '../../../test/world/certificate.ts'
import { declaredZones } from '../../../test/world/zones.ts'
import { connector } from './connect.ts'
import { skipContinue } from './interim-answers.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

interface Peer extends AsyncDisposable {
  readonly url: string
  readonly connections: () => number
}

/** Answers each request with these pieces, some ms apart. */
async function peer(pieces: readonly string[]): Promise<Peer> {
  let connections = 0
  const server = net.createServer({ noDelay: true }, (socket) => {
    connections++
    socket.on('error', () => undefined)
    let input = ''
    const answer = async (): Promise<void> => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    socket.on('data', (chunk) => {
      input += chunk.toString('latin1')
      if (!input.endsWith('{}')) return
      input = ''
      void answer()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

/** Four requests, one after the other: on at most two connections, as one may still be taken when the next begins. */
async function answersOf(url: string): Promise<readonly unknown[]> {
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  const ask = async (): Promise<unknown> => {
    const request = {
      method: 'POST',
      url,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 2_000,
      tenant: 'a',
    } as const
    const outcome = await made.request(request)
    return outcome.kind === 'answered' ? [outcome.status, outcome.body.toString()] : outcome.detail
  }
  try {
    return [await ask(), await ask(), await ask(), await ask()]
  } finally {
    await made.close()
  }
}

const inBytes = (text: string): readonly string[] => text.split('')
// Each row: the pieces of an answer, and what the caller gets.
const ANSWERS: readonly (readonly [what: string, pieces: readonly string[], got: unknown])[] = [
  ['no interim answer', [OK], [200, 'ok']],
  ['one in the same packet', [CONTINUE + OK], [200, 'ok']],
  ['one in a packet of its own', [CONTINUE, OK], [200, 'ok']],
  ['several, with fields and without a phrase', [`${CONTINUE}HTTP/1.1 100\r\nx: y\r\n\r\n`, CONTINUE, OK], [200, 'ok']],
  ['one before an early hint', [`${CONTINUE}HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${OK}`], [200, 'ok']],
  ['one byte at a time', inBytes(CONTINUE + OK), [200, 'ok']],
  ['a refusal after it', [CONTINUE, 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'], [500, '']],
  ['another status of three digits', ['HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'], [410, '']],
  [
    'a body that looks like one',
    ['HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n', CONTINUE + CONTINUE],
    [200, CONTINUE + CONTINUE],
  ],
]
for (const [what, pieces, got] of ANSWERS) {
  test(`an answer with ${what} is read, and its connection is used again`, async () => {
    await using server = await peer(pieces)
    assert.deepEqual(await answersOf(server.url), Array(4).fill(got))
    assert.ok(server.connections() <= 2, `${server.connections()} connections`)
  })
}

test('a head of an interim answer that never ends is not collected without limit', async () => {
  await using server = await peer(['HTTP/1.1 100 Continue\r\n', ...Array(40).fill(`x: ${'a'.repeat(1_000)}\r\n`)])
  const [first] = await answersOf(server.url)
  assert.equal(first, 'the answer is not valid HTTP')
})

test('over TLS an interim answer is skipped too', async () => {
  const { key, cert } = selfSigned({ names: ['here.test'] })
  const server = tls.createServer({ key, cert }, (socket) => void socket.on('data', () => socket.write(CONTINUE + OK)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  skipContinue(socket)
  socket.write('POST / HTTP/1.1\r\n\r\n')
  await once(socket, 'readable')
  assert.equal(String(socket.read()), OK)
  socket.destroy()
  server.close()
})
