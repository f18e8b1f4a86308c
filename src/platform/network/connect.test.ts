import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type ServerResponse } from 'node:http'
import net from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import { selfSigned } from '../../../test/world/certificate.ts'
import { webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { declaredZones, type Zones } from '../../../test/world/zones.ts'
import { type Connector, connector, MAX_BODY_BYTES, type Outcome, urlFault } from './connect.ts'

const TOGETHER = 128

const ask = (made: Connector, url: string, timeoutMs = 3_000): Promise<Outcome> =>
  made.request({ method: 'POST', url, headers: {}, body: Buffer.from('{}'), timeoutMs, tenant: 'a' })

async function asked(url: string, zones: Zones = {}): Promise<string> {
  const made = connector({ resolver: declaredZones(zones), allowPrivate: false })
  try {
    const outcome = await ask(made, url)
    return outcome.kind === 'failed' ? outcome.failure : 'answered'
  } finally {
    await made.close()
  }
}

test('requests of one tenant to one server do not wait for each other', async () => {
  const waiting: ServerResponse[] = []
  const server = http.createServer((_request, response) => {
    // The first is answered once the last is here.
    waiting.push(response)
    if (waiting.length === TOGETHER) for (const one of waiting) one.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  try {
    const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`
    const outcomes = await Promise.all(Array.from({ length: TOGETHER }, () => ask(made, url, 20_000)))
    for (const { kind } of outcomes) assert.equal(kind, 'answered')
  } finally {
    await made.close()
    server.close()
  }
})

// Spellings and ranges that can name our own machines, our neighbours or a cloud's metadata service.
const HOSTS = [
  '127.0.0.1',
  '127.1',
  '0177.0.0.1',
  '2130706433',
  '0x7f000001',
  '①②⑦.⓪.⓪.①',
  '0',
  'localhost',
  'localhost.',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[5f00::1]',
  '[2001:0:1::1]',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'metadata.google.internal',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '100.64.0.1',
  '0.1.2.3',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]
for (const host of HOSTS) {
  test(`https://${host} is refused without a connection`, async () => {
    const zones = { 'metadata.google.internal': { A: ['169.254.169.254'] } }
    assert.equal(await asked(`https://${host}/`, zones), 'refused')
  })
}

const URLS = [
  'http://public.test/',
  'file:///etc/passwd',
  'gopher://public.test/',
  'ftp://public.test/',
  'unix:/tmp/a',
  'https://user@public.test/',
  'https://user:pass@public.test/',
  'https://good\\@127.0.0.1/',
  'https://public.test/\n',
  'https://pub\tlic.test/',
  'https://[fe80::1%25eth0]/',
  `https://${'a'.repeat(4_096)}.test/`,
  'https://',
  'x',
  ...[22, 25, 80, 587, 5432, 6379, 11211].map((port) => `https://public.test:${port}/`),
]
for (const url of URLS) {
  test(`${JSON.stringify(url.slice(0, 60))} is refused before anything is resolved`, async () => {
    assert.notEqual(urlFault(url, false), null)
    assert.equal(await asked(url, { 'public.test': { A: ['192.0.2.1'] } }), 'refused')
  })
}

test('web ports and unprivileged ports without a known service are allowed', () => {
  for (const port of ['', ':443', ':8443', ':1024', ':9999'])
    assert.equal(urlFault(`https://public.test${port}/a`, false), null)
})

const NAMES: [string, Zones, string][] = [
  ['a name of a private address', { 'x.test': { A: ['127.0.0.1'] } }, 'refused'],
  ['a name of a private IPv6 address', { 'x.test': { AAAA: ['::1'] } }, 'refused'],
  ['a public and a private address', { 'x.test': { A: ['1.1.1.1', '10.0.0.1'] } }, 'refused'],
  ['a public IPv4 and a private IPv6 address', { 'x.test': { A: ['1.1.1.1'], AAAA: ['fd00::1'] } }, 'refused'],
  ['an alias of a private name', { 'x.test': { CNAME: ['y.test'] }, 'y.test': { A: ['127.0.0.1'] } }, 'refused'],
  ['no address', {}, 'dns'],
]
for (const [what, zones, failure] of NAMES) {
  test(`a host with ${what} is ${failure}`, async () => {
    assert.equal(await asked('https://x.test/', zones), failure)
  })
}

test('a name is checked anew at every request', async () => {
  let turn = 0
  const zones = { 'x.test': () => ({ A: [turn++ === 0 ? '192.0.2.1' : '127.0.0.1'], ttl: 0 }) }
  const made = connector({ resolver: declaredZones(zones), allowPrivate: false })
  for (let i = 0; i < 2; i++)
    assert.equal(((await ask(made, 'https://x.test/')) as { failure: string }).failure, 'refused')
  await made.close()
})

test('localhost and the names below it are this machine, whatever the DNS says', async () => {
  await using receiver = await webhookReceiver()
  receiver.answer = (_received, reply) => void reply.writeHead(204).end()
  const elsewhere = { A: ['127.9.9.9'] }
  const resolver = declaredZones({ localhost: elsewhere, 'app.localhost': elsewhere, notlocalhost: elsewhere })
  const made = connector({ resolver, allowPrivate: true })
  for (const [host, want] of Object.entries({
    localhost: 204,
    'LocalHost.': 204,
    'app.localhost': 204,
    'new.app.localhost': 204,
    notlocalhost: 'connect',
  })) {
    const outcome = await ask(made, receiver.url.replace('127.0.0.1', host))
    assert.equal(outcome.kind === 'answered' ? outcome.status : outcome.failure, want, host)
  }
  await made.close()
})

test('redirects are not followed, encodings not decoded, and only 64 KB of a long answer are read', async () => {
  await using receiver = await webhookReceiver()
  const made = connector({ resolver: declaredZones({ 'here.test': { A: ['127.0.0.1'] } }), allowPrivate: true })
  const here = receiver.url.replace('127.0.0.1', 'here.test')
  receiver.answer = ({ path, headers }, reply) => {
    assert.equal(headers.host, new URL(here).host)
    if (path === '/moved') reply.writeHead(307, { location: `${here}/target` }).end()
    if (path === '/zipped') reply.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all')
    if (path === '/long') reply.end(Buffer.alloc(1_000_000, 97))
    if (path === '/endless') {
      reply.writeHead(200)
      const drip = setInterval(() => reply.write('x'), 20)
      reply.once('close', () => clearInterval(drip))
    }
    if (path === '/headers') reply.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end()
    if (path === '/broken') reply.destroy()
    if (path === '/cut') {
      reply.writeHead(200, { 'content-length': 100 }).write('half')
      setTimeout(() => reply.destroy(), 50)
    }
  }
  const status = async (path: string): Promise<unknown> => {
    const outcome = await ask(made, `${here}${path}`, 600)
    return outcome.kind === 'answered' ? [outcome.status, outcome.body.length, outcome.whole] : outcome.failure
  }
  assert.deepEqual(await status('/moved'), [307, 0, true])
  assert.deepEqual(await status('/zipped'), [200, 15, true])
  assert.deepEqual(await status('/long'), [200, MAX_BODY_BYTES, false])
  assert.deepEqual(await status('/cut'), [200, 4, false])
  const [endless, , whole] = (await status('/endless')) as [number, number, boolean]
  assert.deepEqual([endless, whole], [200, false])
  assert.equal(await status('/silent'), 'timeout')
  assert.equal(await status('/headers'), 'protocol')
  assert.equal(await status('/broken'), 'protocol')
  assert.ok(!receiver.received.some(({ path }) => path === '/target'))
  await made.close()
})

test('requests of different tenants never share a connection', async () => {
  const tenants = new Map<net.Socket, Set<string>>()
  const server = http.createServer(({ socket, headers }, response) => {
    tenants.set(socket, (tenants.get(socket) ?? new Set()).add(String(headers['x-tenant'])))
    response.end('ok')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  try {
    const { port } = server.address() as net.AddressInfo
    const asked = { method: 'GET', url: `http://127.0.0.1:${port}/`, body: null, timeoutMs: 3_000 } as const
    for (let n = 0; n < 20; n++) {
      const tenant = n % 3 === 0 ? 'a' : 'b'
      assert.equal((await made.request({ ...asked, headers: { 'x-tenant': tenant }, tenant })).kind, 'answered')
    }
    assert.ok(tenants.size < 20, 'connections are kept')
    for (const one of tenants.values()) assert.equal(one.size, 1)
  } finally {
    await made.close()
    server.close()
  }
})

test('a request that may have been received is not repeated at the next address of the name', async () => {
  const heard: string[] = []
  // Both read the request; the first then breaks off, the second would answer.
  const servers = ['127.0.0.2', '127.0.0.3'].map((host) => ({
    host,
    server: net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        heard.push(host)
        if (host === '127.0.0.2') socket.destroy()
        else socket.end('HTTP/1.1 204 No Content\r\n\r\n')
      })
    }),
  }))
  let port = 0
  for (const { host, server } of servers) {
    await once(server.listen(port, host), 'listening')
    port = (server.address() as net.AddressInfo).port
  }
  const zones = { 'two.test': { A: ['127.0.0.2', '127.0.0.3'] } }
  const made = connector({ resolver: declaredZones(zones), allowPrivate: true })
  try {
    const outcome = await ask(made, `http://two.test:${port}/`)
    assert.deepEqual([outcome.kind, heard], ['failed', ['127.0.0.2']])
    servers[0]?.server.close()
    const second = await ask(made, `http://two.test:${port}/`)
    assert.deepEqual([second.kind, heard], ['answered', ['127.0.0.2', '127.0.0.3']])
  } finally {
    await made.close()
    for (const { server } of servers) server.close()
  }
})

test('a closed port and a peer without TLS fail with their own failures', async () => {
  const server = net
    .createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('220 hello\r\n'),
    )
    .listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  const failure = async (url: string): Promise<string> => ((await ask(made, url)) as { failure: string }).failure
  assert.equal(await failure(`https://127.0.0.1:${port}/`), 'tls')
  assert.equal(await failure(`http://127.0.0.1:${port}/`), 'protocol')
  server.close()
  await new Promise((resolve) => server.once('close', resolve))
  assert.equal(await failure(`http://127.0.0.1:${port}/`), 'connect')
  await made.close()
})

