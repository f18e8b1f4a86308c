// Kill -9 of submission and of the inbound MX at each step of DATA. What was answered 250 is stored once. What was not is
// absent or stored once, and it is one email, or one report, when it is handed in again after the restart.
//
// DATA_KILLS=all: every step at each door, instead of three of them.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { statement } from '../src/platform/db.ts'
import { type DatabaseProxy, databaseProxy, type SeenStatement } from './world/database-proxy.ts'
import { type Receiver, startReceiver } from './world/receiver.ts'
import { plain, type SmtpSession, smtpSession } from './world/submission.ts'
import { startWorld, type World } from './world/world.ts'

const WITHIN_MS = 60_000
const EMAILS = statement('test_emails', 'select count(*)::int as count from email where recipient = $1')
const REPORTS = statement('test_reports', 'select count(*)::int as count from inbound_report where local_part = $1')
const QUEUED = statement('test_queued', 'select count(*)::int as count from queue')

/** How far the client is when the process is killed. */
const STEPS = ['asked', 'in the body', 'before the dot', 'before the commit', 'after the commit', 'answered'] as const
type Step = (typeof STEPS)[number]
type Door = 'submission' | 'mx'

const FEW: readonly (readonly [Step, readonly Door[]])[] = [
  ['in the body', ['submission', 'mx']],
  ['after the commit', ['mx']],
  ['answered', ['submission', 'mx']],
]
const ALL: typeof FEW = STEPS.flatMap((step): typeof FEW =>
  step.endsWith('commit')
    ? [
        [step, ['submission']],
        [step, ['mx']],
      ]
    : [[step, ['submission', 'mx']]],
)
const KILLS = process.env['DATA_KILLS'] === 'all' ? ALL : FEW

const isStored =
  (door: Door) =>
  ({ name, transaction }: SeenStatement): boolean =>
    door === 'mx' ? name === 'bounces_keep_report' : name === 'commit' && transaction.includes('outbox_add_emails')

/** Submission and the MX in a process of their own, which is killed and restarted; everything else runs in this one. */
class Doors {
  readonly #env: Record<string, string>
  ports: Readonly<Record<Door, number>> = { mx: 0, submission: 0 }
  #child: ChildProcess | null = null

  constructor(env: Record<string, string>) {
    this.#env = env
  }

