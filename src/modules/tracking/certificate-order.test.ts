import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import acme from 'acme-client'
import { systemClock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db.ts'
import { selfSigned } from '../../platform/network/certificates.ts'
import { secretsFrom } from '../../platform/secrets.ts'
import { ACCOUNT_KEY, customerMessage } from './certificate-authority.ts'
import { orderCertificate, renewalAt, usableLeaf } from './certificate-order.ts'
import { acmeAccount, replaceAcmeAccount } from './sql-tracking-domains.ts'

const DIRECTORY = 'http://127.0.0.1:9/directory'
const secrets = secretsFrom(Buffer.alloc(32, 7))

async function failureAt(
  directory: string,
  signal = new AbortController().signal,
  name = 'go.shop.example',
): Promise<unknown> {
  const sealed = secrets.seal(ACCOUNT_KEY, directory, await acme.crypto.createPrivateEcdsaKey('P-256'))
  const system = {
    execute: async () => 0,
    one: async (asked: unknown) => (asked === acmeAccount ? { private_key: sealed } : null),
  }
  const database = { system } as unknown as Database
  const options = { database, clock: systemClock(), secrets, directory, caFile: null, email: null }
  return orderCertificate(options, { name, replaces: null }, signal).catch((error: unknown) => error)
}

/** Starts a CA for one test. @returns the URL of its directory */
async function directoryOf(server: Server, t: TestContext): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`
}

test('an unreachable CA is reported as such, and a message of the CA is passed on in its own words', async (t) => {
  for (const _ of [1, 2])
    assert.equal(customerMessage(await failureAt(DIRECTORY)), 'The certificate authority could not be reached')
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const at = (path: string): string => `http://127.0.0.1:${port}/${path}`
    response.setHeader('replay-nonce', 'bm9uY2U')
    if (request.url === '/directory') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order') }))
      return
    }
    response.writeHead(request.url === '/nonce' ? 200 : 403, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:unauthorized', detail: 'No such customer' }))
  })
  assert.equal(customerMessage(await failureAt(await directoryOf(server, t))), 'No such customer')
})

test('an account that was deactivated at the CA is replaced by one with another key', async (t) => {
  const keys: string[] = []
  const served = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { port } = server.address() as AddressInfo
    const at = (path: string): string => `http://127.0.0.1:${port}/${path}`
    const answer = (status: number, type: string, body: object): void => {
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
    }
    response.setHeader('replay-nonce', 'bm9uY2U')
    if (request.url === '/directory')
      return answer(200, 'application/json', {
        newNonce: at('nonce'),
        newAccount: at('account'),
        newOrder: at('order'),
      })
    if (request.url === '/nonce') return void response.writeHead(200).end()
    const { protected: header } = (await json(request)) as { protected: string }
    const { jwk, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as {
      jwk?: { x: string }
      kid?: string
    }
    if (request.url === '/order') {
      const type = 'urn:ietf:params:acme:error:rejectedIdentifier'
      return answer(400, 'application/problem+json', { type, detail: `ordered by ${kid}` })
    }
    keys.push(jwk?.x ?? '')
    if (jwk?.x === keys[0]) {
      const type = 'urn:ietf:params:acme:error:unauthorized'
      return answer(401, 'application/problem+json', { type, detail: 'the account is deactivated' })
    }
    response.setHeader('location', at(`account/${keys.length}`))
    answer(201, 'application/json', { status: 'valid' })
  }
  const server = createServer((request, response) => void served(request, response))
  const directory = await directoryOf(server, t)
  const first = await acme.crypto.createPrivateEcdsaKey('P-256')
  const account = { private_key: secrets.seal(ACCOUNT_KEY, directory, first) }
  const system = {
    execute: async (asked: unknown, [, before, after]: Buffer[]) => {
      const replaces = asked === replaceAcmeAccount && account.private_key === before
      if (replaces && after !== undefined) account.private_key = after
      return replaces ? 1 : 0
    },
    one: async (asked: unknown) => (asked === acmeAccount ? account : null),
  }
  const database = { system } as unknown as Database
  const options = { database, clock: systemClock(), secrets, directory, caFile: null, email: null }
  const failure = await orderCertificate(
    options,
    { name: 'go.shop.example', replaces: null },
    new AbortController().signal,
  ).catch(customerMessage)
  assert.equal(failure, `ordered by ${directory.replace('directory', 'account/2')}`)
  const { x } = createPublicKey(secrets.open(ACCOUNT_KEY, directory, account.private_key)).export({ format: 'jwk' })
  assert.deepEqual([keys.length, x === keys[1], x === keys[0]], [2, true, false], 'the key of the next order')
})

