// SMTP submission (RFC 6409): a client logs in inside TLS, and each message is answered 250 when it has been committed.
//
// A client that loses the connection before the 250 does not know the result and sends again; X-Idempotency-Key makes that one
// email. A process that dies has stored every message that it answered 250, and none in part.
//
// In a long session the log-in is checked again at the next message, so that a rotated password or a suspended account also
// affects open connections. Guesses from the same address meanwhile do not end the session.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { SMTPServerAuthentication, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { type Address, FAULT_WORDS, parseAddress } from '../mail/address.ts'
import { formatDate } from '../mail/mime/headers.ts'
import { type SmtpSubmission, sendingLimits } from '../modules/sending/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { ApiError } from '../platform/errors.ts'
import type { Turns } from '../platform/files/body-spool.ts'
import type { MailRoom } from '../platform/files/disk.ts'
import type { Principal } from '../platform/http.ts'
import type { Service } from '../platform/lifecycle.ts'
import type { Logger } from '../platform/log.ts'
import type { Certificate } from '../platform/network/certificates.ts'
import { loginFailures } from './login-failures.ts'
import { type LockedOut, loginLockout } from './login-lockout.ts'
import { incomingMessages } from './submission-messages.ts'
import { type Patience, SubmissionServer } from './submission-protocol.ts'
import { isHungUp, Reply, replyOf, unavailable } from './submission-replies.ts'

/** The answer of accounts to a user name and password. */
export type Login =
  | { readonly kind: 'ok'; readonly principal: Principal }
  | { readonly kind: 'refused' }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'throttled' }

export interface SubmissionOptions {
  readonly host: string
  /** 0: any free port. */
  readonly starttlsPorts: readonly number[]
  readonly implicitTlsPorts: readonly number[]
  readonly hostname: string
  readonly certificate: Certificate
  readonly sending: SmtpSubmission
  readonly clock: Clock
  readonly log: Logger
  /** False: neither connections nor failed log-ins are counted (load tests). */
  readonly rateLimits: boolean
  /** Rejects when the store does not answer. */
  readonly authenticate: (login: { username: string; password: string; ip: string }) => Promise<Login>
  /** Counts one message against the rate of the account or key. @returns the refusal; null: go on */
  readonly takeRate: (principal: Principal) => Promise<ApiError | null>
  /** Whether there is room for another message, and for a large one. */
  readonly disk: MailRoom
  /** Where large messages are kept until their turn comes. */
  readonly spoolFolder: string
  readonly turns: Turns
  /** Default: five minutes for a command, two for slow data. */
  readonly patience?: Patience
}

export interface SubmissionPorts {
  readonly starttls: readonly number[]
  readonly implicitTls: readonly number[]
}

export interface Submission extends Service {
  /** The open ports, in the order of the options. */
  ports(): SubmissionPorts
  /** Uses a renewed certificate for new connections. */
  useCertificate(certificate: Certificate): void
}

/** In sessions, and again in TLS handshakes. */
const MAX_CONNECTIONS_PER_ADDRESS = 50
/** RFC 5321 section 4.5.3.2.7. */
const IDLE_MS = 300_000
const RECHECK_LOGIN_MS = 4_000
const STOP_POLL_MS = 25
const { MAX_MESSAGE_BYTES, MAX_RECIPIENTS } = sendingLimits

/** A logged-in session. */
interface User {
  readonly username: string
  readonly password: string
  principal: Principal
  checkedAtMs: number
  /** Why live mail may not be sent from the domain of MAIL. Whether it matters depends on `X-Sandbox` and the recipients. */
  senderFault: ApiError | null
}

