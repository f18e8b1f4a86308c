// A submission service on free ports with a real store behind it, and a client that speaks raw SMTP to it.

import { createHmac } from 'node:crypto'
import net from 'node:net'
import os from 'node:os'
import tls from 'node:tls'
import { parseMessage } from '../../src/mail/mime/parse.ts'
import { decodeContent, siteIds } from '../../src/modules/outbox/index.ts'
import { riskRoom } from '../../src/modules/risk/index.ts'
import {
  acceptance,
  type SenderDomainFacts,
  type SendingOptions,
  sendingOf,
  smtpSubmissionOf,
} from '../../src/modules/sending/index.ts'
import { type Clock, systemClock } from '../../src/platform/clock.ts'
import { connect, type Database, statement } from '../../src/platform/db.ts'
import { ApiError, platformErrors } from '../../src/platform/errors.ts'
import { largeTurns } from '../../src/platform/files/body-spool.ts'
import type { Principal } from '../../src/platform/http.ts'
import { systemIds } from '../../src/platform/ids.ts'
import { createLogger } from '../../src/platform/log.ts'
import { type Submission, type SubmissionOptions, submissionService } from '../../src/roles/submission.ts'
import { selfSigned } from './certificate.ts'
import { freshDb, freshDbOfToday } from './database.ts'

export const ACCOUNT = '018f0000-0000-7000-8000-000000000001'
export const USER = { username: 'smtp_user', password: 'secret' }
const DOMAINS = ['shop.example', 'other.example']

export interface StoredMail {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly tag: string | null
  readonly sandbox: boolean
  readonly message: string
}

export interface SubmissionWorld extends AsyncDisposable {
  readonly service: Submission
  readonly database: Database
  readonly port: number
  readonly tlsPort: number
  mails(): Promise<readonly StoredMail[]>
  /** A session logged in over implicit TLS, after EHLO. */
  session(): Promise<SmtpSession>
}

interface MailRow {
  readonly id: string
  readonly recipient: string
  readonly subject: string
  readonly tag: string | null
  readonly sandbox: boolean
  readonly content: Buffer
}

const selectMails = statement(
  'test_mails',
  `select e.id, e.recipient, e.subject, e.tag, e.sandbox, b.body as content
   from email e join email_body b on b.id = e.body_id order by e.id`,
)

/** Records how long refused log-ins must wait, and waits 25 ms at most. */
export function hastyClock(): Clock & { readonly sleptMs: number[] } {
  const real = systemClock()
  const sleptMs: number[] = []
  return {
    ...real,
    sleptMs,
    sleep: (ms, signal) => {
      sleptMs.push(ms)
      return real.sleep(Math.min(ms, 25), signal)
    },
  }
}

