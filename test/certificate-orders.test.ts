// How certificate orders behave and are reported while the authority is unavailable. Also the certificate for the host of the
// public URL, which SMTP uses too when that host is the server's name.

import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { ownCertificateState, trackingCommands } from '../src/modules/tracking/index.ts'
import { type DoctorOptions, examineDatabase } from '../src/operator/doctor.ts'
import type { CommandContext } from '../src/platform/command.ts'
import { statement } from '../src/platform/db.ts'
import { selfSigned } from '../src/platform/network/certificates.ts'
import { certifiedWorld, HOST, OWN, PATH, startAuthority, until, verified } from './world/certificate-authority.ts'

const AWAY = 'The certificate authority could not be reached'
const DAY_MS = 86_400_000

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
const SERVED_UNTIL = statement('test_served_until', 'update tracking_domain set ssl_expires_at = $2 where id = $1')
const LEASED = statement(
  'test_leased_order',
  `select name from tracking_domain where ssl_status = 'pending' and ssl_error is null and ssl_due_at > $1`,
)
test('one attempt at an unavailable authority is reported for every waiting name, and an expired certificate is not called issued', async () => {
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

test('the doctor counts the tracking domains that no certificate could be ordered for, and names one with the reason', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { database, config } = world.rooms
  const look = async (): Promise<string> => {
    const options = { config, clock: world.clock } as unknown as DoctorOptions
    const found = await examineDatabase(database, options)
    const one = found.find(({ check }) => check === 'certificates of tracking domains')
    return `${one?.state}: ${one?.found}`
  }
  assert.equal(await look(), 'ok: 0 verified, no failed order')
  const ids = await Promise.all(['go.one.example', 'go.two.example'].map((name) => verified(world, name)))
  for (const id of ids) await until(async () => (await world.api.get(`${PATH}/${id}`)).body.ssl_error)
  assert.equal(await look(), 'warn: none for 2 of 2 verified names, such as go.one.example: no order today')
  await database.system.execute(RUN_OUT, [ids[0], new Date(world.clock.now().getTime() + DAY_MS)])
  assert.equal(await look(), 'warn: none for 1 of 2 verified names, such as go.two.example: no order today')
})

test("submission uses the certificate of the public URL, and its renewal, where it names the server's host", async () => {
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

test('a stop while the authority is silent finishes at once, and the next start orders again', async () => {
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

const HOUR_MS = 3_600_000

test('an authority that asks to wait for hours is not asked before that, is asked automatically after, and certificates stay in use', async () => {
  await using authority = await startAuthority()
  authority.says = (response) => {
    response.writeHead(503, { 'retry-after': String(6 * 3_600) }).end('closed')
    return true
  }
  await using world = await certifiedWorld(authority.directory)
  const { system } = world.rooms.database
  const until6 = new Date(world.clock.now().getTime() + 6 * HOUR_MS)
  const told = /^The certificate authority asks to wait until (\S+): it answered 503$/
  const toldAt = async (id: string) =>
    until(async () => {
      const { body } = await world.api.get(`${PATH}/${id}`)
      return told.exec(body.ssl_error ?? '') === null ? null : body
    })
  const id = await verified(world, 'go.one.example')
  const shown = await toldAt(id)
  const [, at = ''] = told.exec(shown.ssl_error) ?? []
  assert.ok(Math.abs(Date.parse(at) - until6.getTime()) < 60_000, at)
  assert.equal(shown.ssl_status, 'failed')
  await until(async () => (told.test((await ownCertificateState(system, HOST))?.error ?? '') ? true : null))
  const { length } = authority.asked
  assert.ok(length <= 2, 'the names and the host of our own, once each at most')

  const now = world.clock.now().getTime()
  await system.execute(SERVED_UNTIL, [id, new Date(now + DAY_MS)])
  await world.api.post(`${PATH}/${id}/verify`)
  await toldAt(await verified(world, 'go.two.example'))
  world.clock.advance(5 * HOUR_MS)
  await toldAt(await verified(world, 'go.three.example'))
  const served = await toldAt(id)
  assert.deepEqual([served.ssl_status, served.ssl_enabled], ['issued', true])
  assert.equal(authority.asked.length, length)

  authority.says = () => false
  world.clock.advance(HOUR_MS + 60_000)
  await until(async () => {
    const { body } = await world.api.get(`${PATH}/${id}`)
    return body.ssl_error === 'no order today' ? true : null
  })
})

test('a name that the authority rate-limits waits until the date it was given, and no other name does', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const endsAt = new Date(world.clock.now().getTime() + 5 * HOUR_MS)
  authority.says = (response, asked) => {
    if (asked !== '/order go.often.example') return false
    const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates for this name' }
    const date = new Date(world.clock.now().getTime()).toUTCString()
    response.writeHead(429, { 'retry-after': endsAt.toUTCString(), date }).end(JSON.stringify(problem))
    return true
  }
  const orders = (name: string): number => authority.asked.filter((asked) => asked === `/order ${name}`).length
  const id = await verified(world, 'go.often.example')
  const error = await until(async () => (await world.api.get(`${PATH}/${id}`)).body.ssl_error)
  assert.match(error, /^The certificate authority asks to wait until \S+: too many certificates for this name$/)
  assert.equal(orders('go.often.example'), 1)
  await world.api.post(`${PATH}/${id}/verify`)
  const other = await verified(world, 'go.other.example')
  await until(async () => (await world.api.get(`${PATH}/${other}`)).body.ssl_error)
  assert.deepEqual([orders('go.often.example'), orders('go.other.example')], [1, 1])
  world.clock.advance(5 * HOUR_MS - 60_000)
  await until(async () => (orders('go.other.example') > 1 ? true : null))
  assert.equal(orders('go.often.example'), 1)
  world.clock.advance(120_000)
  await until(async () => (orders('go.often.example') > 1 ? true : null))
})

test('an order that the authority leaves unanswered holds up the names of its account, and those of no other', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  authority.says = (_, asked) => asked === '/order go.silent.example'
  const isOrdered = (name: string): boolean => authority.asked.includes(`/order ${name}`)
  await verified(world, 'go.silent.example')
  await until(async () => (isOrdered('go.silent.example') ? true : null))
  await verified(world, 'go.next.example')
  for (const name of ['go.second.example', 'go.third.example']) {
    await verified(world, name, await world.newAccount())
    await until(async () => (isOrdered(name) ? true : null))
  }
  assert.equal(isOrdered('go.next.example'), false)
  const stopped = AbortSignal.timeout(20_000)
  await world.stop(stopped)
  assert.equal(stopped.aborted, false)
  const leased = await world.rooms.database.system.one(LEASED, [world.clock.now()])
  assert.equal(leased, null, 'a stop returns the lease of a running order')
})

const FAILED = statement(
  'test_failed_often',
  'update tracking_domain set ssl_failures = $2, ssl_due_at = $3, ssl_not_before = $4 where id = $1',
)
const HELD = statement(
  'test_held',
  `update tracking_domain set ssl_due_at = $2, ssl_failures = $3, ssl_error = $4, ssl_expires_at = $5, ssl_not_before = null
   where id = $1`,
)
const DUE = statement('test_ssl_due', 'select ssl_due_at as at from tracking_domain where id = $1')
const MINUTE_MS = 60_000

test('after many failures, a check by hand has a name ordered 15 minutes after the last one, or when the authority allows', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { system } = world.rooms.database
  const id = await verified(world, 'go.often.example')
  const orders = (): number => authority.asked.filter((asked) => asked === '/order go.often.example').length
  await until(async () =>
    orders() === 1 && (await world.api.get(`${PATH}/${id}`)).body.ssl_error !== null ? true : null,
  )
  const waits = async (failures: number, failedMinutesAgo: number, notBefore: number | null): Promise<number> => {
    const now = world.clock.now().getTime()
    const waitMs = Math.min(DAY_MS, MINUTE_MS * 2 ** (failures - 1))
    const due = new Date(now - failedMinutesAgo * MINUTE_MS + waitMs)
    const allowed = notBefore === null ? null : new Date(now + notBefore * MINUTE_MS)
    await system.execute(FAILED, [id, failures, due, allowed])
    await world.api.post(`${PATH}/${id}/verify`)
    const found = await system.one<{ at: Date }>(DUE, [id])
    return Math.round(((found?.at.getTime() ?? 0) - now) / MINUTE_MS)
  }
  assert.equal(await waits(8, 5, null), 10)
  assert.equal(await waits(40, 5, null), 10)
  assert.equal(await waits(8, 5, 30), 30)
  assert.equal(await waits(5, 1, null), 14)
  assert.equal(orders(), 1)
  await waits(8, 60, null)
  await until(async () => (orders() === 2 ? true : null))
})

test('a name that led elsewhere for a while is ordered when it would have been: its renewal, and the wait after failures', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { system } = world.rooms.database
  const [id, tried] = await Promise.all(['go.kept.example', 'go.tried.example'].map((name) => verified(world, name)))
  const shown = async (one = '') => (await world.api.get(`${PATH}/${one}`)).body
  for (const one of [id, tried]) await until(async () => (await shown(one)).ssl_error)
  const now = world.clock.now().getTime()
  const renewal = new Date(now + 40 * DAY_MS)
  const retry = new Date(now + DAY_MS)
  await system.execute(HELD, [id, renewal, 0, null, new Date(now + 70 * DAY_MS)])
  await system.execute(HELD, [tried, retry, 20, 'no order today', null])

  for (const [one = '', name = ''] of [
    [id, 'go.kept.example'],
    [tried, 'go.tried.example'],
  ]) {
    const { cname_target: target } = await shown(one)
    world.zones.declare({ [name]: { CNAME: ['elsewhere.example'] } })
    await world.api.post(`${PATH}/${one}/verify`)
    assert.deepEqual([(await shown(one)).is_verified, (await shown(one)).ssl_status], [false, 'none'])
    world.zones.declare({ [name]: { CNAME: [target] } })
    assert.equal((await world.api.post(`${PATH}/${one}/verify`)).body.verified, true)
  }
  const due = async (one = '') => (await system.one<{ at: Date }>(DUE, [one]))?.at
  assert.deepEqual(await due(id), renewal)
  // The check is by hand: 15 minutes after the last failure.
  assert.deepEqual(await due(tried), new Date(retry.getTime() - DAY_MS + 15 * MINUTE_MS))
  assert.deepEqual([(await shown(id)).ssl_enabled, (await shown(tried)).ssl_enabled], [true, false])
})

test('after failed orders, the operator has the certificate of the public URL ordered again at once', async () => {
  await using authority = await startAuthority()
  await using world = await certifiedWorld(authority.directory)
  const { database, config } = world.rooms
  const retry = trackingCommands.find(({ path }) => path.join(' ') === 'certificate retry')
  const run = (): Promise<void> | undefined => {
    const context = { ...world.operator, config, database, print: () => undefined } as unknown as CommandContext
    return retry?.run(context, {}, [])
  }
  const failures = async (): Promise<number> => (await ownCertificateState(database.system, HOST))?.failures ?? 0
  await until(async () => ((await failures()) === 1 ? true : null))
  await run()
  await until(async () => ((await failures()) === 2 ? true : null))
  const state = await ownCertificateState(database.system, HOST)
  assert.equal(state?.error, 'no order today')
  assert.ok(state.due_at > world.clock.now(), 'the wait begins again')
  await database.system.execute(OWN, [
    HOST,
    'a chain',
    Buffer.from('a key'),
    new Date(world.clock.now().getTime() + DAY_MS),
  ])
  await assert.rejects(async () => run(), { message: `the last order of a certificate for ${HOST} did not fail` })
})