export function submissionService(options: SubmissionOptions): Submission {
  const { clock, log } = options
  const stopping = new AbortController()
  const talk = conversation(options, stopping.signal)
  const underWay = new Set<Promise<unknown>>()
  const servers: SubmissionServer[] = []

  /** Runs a handler and passes its result to the library. `stop` waits for tracked handlers. */
  const handle = <T>(work: Promise<T>, done: (error: Error | null, value?: T) => void): void => {
    const tracked = work
      .then(
        (value) => done(null, value),
        (error: unknown) => {
          const reply = replyOf(error)
          if (reply === null && !isHungUp(error)) log.error({ err: error }, 'a submission failed')
          if (reply?.cause !== undefined) log.warn({ err: reply.cause }, 'a large message could not be kept')
          done(reply ?? unavailable())
        },
      )
      .catch((error: unknown) => log.error({ err: error }, 'a submission could not be answered'))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }
  const isBelowLimit = (countOf: (server: SubmissionServer) => number): boolean =>
    !options.rateLimits || servers.reduce((sum, server) => sum + countOf(server), 0) < MAX_CONNECTIONS_PER_ADDRESS
  const serverOf = (secure: boolean): SubmissionServer => {
    const server = new SubmissionServer(
      {
        ...options.certificate,
        secure,
        minVersion: 'TLSv1.2',
        name: options.hostname,
        heloResponse: '%s at your service',
        size: MAX_MESSAGE_BYTES,
        maxRecipients: MAX_RECIPIENTS,
        authMethods: ['PLAIN', 'LOGIN'],
        authRequiredMessage: '5.7.0 log in first, over TLS',
        hideENHANCEDSTATUSCODES: false,
        disableReverseLookup: true,
        socketTimeout: IDLE_MS,
        onAuth: (auth, session, done) =>
          handle(talk.authenticate(auth, session), (error, user) => done(error, user === undefined ? {} : { user })),
        onMailFrom: ({ address }, session, done) => handle(talk.mailFrom(address, session), done),
        onRcptTo: ({ address }, session, done) => handle(talk.rcptTo(address, session), done),
        onData: (stream, session, done) => handle(talk.data(stream, session), done),
      },
      {
        mayConnect: (ip) => isBelowLimit((one) => one.countFrom(ip)),
        mayHandshake: (ip) => isBelowLimit((one) => one.handshakesFrom(ip)),
        patience: options.patience,
      },
    )
    // Broken connections and failed handshakes are not our fault.
    server.on('error', (error) => log.debug({ err: error }, 'a submission connection broke'))
    servers.push(server)
    return server
  }
  const starttls = options.starttlsPorts.map((port) => ({ port, server: serverOf(false) }))
  const implicitTls = options.implicitTlsPorts.map((port) => ({ port, server: serverOf(true) }))

  return {
    name: 'submission',
    settings: ['POSTHORN_SUBMISSION_PORT', 'POSTHORN_SUBMISSION_TLS_PORT', 'POSTHORN_BIND'],
    ports: () => ({ starttls: starttls.map(portOf), implicitTls: implicitTls.map(portOf) }),
    useCertificate: ({ key, cert }) => {
      for (const server of servers) server.updateSecureContext({ key, cert })
    },
    start: async () => {
      await Promise.all([...starttls, ...implicitTls].map(({ server, port }) => listen(server, port, options.host)))
    },
    stop: async (deadline) => {
      stopping.abort()
      const closed = Promise.all(servers.map(close))
      const busy = (): number => servers.reduce((sum, server) => sum + server.dismissIdle(), 0)
      while (busy() > 0 && !deadline.aborted) await clock.sleep(STOP_POLL_MS, deadline).catch(() => undefined)
      await Promise.race([Promise.all(underWay), aborted(deadline)])
      for (const server of servers) for (const connection of server.connections) connection.close()
      await Promise.race([closed, aborted(deadline)])
    },
  }
}

interface Conversation {
  authenticate(auth: SMTPServerAuthentication, session: SMTPServerSession): Promise<User>
  mailFrom(address: string, session: SMTPServerSession): Promise<void>
  rcptTo(address: string, session: SMTPServerSession): Promise<void>
  /** @returns the text after 250 */
  data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string>
}