/** @param change `partitions`: whether the tables have the partitions for today's rows when the first message comes */
export async function submissionWorld({
  partitions = true,
  ...change
}: Partial<SubmissionOptions> & { readonly partitions?: boolean } = {}): Promise<SubmissionWorld> {
  const fresh = await (partitions ? freshDbOfToday() : freshDb())
  const database = connect({ url: fresh.url, onError: () => undefined })
  const clock = systemClock()
  const ids = systemIds()
  const risk = riskRoom({
    trapMac: (text) => createHmac('sha256', 'of the tests').update(text).digest(),
    monotonicMs: () => clock.monotonicMs(),
    onUnscored: (error) => console.error(error),
  })
  const sendingOptions: SendingOptions = {
    risk,
    database,
    clock,
    sandboxed: false,
    templateFiller: () => async () => {
      throw platformErrors.not_found()
    },
    acceptance: acceptance({
      database,
      clock,
      ids,
      sites: siteIds(database.system),
      quota: {
        consume: async (_, asks) => asks.map(({ count }) => count < 40),
        refund: async () => undefined,
        exceeded: async () => new ApiError(429, 'quota_exceeded', 'used up'),
      },
      risk,
      takesMail: () => true,
      fresh: null,
      onAccepted: () => undefined,
    }),
    lookups: {
      domain: async (_db, _accountId, name): Promise<SenderDomainFacts | null> => {
        const place = DOMAINS.indexOf(name)
        const settings = {
          trackingEnabled: null,
          openTrackingEnabled: null,
          clickTrackingEnabled: null,
          unsubscribeHeaderEnabled: null,
        }
        const id = `018f0000-0000-7000-8000-00000000000${place + 2}`
        return place < 0 ? null : { id, status: 'verified', isActive: true, settings }
      },
      account: async () => ({
        settings: {
          trackingEnabled: false,
          openTrackingEnabled: true,
          clickTrackingEnabled: true,
          unsubscribeHeaderEnabled: true,
        },
        policy: {
          blockDisposableEmails: false,
          enforceSenderVerification: true,
          disposableConfidenceThreshold: 80,
          plan: 'enterprise',
        } as never,
      }),
    },
  }
  const principal: Principal = { accountId: ACCOUNT, keyId: null, mode: 'live', scopes: ['full'], domainIds: null }
  const service = submissionService({
    spoolFolder: os.tmpdir(),
    turns: largeTurns(),
    host: '127.0.0.1',
    starttlsPorts: [0],
    implicitTlsPorts: [0],
    hostname: 'mail.test',
    certificate: selfSigned({ names: ['mail.test'] }),
    sending: smtpSubmissionOf({ ...sendingOptions, ids, readMessage: parseMessage }, sendingOf(sendingOptions)),
    clock,
    log: createLogger('silent'),
    rateLimits: true,
    authenticate: async ({ username, password }) =>
      username === USER.username && password === USER.password ? { kind: 'ok', principal } : { kind: 'refused' },
    takeRate: async () => null,
    disk: { hasRoom: () => true, takesMail: () => true },
    ...change,
  })
  await service.start()
  const { starttls, implicitTls } = service.ports()
  const tlsPort = implicitTls[0] ?? 0
  return {
    service,
    database,
    port: starttls[0] ?? 0,
    tlsPort,
    mails: async () => {
      const rows = await database.system.query<MailRow>(selectMails, [])
      return rows.map(({ content, ...row }) => {
        const decoded = decodeContent(content)
        return { ...row, message: decoded.kind === 'submitted' ? decoded.message.toString('latin1') : '' }
      })
    },
    session: async () => {
      const session = await smtpSession(tlsPort, { secure: true })
      await session.ask('EHLO client.test')
      await session.ask(`AUTH PLAIN ${plain(USER.username, USER.password)}`)
      return session
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop(AbortSignal.timeout(2_000))
      await database.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

export function plain(username: string, password: string, authzid = ''): string {
  return Buffer.from(`${authzid}\0${username}\0${password}`).toString('base64')
}

export interface SmtpSession {
  /** Sends one line and returns its whole reply, lines joined by LF; '' when the connection has closed. */
  ask(line: string): Promise<string>
  /** Sends bytes as they are. */
  write(bytes: string | Buffer): void
  /** The next reply; '' when the connection has closed. */
  reply(): Promise<string>
  /** Upgrades to TLS. @returns the server's certificate, DER */
  secure(): Promise<Buffer>
  /** Everything that comes until the server closes or `ms` have passed. */
  rest(ms: number): Promise<string>
  close(): void
}

/** @param options `localAddress`: the client address that the server sees; `greeted`: whether to wait for the greeting */
export async function smtpSession(
  port: number,
  {
    secure = false,
    localAddress = '127.0.0.1',
    greeted = true,
  }: { secure?: boolean; localAddress?: string; greeted?: boolean } = {},
): Promise<SmtpSession> {
  const where = { port, host: '127.0.0.1', localAddress }
  // tls.connect would not pass on the local address.
  let socket: net.Socket = net.connect(where)
  if (secure) socket = tls.connect({ socket, rejectUnauthorized: false })
  socket.setNoDelay(true)
  let text = ''
  let closed = false
  let wake = (): void => undefined
  const listen = (): void => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      closed = true
      wake()
    })
  }
  listen()
  const changed = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const reply = async (): Promise<string> => {
    for (let turns = 0; ; turns++) {
      const end = /^\d{3}(?: .*)?\r\n/m.exec(text)
      if (end !== null) {
        const whole = text.slice(0, end.index + end[0].length)
        text = text.slice(whole.length)
        return whole.trimEnd().replaceAll('\r\n', '\n')
      }
      if (closed || turns > 1_000) return ''
      await changed(10_000)
    }
  }
  const session: SmtpSession = {
    reply,
    write: (bytes) => {
      socket.write(bytes)
    },
    ask: (line) => {
      socket.write(`${line}\r\n`)
      return reply()
    },
    secure: () =>
      new Promise((resolve, reject) => {
        socket.removeAllListeners()
        const secured = tls.connect({ socket, rejectUnauthorized: false }, () =>
          resolve(secured.getPeerCertificate().raw),
        )
        socket = secured
        socket.once('error', reject)
        listen()
      }),
    rest: async (ms) => {
      const until = performance.now() + ms
      while (!closed && performance.now() < until) await changed(until - performance.now())
      return text
    },
    close: () => socket.destroy(),
  }
  if (greeted) await reply()
  return session
}

/** Sends a mail from the null sender, as reports come. @returns the reply to RCPT when it refuses, else that to the final dot */
export async function mailFromNobody(port: number, to: string, message: string): Promise<string> {
  const session = await smtpSession(port)
  await session.ask('EHLO mx.example.net')
  await session.ask('MAIL FROM:<>')
  let last = await session.ask(`RCPT TO:<${to}>`)
  if (last.startsWith('250')) {
    await session.ask('DATA')
    last = await session.ask(`${message}\r\n.`)
  }
  session.close()
  return last
}
