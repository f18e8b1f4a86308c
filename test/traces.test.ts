import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createLogger } from '../src/platform/log.ts'
import { rootOf, tracesOf } from '../src/platform/traces.ts'
import { startReceiver } from './world/receiver.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld } from './world/world.ts'

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
  readonly status: { readonly code?: number }
}

const ID = '01980000-0000-7000-8000-00000000cafe'
const log = createLogger('silent')
const span = { emailId: ID, startedAt: new Date(1_700_000_000_000), durationMs: 25, failed: false, attributes: {} }

/** A collector that keeps what it is sent, in OTLP's JSON. */
async function collector() {
  const spans: WireSpan[] = []
  const bodies: string[] = []
  const taken = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    bodies.push(Buffer.concat(chunks).toString())
    const { resourceSpans } = JSON.parse(bodies.at(-1) ?? '')
    assert.equal(request.url, '/v1/traces')
    spans.push(...resourceSpans[0].scopeSpans.flatMap((one: { spans: WireSpan[] }) => one.spans))
    response.setHeader('content-type', 'application/json').end('{}')
  }
  const server = http.createServer((request, response) => void taken(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { spans, bodies, endpoint, close: () => server.close().closeAllConnections() }
}

test('all spans of an email are in one trace, whose id derives from the email, below the span of its acceptance', async () => {
  const { spans, endpoint, close } = await collector()
  const one = tracesOf({ endpoint, share: 1, version: '1.2.3', log })
  const two = tracesOf({ endpoint, share: 1, version: '1.2.3', log })
  await one.service.start()
  await two.service.start()
  one.record({ ...span, name: 'accept', attributes: { recipients: 2 } })
  two.record({ ...span, name: 'attempt', failed: true, attributes: { number: 1, outcome: 'deferred' } })
  await one.service.stop(AbortSignal.timeout(60_000))
  await two.service.stop(AbortSignal.timeout(60_000))
  close()
  const [accept, attempt] = spans
  const root = rootOf(ID)
  assert.deepEqual([accept?.traceId, accept?.spanId], [root.traceId, root.spanId])
  assert.ok(accept?.parentSpanId === undefined || accept.parentSpanId === '')
  assert.deepEqual([attempt?.traceId, attempt?.parentSpanId], [root.traceId, root.spanId])
  assert.notEqual(attempt?.spanId, root.spanId)
  assert.equal(attempt?.status.code, 2)
  assert.equal(BigInt(accept?.endTimeUnixNano ?? 0) - BigInt(accept?.startTimeUnixNano ?? 0), 25_000_000n)
  assert.deepEqual(
    attempt?.attributes.map(({ key }) => key),
    ['posthorn.email_id', 'posthorn.number', 'posthorn.outcome'],
  )
})

test('without an endpoint nothing is loaded; an unreachable collector costs only the traces', async () => {
  const off = tracesOf({ endpoint: null, share: 1, version: '1', log })
  await off.service.start()
  off.record({ ...span, name: 'accept' })
  await off.service.stop(AbortSignal.timeout(1_000))
  const away = tracesOf({ endpoint: 'http://127.0.0.1:9', share: 1, version: '1', log })
  await away.service.start()
  for (let i = 0; i < 10_000; i++) away.record({ ...span, name: 'attempt' })
  const began = performance.now()
  await away.service.stop(AbortSignal.timeout(500))
  assert.ok(performance.now() - began < 30_000, 'a stop does not wait for it')
})

test('a share of all emails is traced, and every process picks the same ones', async () => {
  const { spans, endpoint, close } = await collector()
  const some = tracesOf({ endpoint, share: 0.5, version: '1', log })
  await some.service.start()
  const ids = ['7fffffff', '80000000', '00000000', 'ffffffff'].map((end) => `01980000-0000-7000-8000-0000${end}`)
  for (const emailId of ids) some.record({ ...span, emailId, name: 'accept' })
  await some.service.stop(AbortSignal.timeout(60_000))
  close()
  assert.deepEqual(
    spans.map(({ traceId }) => traceId.slice(-8)),
    ['7fffffff', '00000000'],
  )
})

test('a mail of the running service is one trace from acceptance to its webhook, and contains no address', async () => {
  const { spans, bodies, endpoint, close } = await collector()
  await using receiver = await startReceiver({})
  await using hooks = await webhookReceiver()
  const world = await startWorld({
    settings: { POSTHORN_SMTP_PORT: String(receiver.port), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
  })
  await world.verifiedDomain('sender.example')
  await world.api.post('/api/v1/customer/webhooks', { url: hooks.url, name: 'H', events: ['email.delivered'] })
  const mail = { from: 'jo@sender.example', to: 'someone@example.net', subject: 'secret words', text: 'secret words' }
  const { body } = await world.api.post('/api/v1/send', mail)
  const { traceId } = rootOf(body.data.email_id)
  const names = (): readonly string[] => spans.filter((one) => one.traceId === traceId).map(({ name }) => name)
  for (let tries = 0; tries < 2_400 && names().length < 3; tries++) await new Promise((done) => setTimeout(done, 25))
  await world[Symbol.asyncDispose]()
  close()
  assert.deepEqual(names().toSorted(), ['posthorn accept', 'posthorn attempt', 'posthorn webhook'])
  assert.doesNotMatch(bodies.join(''), /example\.net|sender\.example|secret words|@/)
})
