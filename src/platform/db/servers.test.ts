import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { unmanned } from '../../../test/world/unmanned.ts'
import { connectToPrimary, serversOf, serverUrls, withModesOfLibpq } from './servers.ts'

test('a connection string is split into its servers, and one with a single server stays as it is', () => {
  assert.deepEqual(serverUrls('postgresql://u:p@one:1,two:2/db?target_session_attrs=read-write&sslmode=disable'), [
    'postgresql://u:p@one:1/db?sslmode=disable',
    'postgresql://u:p@two:2/db?sslmode=disable',
  ])
  assert.deepEqual(serverUrls('postgres://one,two/db?target_session_attrs=read-write'), [
    'postgres://one/db',
    'postgres://two/db',
  ])
  const alone = 'postgresql://u@one:1/db?host=/run/a,b'
  assert.deepEqual(serverUrls(alone), [alone])
})

/** Lets everyone log in, and reports whether it is a standby. */
async function server(state: {
  standby: boolean
}): Promise<AsyncDisposable & { readonly port: number; logins: number }> {
  const message = (type: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const listening = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      one.logins++
      const status = Buffer.from(`in_hot_standby\0${state.standby ? 'on' : 'off'}\0`)
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('S', status), message('Z', Buffer.from('I'))]))
    })
  })
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const one = {
    port: (listening.address() as AddressInfo).port,
    logins: 0,
    [Symbol.asyncDispose]: async () => void listening.close(),
  }
  return one
}

test('a mode of TLS means what it means in libpq', () => {
  const base = 'postgresql://app@db.example:5432/app'
  const ssl = (query: string): unknown => {
    const { ssl: read } = new pg.Client({ connectionString: withModesOfLibpq(`${base}${query}`) }) as unknown as {
      readonly ssl: unknown
    }
    return read
  }
  for (const plain of ['', '?sslmode=disable', '?application_name=sslmode']) assert.equal(ssl(plain), false, plain)
  for (const encrypts of ['?sslmode=require', '?sslmode=prefer', '?a=b&sslmode=require&c=d', '?sslmode=no-verify'])
    assert.deepEqual(ssl(encrypts), { rejectUnauthorized: false }, encrypts)
  assert.deepEqual(ssl('?sslmode=verify-full'), {}, 'verifies')
  assert.deepEqual(ssl('?sslmode=require&uselibpqcompat=false'), {}, 'as it asks')
  assert.throws(() => ssl('?sslmode=verify-ca'), /requires specifying a CA with sslrootcert/)
})

test('the server that takes writes is found, and found again after a switch', async () => {
  const [first, second] = [{ standby: true }, { standby: false }]
  await using a = await server(first)
  await using b = await server(second)
  const connectionString = `postgresql://u@127.0.0.1:${a.port},127.0.0.1:${b.port}/db`
  const client = await connectToPrimary({ connectionString })
  assert.equal(client.port, b.port)
  await client.end()

  const { Client } = serversOf(connectionString)
  const tryOnce = async (): Promise<number | string> => {
    const made = new Client({ connectionString })
    return made.connect().then(
      async () => {
        await made.end()
        return made.port
      },
      (error: Error) => error.message,
    )
  }
  assert.equal(await tryOnce(), 'this server is a standby')
  assert.deepEqual([await tryOnce(), await tryOnce()], [b.port, b.port])
  Object.assign(first, { standby: false })
  Object.assign(second, { standby: true })
  assert.equal(await tryOnce(), 'this server is a standby')
  assert.equal(await tryOnce(), a.port)
})

test('while no server takes writes, no connection is made', async () => {
  await using a = await server({ standby: true })
  await using b = await server({ standby: true })
  const connectionString = `postgresql://u@127.0.0.1:${a.port},127.0.0.1:${b.port}/db`
  await assert.rejects(connectToPrimary({ connectionString }), /this server is a standby/)
  assert.deepEqual([a.logins, b.logins], [1, 1])
})

test('a machine that does not even accept the connection is skipped early, long before an answer would time out', async () => {
  await using gone = await unmanned()
  await using b = await server({ standby: false })
  const { Client } = serversOf(`postgresql://u@127.0.0.1:${gone.port},127.0.0.1:${b.port}/db`)
  const patient = { connectionTimeoutMillis: 600_000 }
  await assert.rejects(new Client(patient).connect(), { code: 'ETIMEDOUT' })
  const client = await new Client(patient).connect()
  assert.equal(client.port, b.port)
  await client.end()
})
