// What the worst content does to everyone else: how long it blocks the event loop of the serving process.
//
//   npm run bench -- worst [--mb 1] [--only WORDS]
//
// Posthorn runs with all roles and its own store. One account submits one hostile content after another, by REST, submission and
// the MX, while another sends a small email every 50 ms. For each it shows the longest block of the event loop from the first
// byte until the email has ended (`/metrics`), the slowest send of the other account, and the answer. Fails when the loop was
// blocked for a second, or its 99th percentile over the whole run is above 100 ms, or the other account was refused.

import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { scratch, waitFor } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { logIn } from '../test/world/large.ts'
import { smtpSession } from '../test/world/submission.ts'
import { commandLine } from './fixture-options.ts'
import { hostileBodies, hostileCommands, hostileHtml, hostileMails } from './fixture-worst.ts'

const { mb: MB, only: ONLY } = commandLine({ mb: 1, only: '' })
const EVERY_MS = 50
const MOST_MS = 1_000
const MOST_P99_MS = 100
const CONNECTIONS = 20
const PIPELINED_MS = 3_000
const SMALL = { from: 'a@x.example', to: 'b@dest.example', subject: 's', text: 't' }

await using folder = await scratch('bench-worst')
const LOOP = path.join(folder.path, 'loop.json')
await using posthorn = await startPosthorn(folder.path, {
  POSTHORN_RATE_LIMITS: 'off',
  POSTHORN_LOG_LEVEL: 'error',
  POSTHORN_HOSTNAME: 'mail.posthorn.test',
  NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'fixture-loop.mjs')}`,
  BENCH_LOOP: LOOP,
})
const { test_api_key: hostile } = await posthorn.account()
const { test_api_key: other } = await posthorn.account()

/** The longest block since the last call, in milliseconds beyond the 10 ms of the sampling interval. */
async function stoodStill(): Promise<number> {
  const text = await (await fetch(`${posthorn.url}/metrics`)).text()
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)$/m.exec(text)?.[1] ?? 0)
  return Math.max(0, Math.round(seconds * 1_000 - 10))
}

let slowest = 0
const failed: number[] = []
const ended = new AbortController()
const bystander = (async () => {
  while (!ended.signal.aborted) {
    const began = performance.now()
    const { status } = await posthorn.call(other, 'POST', '/api/v1/send', SMALL)
    if (status !== 202) failed.push(status)
    slowest = Math.max(slowest, performance.now() - began)
    await delay(EVERY_MS)
  }
})()

async function settled(): Promise<void> {
  const path = '/api/v1/emails?limit=1&status=queued,deferred'
  await waitFor('the mail', async () => (await posthorn.call(hostile, 'GET', path)).body.pagination.total === 0, 60_000)
}

interface Figure {
  readonly what: string
  readonly max: number
  readonly other: number
  readonly answer: string
}
const figures: Figure[] = []

async function measure(what: string, work: () => Promise<string>): Promise<void> {
  if (!what.includes(ONLY)) return
  slowest = 0
  await stoodStill()
  const answer = (await work().catch((error: Error) => error.message)).slice(0, 60)
  await settled()
  const figure = { what, max: await stoodStill(), other: Math.round(slowest), answer }
  figures.push(figure)
  console.log(`${String(figure.max).padStart(6)} ${String(figure.other).padStart(6)}  ${what}  ${answer}`)
}

async function post(path: string, body: string | object): Promise<string> {
  const { status, body: said } = await posthorn.call(hostile, 'POST', path, body)
  return `${status} ${said.code ?? ''}`
}

/** Also reads the message as the inbox shows it. */
async function readBack(): Promise<string> {
  const { data } = (await posthorn.call(hostile, 'GET', '/api/v1/inbox?limit=1')).body
  if (data.length === 0) return ''
  const { status } = await posthorn.call(hostile, 'GET', `/api/v1/inbox/${data[0].id}`)
  const { status: page } = await posthorn.call(hostile, 'GET', `/api/v1/inbox/${data[0].id}/preview`)
  await posthorn.call(hostile, 'DELETE', '/api/v1/inbox')
  return ` read ${status} ${page}`
}

async function submit(port: number, to: string, message: Buffer): Promise<string> {
  const session =
    port === Number(posthorn.env['POSTHORN_MX_PORT']) ? await smtpSession(port) : await logIn(port, hostile)
  try {
    await session.ask('EHLO x.example')
    for (const line of ['MAIL FROM:<a@x.example>', `RCPT TO:<${to}>`, 'DATA']) {
      const said = await session.ask(line)
      if (!/^[23]/.test(said)) return said
    }
    session.write(message)
    return await session.ask('\r\n.')
  } finally {
    session.close()
  }
}

/** Sends without end over as many connections as one address may have, and reads the replies. */
async function pipeline(port: number, first: string, piece: string): Promise<string> {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
  const sockets = Array.from({ length: CONNECTIONS }, () => connect({ port, host: '127.0.0.1' }))
  let bytes = 0
  for (const socket of sockets) {
    const send = (): void => {
      while (!socket.destroyed && socket.write(block));
    }
    socket.on('error', () => undefined).on('data', (chunk) => (bytes += chunk.length))
    // The greeting comes first: who talks before it is refused.
    socket.once('data', () => {
      socket.write(first)
      // The reply to DATA is waited for.
      setTimeout(() => socket.on('drain', send) && send(), 200)
    })
  }
  await delay(PIPELINED_MS)
  for (const socket of sockets) socket.destroy()
  return `${bytes} bytes of replies`
}

const SUBMISSION = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
const MX = Number(posthorn.env['POSTHORN_MX_PORT'])
console.log('   max  other')
for (let n = 0; n < 40; n++) await post('/api/v1/send', SMALL)
await measure('nothing', async () => post('/api/v1/send', SMALL))
for (const [name, text] of hostileHtml(MB * 1_048_576)) {
  const mail = { ...SMALL, html: text, text, tracking_enabled: true }
  await measure(`send, html and text: ${name}`, async () => {
    const answer = await post('/api/v1/send', mail)
    await settled()
    return answer + (await readBack())
  })
  await measure(`risk preview: ${name}`, () => post('/api/v1/risk/preview', { ...SMALL, html: text, text }))
  await measure(`content score: ${name}`, () => post('/api/v1/content-score', { subject: 's', html: text, text }))
}
for (const [name, path, body] of hostileBodies()) await measure(`${path}: ${name}`, () => post(path, body))
for (const [name, first, piece] of hostileCommands()) {
  await measure(`MX, pipelined: ${name}`, () => pipeline(MX, first, piece))
}
for (const [name, message] of hostileMails()) {
  await measure(`submission: ${name}`, async () => {
    const answer = await submit(SUBMISSION, 'b@dest.example', message)
    await settled()
    return answer + (await readBack())
  })
  for (const to of ['fbl', 'postmaster', 'tlsrpt']) {
    await measure(`MX, ${to}@: ${name}`, async () => {
      const answer = await submit(MX, `${to}@mail.posthorn.test`, message)
      // Reports are read later, one after the other.
      await delay(3_000)
      return answer
    })
  }
}
ended.abort()
await bystander
await posthorn.stop()
const { p99 } = JSON.parse(await readFile(LOOP, 'utf8')) as { readonly p99: number }
const worst = figures.toSorted((a, b) => b.max - a.max)
const maxMs = worst[0]?.max ?? 0
const otherMs = Math.max(...figures.map(({ other }) => other))
console.table(worst.slice(0, 15))
console.log(JSON.stringify({ cases: figures.length, maxMs, p99Ms: p99, otherMs, otherRefused: failed.length }))
if (maxMs >= MOST_MS || p99 >= MOST_P99_MS || failed.length > 0) process.exitCode = 1