test('a CA that is down is asked only for its directory, and stopping does not wait for a silent CA', async (t) => {
  const asked: string[] = []
  const stopping = new AbortController()
  let isSilent = false
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (isSilent) stopping.abort(new Error('stopping'))
    else response.writeHead(503).end('down for maintenance')
  })
  const directory = await directoryOf(server, t)
  assert.equal(customerMessage(await failureAt(directory)), 'The certificate authority could not be reached')
  assert.deepEqual(asked, Array(3).fill('/directory'), 'two retries, by which a CA that is only busy is not given up')
  isSilent = true
  assert.equal(await failureAt(directory, stopping.signal), stopping.signal.reason)
})

test('a CA that asks to wait during polling is not asked again, and its message is passed on', async (t) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const at = (path: string): string => `http://127.0.0.1:${port}/${path}`
    const challenge = { type: 'http-01', url: at('challenge'), token: 'token', status: 'pending' }
    const answers: Readonly<Record<string, object>> = {
      '/directory': { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order') },
      '/order': { status: 'pending', authorizations: [at('authz')], finalize: at('finalize') },
      '/authz': { status: 'pending', identifier: { type: 'dns', value: 'go.shop.example' }, challenges: [challenge] },
      '/challenge': challenge,
    }
    const path = request.url ?? ''
    asked.push(path)
    response.setHeader('replay-nonce', 'bm9uY2U')
    response.setHeader('location', at(path === '/account' ? 'account' : 'order'))
    const isBusy = asked.filter((one) => one === '/challenge').length > 1
    response.writeHead(isBusy ? 503 : path === '/order' ? 201 : 200, {
      'content-type': 'application/json',
      ...(isBusy && { 'retry-after': '3600' }),
    })
    response.end(JSON.stringify(answers[path] ?? {}))
  })
  const failure = await failureAt(await directoryOf(server, t))
  assert.match(customerMessage(failure), /^The certificate authority asks to wait until \S+Z: it answered 503$/)
  assert.equal(asked.at(-1), '/challenge')
  assert.equal(asked.filter((path) => path === '/challenge').length, 2)
})

/** A CA that has validated every name, and answers what the test says when the order is finalized. */
async function finalizingCa(
  t: TestContext,
  refusal: object,
  meta: object = {},
): Promise<{ directory: string; csr: () => Buffer }> {
  let csr = Buffer.alloc(0)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { port } = server.address() as AddressInfo
      const at = (path: string): string => `http://127.0.0.1:${port}/${path}`
      const path = request.url ?? ''
      if (path === '/finalize') {
        const { payload } = JSON.parse(Buffer.concat(chunks).toString())
        csr = Buffer.from(JSON.parse(Buffer.from(payload, 'base64url').toString()).csr, 'base64url')
      }
      const answers: Readonly<Record<string, object>> = {
        '/directory': { newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order'), meta },
        '/order': { status: 'ready', authorizations: [at('authz')], finalize: at('finalize') },
        '/authz': { status: 'valid', identifier: { type: 'dns', value: 'go.shop.example' }, challenges: [] },
        '/finalize': refusal,
      }
      response.setHeader('replay-nonce', 'bm9uY2U')
      response.setHeader('location', at(path === '/account' ? 'account' : 'order'))
      const status = path === '/finalize' ? 403 : path === '/order' ? 201 : 200
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answers[path] ?? {}))
    })
  })
  return { directory: await directoryOf(server, t), csr: () => csr }
}