test('a failure of TLS says what is wrong with the certificate or the server', async () => {
  const { key, cert } = selfSigned({ names: ['here.test'] })
  const servers: readonly (readonly [net.Server, string])[] = [
    [tls.createServer({ key, cert }), 'the certificate is self-signed'],
    [
      tls.createServer({ key, cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
      'the server offers no TLS 1.2 or newer',
    ],
    [
      net.createServer((socket) => void socket.on('error', () => undefined).end('220 hello\r\n')),
      'the port does not speak TLS',
    ],
  ]
  const made = connector({ resolver: declaredZones({ 'here.test': { A: ['127.0.0.1'] } }), allowPrivate: true })
  for (const [server, told] of servers) {
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as net.AddressInfo
    assert.deepEqual(await ask(made, `https://here.test:${port}/`), { kind: 'failed', failure: 'tls', detail: told })
    server.close()
  }
  await made.close()
})

test('a silent peer holds up no request beyond the deadline, and none once it answers', async () => {
  let silent = true
  const held = new Set<net.Socket>()
  const server = net
    .createServer((socket) => {
      socket.on('error', () => undefined)
      if (silent) held.add(socket.resume())
      else socket.resume().end('220 hello\r\n')
    })
    .listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const made = connector({ resolver: declaredZones({}), allowPrivate: true, connectWithinMs: 500 })
  const url = `https://127.0.0.1:${port}/`
  // More than a pool has connections.
  const many = await Promise.all(Array.from({ length: 40 }, () => ask(made, url, 100)))
  assert.deepEqual([...new Set(many.map((each) => each.kind === 'failed' && each.failure))], ['timeout'])
  const patient = await ask(made, url, 5_000)
  assert.equal(patient.kind === 'failed' && patient.failure, 'connect')
  silent = false
  const later = await ask(made, url, 5_000)
  assert.equal(later.kind === 'failed' && later.failure, 'tls')
  await made.close()
  for (const socket of held) socket.destroy()
  server.close()
})

test('connections are kept for 1,000 tenants; one pushed out still hears the answer it waits for', async () => {
  await using receiver = await webhookReceiver()
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  const request = (tenant: string, path = '/') =>
    made.request({
      method: 'POST',
      url: receiver.url + path,
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 30_000,
      tenant,
    })
  const asked = Promise.withResolvers<ServerResponse>()
  receiver.answer = ({ path }, reply) => {
    if (path === '/held') asked.resolve(reply)
    else reply.end()
  }
  const held = request('first', '/held')
  const reply = await asked.promise
  for (let n = 0; n < 1_000; n++) await request(`other ${n}`)
  reply.end('at last')
  const outcome = await held
  assert.equal(outcome.kind === 'answered' && outcome.body.toString(), 'at last')
  await made.close()
})

test('an endpoint without requests for a while gives its connections up, and one that takes longer is still heard', async () => {
  const asked = Promise.withResolvers<ServerResponse>()
  let connections = 0
  const server = http.createServer((_request, reply) => {
    if (connections === 1) asked.resolve(reply)
    else reply.end()
  })
  server.on('connection', () => connections++).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const made = connector({ resolver: declaredZones({}), allowPrivate: true, keepPoolMs: 20 })
  const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/`
  const slow = ask(made, url, 20_000)
  const reply = await asked.promise
  await delay(200)
  reply.end('at last')
  const outcome = await slow
  assert.equal(outcome.kind === 'answered' && outcome.body.toString(), 'at last')
  // A kept connection is free by then.
  await delay(200)
  assert.equal((await ask(made, url, 20_000)).kind, 'answered')
  assert.equal(connections, 2)
  await made.close()
  server.close()
})

test('endless interim answers, a bomb of zeros and an endless head are cut by the deadline and the limits', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const server = net
    .createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (head) => {
        const path = head.toString().split(' ')[1]
        if (path === '/bomb') {
          socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
          socket.write(bomb)
          return
        }
        if (path === '/interim') {
          const flood = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'), 1)
          socket.once('close', () => clearInterval(flood))
          return
        }
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x-drip: a\r\n'), 20)
        socket.once('close', () => clearInterval(drip))
      })
    })
    .listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  const made = connector({ resolver: declaredZones({}), allowPrivate: true })
  const began = performance.now()
  const bombed = await ask(made, `http://127.0.0.1:${port}/bomb`, 800)
  assert.deepEqual(
    [bombed.kind, bombed.kind === 'answered' && bombed.body.length <= MAX_BODY_BYTES],
    ['answered', true],
  )
  for (const path of ['/interim', '/head']) {
    const outcome = await ask(made, `http://127.0.0.1:${port}${path}`, 800)
    assert.ok(outcome.kind === 'failed' && ['timeout', 'protocol'].includes(outcome.failure), JSON.stringify(outcome))
  }
  assert.ok(performance.now() - began < 4_000)
  await made.close()
  server.close()
})

test('this instance is refused under its public addresses and names, and under foreign names for them', async () => {
  const zones = {
    'mail.own.test': { A: ['192.88.98.7'] },
    'alias.test': { A: ['192.88.98.7'] },
    'x.test': { A: ['198.97.38.1'] },
  }
  const own = { hosts: ['mail.own.test', 'localhost'], addresses: () => ['198.97.38.1'] }
  const made = connector({ resolver: declaredZones(zones), allowPrivate: false, own })
  for (const host of ['mail.own.test', 'alias.test', 'x.test', '192.88.98.7', '198.97.38.1']) {
    const outcome = await ask(made, `https://${host}/`, 500)
    assert.equal(outcome.kind === 'failed' && outcome.failure, 'refused', host)
  }
  await made.close()
})
