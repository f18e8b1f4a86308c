// Durable SMTP submissions: how many a second on persistent connections, and the latency at a given rate.
//
//   npm run bench -- submission [--messages 9000] [--warm 20000] [--connections 64] [--rate 500] [--seconds 10]
//
// Posthorn runs with its own store (fsync on) and the roles api and submission; messages of 1 KB with a test key, TLS
// throughout, each answered 250 after its commit. The client runs on the same machine and takes its share of the cores.
//
// Three figures: `cold`, for the first --messages after half as many that are not counted, while V8 still compiles; `perSecond`,
// for as many again after --warm more; and `apart`, for a third as many that each have a connection of their own with its log-in.

import { setTimeout as delay } from 'node:timers/promises'
import { scratch } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { plain, type SmtpSession, smtpSession } from '../test/world/submission.ts'
import { smtpLoad } from './fixture-load.ts'
import { commandLine } from './fixture-options.ts'

const {
  messages: MESSAGES,
  warm: WARM,
  connections: CONNECTIONS,
  rate: RATE,
  seconds: SECONDS,
} = commandLine({ messages: 9_000, warm: 20_000, connections: 64, rate: 500, seconds: 10 })
const LINE = `${'x'.repeat(76)}\r\n`
const MESSAGE = `From: Shop <a@shop.example>\r\nTo: b@example.net\r\nSubject: hello\r\n\r\n${LINE.repeat(12)}.`

async function logIn(port: number, key: string): Promise<SmtpSession> {
  const session = await smtpSession(port, { secure: true })
  await session.ask('EHLO bench.test')
  const answer = await session.ask(`AUTH PLAIN ${plain('apikey', key)}`)
  if (!answer.startsWith('235')) throw new Error(answer)
  return session
}

/** @returns milliseconds from MAIL to 250 */
async function submit(session: SmtpSession, recipient: string): Promise<number> {
  const began = performance.now()
  session.write(`MAIL FROM:<a@shop.example>\r\nRCPT TO:<${recipient}>\r\nDATA\r\n`)
  const answers = [await session.reply(), await session.reply(), await session.reply(), await session.ask(MESSAGE)]
  if (answers.at(-1)?.startsWith('250 2.0.0 queued as ') !== true) throw new Error(answers.join(' | '))
  return performance.now() - began
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10
}

/** Messages a second: of a process that has just started, and of the same one later. */
async function throughput(port: number, key: string): Promise<{ readonly cold: number; readonly perSecond: number }> {
  const message = Buffer.from(MESSAGE.slice(0, -1))
  const to = (number: number): string => `b${number}@example.net`
  const load = await smtpLoad({ port, key, from: 'a@shop.example', to, message }, CONNECTIONS)
  const timed = async (): Promise<number> => {
    const began = performance.now()
    await load.send(MESSAGES)
    return Math.round((MESSAGES * 1_000) / (performance.now() - began))
  }
  await load.send(MESSAGES / 2)
  const cold = await timed()
  await load.send(WARM)
  const perSecond = await timed()
  load.close()
  return { cold, perSecond }
}

/** Messages a second when each opens a connection, as programs do that send one now and then. */
async function throughputApart(port: number, key: string): Promise<number> {
  let left = Math.ceil(MESSAGES / 3)
  const began = performance.now()
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const session = await logIn(port, key)
      await submit(session, `s${left}@example.net`)
      await session.ask('QUIT')
      session.close()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS / 2 }, work))
  return Math.round((Math.ceil(MESSAGES / 3) * 1_000) / (performance.now() - began))
}

/** Messages start on schedule, whatever became of earlier ones; one that finds no free session waits for it. */
async function latencies(sessions: readonly SmtpSession[]): Promise<readonly number[]> {
  const free = [...sessions]
  const waiting: ((session: SmtpSession) => void)[] = []
  const began = performance.now()
  const one = async (number: number): Promise<number> => {
    const due = began + (number / RATE) * 1_000
    await delay(Math.max(0, due - performance.now()))
    const session = free.pop() ?? (await new Promise<SmtpSession>((resolve) => void waiting.push(resolve)))
    await submit(session, `l${number}@example.net`)
    const next = waiting.shift()
    if (next === undefined) free.push(session)
    else next(session)
    return performance.now() - due
  }
  return Promise.all(Array.from({ length: RATE * SECONDS }, (_, number) => one(number)))
}

await using folder = await scratch('bench-submission')
await using posthorn = await startPosthorn(folder.path, {
  POSTHORN_ROLES: 'api,submission',
  POSTHORN_RATE_LIMITS: 'off',
})
const { api_key: live, test_api_key: key } = await posthorn.account()
await posthorn.call(live, 'POST', '/api/v1/customer/domains', { domain: 'shop.example' })
const port = Number(posthorn.env['POSTHORN_SUBMISSION_TLS_PORT'])
const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => logIn(port, key)))
await Promise.all(sessions.map((session) => submit(session, 'warm@example.net')))
const rates = await throughput(port, key)
const apart = await throughputApart(port, key)
const times = await latencies(sessions)
const figures = { ...rates, apart, rate: RATE, p50: percentile(times, 0.5), p99: percentile(times, 0.99) }
console.table(figures)
console.log(JSON.stringify(figures))
for (const session of sessions) session.close()