test('a name too long for a common name is ordered without one, as an alternative name alone', async (t) => {
  const { directory, csr } = await finalizingCa(t, { detail: 'no' })
  const long = `${'l'.repeat(60)}.go.shop.example`
  for (const [name, commonName] of [
    ['go.shop.example', 'go.shop.example'],
    [long, null],
  ] as const) {
    await failureAt(directory, undefined, name)
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${csr().toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`
    assert.deepEqual(acme.crypto.readCsrDomains(pem), { commonName, altNames: [name] })
  }
})

const CAA = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA record for shop.example prevents issuance' }
// Each row: what the CA says, its directory, and what the customer reads.
const REFUSALS: readonly (readonly [said: object, meta: object, told: string])[] = [
  [CAA, { caaIdentities: ['ca.example', 'ca.test'] }, `${CAA.detail}; add 0 issue "ca.example" to these records`],
  [CAA, {}, `${CAA.detail}; these records must name the certificate authority`],
  [CAA, { caaIdentities: ['a "b" c'] }, `${CAA.detail}; these records must name the certificate authority`],
  [{ ...CAA, type: 'urn:ietf:params:acme:error:dns' }, { caaIdentities: ['ca.example'] }, CAA.detail],
]
for (const [said, meta, told] of REFUSALS) {
  test(`a refusal ${JSON.stringify(said)} with ${JSON.stringify(meta)} is told with what to publish`, async (t) => {
    const { directory } = await finalizingCa(t, said, meta)
    assert.equal(customerMessage(await failureAt(directory)), told)
  })
}

test('a certificate that no client would accept is not taken, with the reason', () => {
  const name = 'go.shop.example'
  const good = selfSigned({ names: [name] })
  const privateKey = Buffer.from(good.key)
  const now = new Date('2026-06-01')
  const taken = (chain: string, at = now) => usableLeaf(chain, { privateKey, name, now: at })
  assert.equal(taken(good.cert).validToDate.toISOString(), '2049-01-01T00:00:00.000Z')
  const unread = /^The certificate authority sent a certificate that cannot be read, or is for another key$/
  const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  for (const chain of [selfSigned({ names: [name] }).cert, good.cert + garbage, garbage, 'hello', '']) {
    assert.throws(() => taken(chain), { message: unread })
  }
  const other = selfSigned({ names: ['other.example'] })
  const forOther = { privateKey: Buffer.from(other.key), name, now }
  assert.throws(() => usableLeaf(other.cert, forOther), /is for another name$/)
  assert.throws(() => taken(good.cert, new Date('2049-01-01')), /has expired$/)
})

test('a new certificate is never due for renewal at once, even when our clock is months ahead of the authority', () => {
  assert.equal(renewalAt(new Date('2026-01-01'), new Date('2026-04-01')).toISOString(), '2026-03-02T00:00:00.000Z')
  const ahead = new Date('2026-03-22')
  assert.equal(renewalAt(ahead, new Date('2026-04-01')).toISOString(), '2026-03-28T16:00:00.000Z')
})

test('an answer that is too long, or never ends, ends the order', { timeout: 20_000 }, async (t) => {
  let bytes = 0
  const server = createServer((_, response) => {
    const more = (): void => {
      bytes += 65_536
      if (!response.destroyed) response.write(Buffer.alloc(65_536, 'a'), () => setImmediate(more))
    }
    more()
  })
  const directory = await directoryOf(server, t)
  assert.equal(customerMessage(await failureAt(directory)), 'The certificate authority could not be reached')
  assert.ok(bytes < 32 * 1_048_576, `${bytes} bytes in three tries`)
})

test('errors other than those of the CA are reported with a general text', () => {
  const ours = 'The certificate could not be ordered; it will be tried again'
  assert.equal(customerMessage(new TypeError("Cannot read properties of undefined (reading 'config')")), ours)
  assert.equal(customerMessage(Object.assign(new Error('connect to the database'), { code: '57P01' })), ours)
  assert.equal(customerMessage(new Error('')), ours)
  assert.equal(customerMessage(new Error('a\0b')), 'ab')
})
