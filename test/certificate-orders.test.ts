// Orders of certificates while the authority is away, told as they stand; and the certificate of the public URL's host, which
// SMTP shows too where that is our name.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { ownCertificateState } from '../src/modules/tracking/index.ts'
import { selfSigned } from '../src/platform/certificates.ts'
import { statement } from '../src/platform/db.ts'
import { startWorld, type World } from './world.ts'

const PATH = '/api/v1/customer/tracking-domains'
const HOST = 'mail.posthorn.test'
const AWAY = 'The certificate authority could not be reached'
const DAY_MS = 86_400_000

function certifiedWorld(directory: string): Promise<World> {
  return startWorld({
    settings: {
      POSTHORN_PUBLIC_URL: `https://${HOST}`,
      POSTHORN_HTTPS_PORT: '0',
      POSTHORN_ACME_DIRECTORY: directory,
    },
  })
}

async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (let turn = 0; turn < 600; turn++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('not within a minute')
}

async function verified(world: World, domain: string): Promise<string> {
  const made = await world.api.post(PATH, { domain })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  world.zones.declare({ [domain]: { CNAME: [made.body.cname_target] } })
  const answer = await world.api.post(`${PATH}/${made.body.id}/verify`)
  assert.equal(answer.body.verified, true)
  return made.body.id
}

async function fingerprintAt(port: number, servername: string): Promise<string> {
  const socket = tls.connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw).fingerprint256
}

const FAILURES = statement('test_ssl_failures', 'select sum(ssl_failures)::int as count from tracking_domain')
const RUN_OUT = statement(
  'test_run_out',
  `update tracking_domain set ssl_status = 'issued', ssl_error = null, ssl_expires_at = $2 where id = $1`,
)
const OWN = statement(
  'test_own_certificate',
  'update own_certificate set certificate = $2, private_key = $3, expires_at = $4, due_at = $4, error = null where name = $1',
)

test('one attempt at an authority that is away is told of every name that waits, and what has run out is not called issued', async () => {
  await using world = await certifiedWorld('http://127.0.0.1:9/directory')
  const { system } = world.rooms.database
  const names = ['go.one.example', 'go.two.example', 'go.three.example']
  const ids = await Promise.all(names.map((name) => verified(world, name)))
  const shown = async (id: string) => (await world.api.get(`${PATH}/${id}`)).body
  for (const id of ids) {
    const failed = await until(async () => {
      const found = await shown(id)
      return found.ssl_error === null ? null : found
    })
    assert.deepEqual([failed.ssl_status, failed.ssl_error, failed.ssl_enabled], ['failed', AWAY, false])
  }
  assert.ok(((await system.one<{ count: number }>(FAILURES))?.count ?? 0) < names.length, 'not each of them was tried')
  const own = await until(async () => {
    const state = await ownCertificateState(system, HOST)
    return state?.error === null ? null : state
  })
  assert.deepEqual([own.error, own.failures], [AWAY, 1])

  const [id = ''] = ids
  const now = world.clock.now().getTime()
  await system.execute(RUN_OUT, [id, new Date(now + DAY_MS)])
  assert.deepEqual([(await shown(id)).ssl_status, (await shown(id)).ssl_enabled], ['issued', true])
  await system.execute(RUN_OUT, [id, new Date(now - DAY_MS)])
  assert.deepEqual([(await shown(id)).ssl_status, (await shown(id)).ssl_enabled], ['pending', false])
})

test('submission shows the certificate that the public URL has, and its renewal, where that names our host', async () => {
  await using world = await certifiedWorld('http://127.0.0.1:9/directory')
  const { database, store } = world.rooms
  await until(() => ownCertificateState(database.system, HOST))
  const port = world.submissionPorts.implicitTls[0] ?? 0
  for (const life of [1, 2]) {
    const issued = selfSigned({ names: [HOST] })
    const key = store.secrets.seal('own certificate', HOST, Buffer.from(issued.key))
    const endsAt = new Date(world.clock.now().getTime() + life * DAY_MS)
    await database.system.execute(OWN, [HOST, issued.cert, key, endsAt])
    const { fingerprint256 } = new X509Certificate(issued.cert)
    await until(async () => ((await fingerprintAt(port, HOST)) === fingerprint256 ? true : null))
  }
})

test('who stops while the authority is silent is done at once, and the next start asks anew', async () => {
  const asked = Promise.withResolvers<void>()
  const authority = createServer(() => asked.resolve()).listen(0, '127.0.0.1')
  await once(authority, 'listening')
  const directory = `http://127.0.0.1:${(authority.address() as AddressInfo).port}/directory`
  await using world = await certifiedWorld(directory)
  try {
    await asked.promise
    const due = async () => (await ownCertificateState(world.rooms.database.system, HOST))?.due_at ?? new Date(0)
    const now = world.clock.now()
    assert.ok((await due()) > now, 'it is leased while the order is under way')
    const { database } = world.rooms
    const deadline = AbortSignal.timeout(20_000)
    await world.stop(deadline)
    assert.equal(deadline.aborted, false)
    const state = await ownCertificateState(database.system, HOST)
    assert.deepEqual([(state?.due_at ?? now) <= world.clock.now(), state?.failures, state?.error], [true, 0, null])
  } finally {
    authority.closeAllConnections()
    authority.close()
  }
})