/** The answers at each step; every refusal is thrown as a Reply or an ApiError. */
function conversation(options: SubmissionOptions, stopping: AbortSignal): Conversation {
  const { sending, clock, log } = options
  const failures = loginFailures(clock, options.rateLimits)
  const lockout = loginLockout(clock, options.rateLimits)
  const messages = incomingMessages(MAX_MESSAGE_BYTES, options)

  const principalOf = (ip: string, answer: Login | LockedOut): Principal => {
    switch (answer.kind) {
      case 'ok':
        return answer.principal
      case 'suspended':
        throw new Reply(535, '5.7.8 the account is suspended')
      case 'locked': {
        const seconds = Math.ceil(answer.waitMs / 1_000)
        throw new Reply(421, `4.7.0 too many wrong passwords for this user, try again in ${seconds} s`)
      }
      case 'throttled':
        throw new Reply(421, '4.7.0 too many failed log-ins, try again later')
      case 'refused':
        if (failures.count(ip)) throw new Reply(421, '4.7.0 too many failed log-ins, try again later')
        throw new Reply(535, '5.7.8 the user name or password is wrong')
    }
  }

  const logIn = async (ip: string, username: string, password: string): Promise<Principal> => {
    const login = { ip, username, password }
    const answer = await lockout.ask(login, () => options.authenticate(login))
    try {
      return principalOf(ip, answer)
    } catch (refusal) {
      if (refusal instanceof Reply && refusal.responseCode === 421) await failures.hold(stopping)
      throw refusal
    }
  }

  const checkedUser = async (session: SMTPServerSession): Promise<User> => {
    const user = userOf(session)
    if (clock.monotonicMs() - user.checkedAtMs <= RECHECK_LOGIN_MS) return user
    const { username, password } = user
    const ip = session.remoteAddress
    const answer = await options.authenticate({ ip, username, password })
    try {
      user.principal = principalOf(ip, answer)
    } catch (error) {
      throw error instanceof Reply ? new Reply(421, '4.7.0 the log-in is not good any more') : error
    }
    user.checkedAtMs = clock.monotonicMs()
    return user
  }

  const submit = async (raw: Buffer, session: SMTPServerSession): Promise<string> => {
    // A slow message must not outlast the log-in that began it.
    const { principal, senderFault } = await checkedUser(session)
    const { mailFrom, rcptTo } = session.envelope
    const by = `${options.hostname} with ${session.transmissionType.replaceAll(/[^A-Z0-9]/g, '')}`
    const answer = await sending.submit(principal, {
      mailFrom: mailFrom === false ? '' : mailFrom.address,
      senderFault,
      recipients: rcptTo.map(({ address }) => addressOf(address, '5.1.3')),
      raw,
      trace: (id, now) => `Received: by ${by}\r\n\tid ${id}; ${formatDate(now)}\r\n`,
    })
    if ('code' in answer) throw new Reply(answer.code, answer.text)
    log.info({ account_id: principal.accountId, email_id: answer.emailId }, 'message submitted')
    return `2.0.0 queued as ${answer.emailId}`
  }

  return {
    authenticate: async ({ username = '', authzid = '', password }, session) => {
      if (authzid !== '' && authzid !== username) throw new Reply(535, '5.7.8 nobody may act for another user')
      const given = password ?? ''
      const principal = await logIn(session.remoteAddress, username, given)
      return { username, password: given, principal, checkedAtMs: clock.monotonicMs(), senderFault: null }
    },
    mailFrom: async (address, session) => {
      const user = await checkedUser(session)
      if (address === '') throw new Reply(550, '5.7.1 the null sender cannot submit')
      const { domain } = addressOf(address, '5.1.7')
      if (!options.disk.takesMail()) throw new Reply(452, '4.3.1 no room for another message, try again later')
      const fault = await options.takeRate(user.principal)
      if (fault !== null) throw fault
      user.senderFault = await sending.senderFault(user.principal, domain)
    },
    rcptTo: async (address, session) => {
      const refusal = await sending.recipientFault(userOf(session).principal, addressOf(address, '5.1.3'))
      if (refusal === null) return
      const list = refusal.list === 'unsubscribe' ? 'has unsubscribed' : `is suppressed (${refusal.reason})`
      throw new Reply(550, `5.7.1 the recipient ${list}`)
    },
    data: (stream, session) => messages.take(stream, declaredBytes(session), (raw) => submit(raw, session)),
  }
}

function userOf(session: SMTPServerSession): User {
  const user = session.user as User | undefined | false
  if (!user) throw new Reply(530, '5.7.0 log in first')
  return user
}

/** The SIZE of MAIL (RFC 1870); null: none. */
function declaredBytes({ envelope: { mailFrom } }: SMTPServerSession): number | null {
  const size = mailFrom === false || mailFrom.args === false ? undefined : mailFrom.args['SIZE']
  return typeof size === 'string' ? Number(size) : null
}

/** @param enhanced the enhanced code for an invalid address */
function addressOf(text: string, enhanced: string): Address {
  const parsed = parseAddress(text)
  if (!parsed.ok) throw new Reply(501, `${enhanced} not an email address: ${FAULT_WORDS[parsed.reason]}`)
  return parsed.address
}

function portOf({ server }: { readonly server: SubmissionServer }): number {
  return (server.server.address() as AddressInfo | null)?.port ?? 0
}

function listen(server: SubmissionServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.server.once('error', reject)
    server.listen(port, host, () => {
      server.server.off('error', reject)
      resolve()
    })
  })
}

function close(server: SubmissionServer): Promise<void> {
  return new Promise((resolve) => {
    if (server.server.listening) server.close(() => resolve())
    else resolve()
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