  /** Takes ports that are free at the time: those of the previous process may have been taken. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'world', 'worker-process.ts')], {
      env: {
        ...this.#env,
        POSTHORN_MX_PORT: '0',
        POSTHORN_SUBMISSION_TLS_PORT: '0',
        POSTHORN_SUBMISSION_PORT: '0',
        POSTHORN_HTTP_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    const [said] = (await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('it did not start'))),
    ])) as [Buffer]
    this.ports = JSON.parse(said.toString().replace(/^ready /, '')) as Record<Door, number>
  }

  kill(): void {
    this.#child?.kill('SIGKILL')
  }

  async ended(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit')
  }
}

interface Fixture extends AsyncDisposable {
  readonly world: World
  readonly mx: Receiver
  readonly proxy: DatabaseProxy
  readonly doors: Doors
  open(door: Door): Promise<SmtpSession>
}

async function fixture(): Promise<Fixture> {
  const stack = new AsyncDisposableStack()
  const mx = stack.use(await startReceiver())
  const world = stack.use(
    await startWorld({
      zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
      settings: { POSTHORN_SMTP_PORT: String(mx.port) },
    }),
  )
  await world.verifiedDomain('shop.example')
  const proxy = stack.use(await databaseProxy(world.rooms.store.adminUrl))
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-doors-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const { hostname, secretKey } = world.rooms.config
  const doors = new Doors({
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: proxy.url,
    POSTHORN_ROLES: 'submission,mx',
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_HOSTNAME: hostname,
    POSTHORN_SECRET_KEY: secretKey ?? '',
    POSTHORN_ALLOW_PRIVATE_NETWORKS: 'true',
    POSTHORN_RATE_LIMITS: 'off',
    POSTHORN_LOG_LEVEL: 'silent',
  })
  stack.defer(() => {
    doors.kill()
    return doors.ended()
  })
  const open = async (door: Door): Promise<SmtpSession> => {
    const session = await smtpSession(doors.ports[door], { secure: door === 'submission' })
    assert.match(await session.ask('EHLO client.test'), /^250/)
    if (door === 'submission') {
      assert.match(await session.ask(`AUTH PLAIN ${plain('apikey', world.account.apiKey)}`), /^235/)
    }
    return session
  }
  const owned = stack.move()
  return { world, mx, proxy, doors, open, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = AbortSignal.timeout(WITHIN_MS)
  while (!(await holds())) {
    if (deadline.aborted) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A message for one door, and how often it is stored. */
interface Piece {
  readonly door: Door
  readonly from: string
  readonly to: string
  readonly message: string
  stored(): Promise<number>
}

async function mailTo({ world }: Fixture, to: string): Promise<Piece> {
  const head = `From: a@shop.example\r\nTo: ${to}\r\nSubject: s\r\nX-Idempotency-Key: ${to}\r\n`
  return {
    door: 'submission',
    from: 'a@shop.example',
    to,
    message: `${head}\r\none line\r\n${'and another\r\n'.repeat(200)}`,
    stored: async () => (await world.rooms.database.system.one<{ count: number }>(EMAILS, [to]))?.count ?? Number.NaN,
  }
}

/** A report that a delivered mail has bounced. */
async function reportOn({ world, mx }: Fixture, recipient: string): Promise<Piece> {
  const mail = { from: 'a@shop.example', to: recipient, subject: 's', text: 't' }
  assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  const isIt = ({ recipients: [first] }: { recipients: readonly string[] }): boolean => first === recipient
  await until(`${recipient} has it`, () => mx.messages.some(isIt))
  const to = mx.messages.find(isIt)?.from ?? ''
  const words = `<${recipient}>:\r\n550 5.1.1 <${recipient}>: no such user\r\n`
  return {
    door: 'mx',
    from: '',
    to,
    message: `From: MAILER-DAEMON@x\r\nSubject: failure notice\r\n\r\n${words}${'--- \r\n'.repeat(200)}`,
    stored: async () =>
      (await world.rooms.database.system.one<{ count: number }>(REPORTS, [to.split('@')[0]]))?.count ?? Number.NaN,
  }
}

/** Sends the message up to the given step and kills there. @returns the reply to it; '': none */
async function handInUpTo(
  step: Step,
  { proxy, doors, open }: Fixture,
  piece: Piece,
  kill: () => void,
): Promise<string> {
  const session = await open(piece.door)
  try {
    for (const line of [`MAIL FROM:<${piece.from}>`, `RCPT TO:<${piece.to}>`])
      assert.match(await session.ask(line), /^250/, line)
    assert.match(await session.ask('DATA'), /^354/)
    if (step === 'in the body') session.write(piece.message.slice(0, piece.message.length / 2))
    if (step === 'before the dot') session.write(piece.message)
    if (!step.endsWith('commit') && step !== 'answered') {
      kill()
      return await session.reply()
    }
    proxy.fault = (seen) => {
      if (!step.endsWith('commit') || !isStored(piece.door)(seen)) return null
      doors.kill()
      return step === 'before the commit' ? 'before' : null
    }
    session.write(`${piece.message}.\r\n`)
    const said = await session.reply()
    if (step === 'answered') kill()
    return said
  } finally {
    session.close()
  }
}

test('at whatever step of DATA a process dies, what was answered 250 is stored once, and the rest when it is sent again', async () => {
  await using h = await fixture()
  const { world, mx, proxy, doors, open } = h
  await doors.start()
  const pieces: Piece[] = []
  for (const [n, [step, at]] of KILLS.entries()) {
    const own = await Promise.all(
      at.map((door) => (door === 'mx' ? reportOn(h, `back${n}@example.net`) : mailTo(h, `out${n}@example.net`))),
    )
    pieces.push(...own)
    let left = own.length
    const kill = (): void => {
      if (--left === 0) doors.kill()
    }
    const said = await Promise.all(own.map((piece) => handInUpTo(step, h, piece, kill)))
    await doors.ended()
    proxy.fault = () => null
    for (const [i, piece] of own.entries()) {
      assert.match(said[i] ?? '', step === 'answered' ? /^250 / : /^$/, `${piece.door}, ${step}`)
      const count = step === 'answered' || step === 'after the commit' ? 1 : 0
      await until(`${piece.door}, ${step}: stored ${count} times`, async () => (await piece.stored()) === count)
    }
    await doors.start()
  }
  for (const piece of pieces) {
    const session = await open(piece.door)
    for (const line of [`MAIL FROM:<${piece.from}>`, `RCPT TO:<${piece.to}>`]) await session.ask(line)
    assert.match(await session.ask('DATA'), /^354/)
    assert.match(await session.ask(`${piece.message}.`), /^250 /)
    session.close()
    assert.equal(await piece.stored(), 1, piece.to)
  }
  const { system } = world.rooms.database
  await until('all is sent', async () => (await system.one<{ count: number }>(QUEUED))?.count === 0)
  for (const { door, to } of pieces) {
    if (door === 'submission') assert.equal(mx.messages.filter(({ recipients: [first] }) => first === to).length, 1, to)
  }
  const reported = pieces.filter(({ door }) => door === 'mx').length
  const bounces = async (): Promise<number> => (await world.api.get('/api/v1/customer/bounces')).body.data.length
  let looks = 0
  await until('all reports are read', async () => {
    // A report that a reader held when it died becomes free a minute later.
    if (++looks % 50 === 0) world.clock.advance(61_000)
    return (await bounces()) >= reported
  })
  assert.equal(await bounces(), reported)
})
