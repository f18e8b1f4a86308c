import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { databaseHeartbeat } from './database-heartbeat.ts'

test('requests under way when the database stops answering get 503, and later ones get it at once', async () => {
  const silent = net.createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as net.AddressInfo
  const heartbeat = databaseHeartbeat(`postgres://nobody@127.0.0.1:${port}/none`, () => undefined)
  assert.equal(await heartbeat.whileBeating(async () => 7), 7)
  await assert.rejects(
    heartbeat.whileBeating(async () => Promise.reject(new Error('its own fault'))),
    /its own fault/,
  )
  const late = Promise.withResolvers<string>()
  const waiting = heartbeat.whileBeating(() => late.promise)
  const writing = heartbeat.whileBeating(() => late.promise, true)
  const told = assert.rejects(writing, { code: 'service_unavailable', status: 503, details: { outcome: 'unknown' } })
  await heartbeat.start()
  await assert.rejects(waiting, { code: 'service_unavailable', status: 503, details: {} })
  await told
  late.reject(new Error('nobody waits for it any more'))
  await assert.rejects(
    heartbeat.whileBeating(async () => 7),
    { code: 'service_unavailable', details: {} },
  )
  await assert.rejects(
    heartbeat.whileBeating(async () => 7, true),
    { code: 'service_unavailable', details: {} },
  )
  await heartbeat.stop(AbortSignal.timeout(5_000))
  silent.close()
})
