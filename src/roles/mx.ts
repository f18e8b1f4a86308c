// The inbound MX: takes only mail addressed to us.
//
//   b+<token>@host              reports about one email; the token is signed and 60 days valid
//   b+<token>@bounce.<domain>   the same, for a domain with return paths under its own name
//   fbl@host                    complaints from any reader of a mail's header (RFC 9477)
//   fbl+<name>.<MAC>@host       complaints from one provider, which was given the address
//   tlsrpt@host                 reports about TLS to a domain of an account (RFC 8460)
//   dmarc@host                  aggregate reports about DMARC of a domain of an account (RFC 9990)
//   addresses of tracking       unsubscribe mail
//   postmaster@, abuse@host     for the operator; postmaster also without a host (RFC 5321 section 4.5.1)
//
// The host is the POSTHORN_HOSTNAME of any process of the installation, present or former.
// Every other recipient is refused at RCPT with 550 5.7.1, in every spelling, so nothing is relayed and no mail is sent back.
// 250 after the data means that the report is durable; it is read later. There is no AUTH. A bare CR or LF is refused in
// commands; in the message it becomes CRLF and never ends the data, because reports come from mailers of all ages. An automatic
// mail does not unsubscribe: it is taken, counted and dropped. Very much mail from one sender to the public addresses, or to one
// return path, gets 451 (mx-rate.ts).

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { parseAddress } from '../mail/address.ts'
import { RETURN_PATH_LABEL } from '../mail/dns/optional-records.ts'
import { withCrlf } from '../mail/mime/encodings.ts'
import { parseHeaderBlock } from '../mail/mime/headers.ts'
import { isAutomatic, subjectOf } from '../mail/reports/classify.ts'
import type { Inbound, ReportKind } from '../modules/bounces/index.ts'
import { DMARC_REPORTS_AT } from '../modules/dmarc/index.ts'
import { TLS_REPORTS_AT } from '../modules/transport/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Turns } from '../platform/files/body-spool.ts'
import type { MailRoom } from '../platform/files/disk.ts'
import type { Service } from '../platform/lifecycle.ts'
import type { Logger } from '../platform/log.ts'
import type { Certificate } from '../platform/network/certificates.ts'
import { type MxRate, mxRate } from './mx-rate.ts'
import { incomingMessages } from './submission-messages.ts'
import { type Patience, SubmissionServer } from './submission-protocol.ts'
import { isHungUp, Reply, replyOf, unavailable } from './submission-replies.ts'

export interface MxOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** What it calls itself. */
  readonly hostname: string
  /** Whether mail to this host, given in lower case, is for the installation. */
  readonly isOurHost: (host: string) => boolean
  /** null: no STARTTLS. */
  readonly certificate: Certificate | null
  readonly inbound: Pick<Inbound, 'tokenOf' | 'providerOf' | 'take'>
  /** The function that unsubscribes for an address; null: not one of our addresses. */
  readonly unsubscribe: ((localPart: string) => ((subject: string) => Promise<boolean>) | null) | null
  /** Called for each unsubscribe mail with its outcome. */
  readonly onUnsubscribe?: (outcome: 'unsubscribed' | 'auto_reply' | 'unmatched') => void
  readonly clock: Clock
  readonly log: Logger
  /** False: neither connections nor mails are counted (load tests). */
  readonly rateLimits: boolean
  /** Whether there is room for another message, and for a large one. */
  readonly disk: MailRoom
  /** Where large messages are kept until their turn comes. */
  readonly spoolFolder: string
  readonly turns: Turns
  /** Default: five minutes for a command, two for slow data. */
  readonly patience?: Patience
}

export interface Mx extends Service {
  port(): number
  /** Uses a renewed certificate for new connections. */
  useCertificate(certificate: Certificate): void
}

const MAX_CONNECTIONS_PER_ADDRESS = 20
const MAX_MESSAGE_BYTES = 25 * 1_048_576
const MAX_RECIPIENTS = 5
const MAX_RECEIVED = 50
const HEADER_BYTES = 262_144
const IDLE_MS = 120_000
const STOP_POLL_MS = 25

export function mxService(options: MxOptions): Mx {
  const { clock, log } = options
  const messages = incomingMessages(MAX_MESSAGE_BYTES, options)
  const rate = mxRate(clock, options.rateLimits)
  const underWay = new Set<Promise<unknown>>()

  const handle = <T>(work: Promise<T>, done: (error: Error | null, value?: T) => void): void => {
    const tracked = work
      .then(
        (value) => done(null, value),
        (error: unknown) => {
          const reply = replyOf(error)
          if (reply === null && !isHungUp(error)) log.warn({ err: error }, 'a report could not be taken')
          if (reply?.cause !== undefined) log.warn({ err: reply.cause }, 'a large message could not be kept')
          done(reply ?? unavailable())
        },
      )
      .catch((error: unknown) => log.error({ err: error }, 'a report could not be answered'))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }
  const server: SubmissionServer = new SubmissionServer(
    {
      ...options.certificate,
      minVersion: 'TLSv1.2',
      name: options.hostname,
      heloResponse: '%s at your service',
      size: MAX_MESSAGE_BYTES,
      maxRecipients: MAX_RECIPIENTS,
      authOptional: true,
      hideENHANCEDSTATUSCODES: false,
      disableReverseLookup: true,
      socketTimeout: IDLE_MS,
      onRcptTo: ({ address }, { remoteAddress }, done) =>
        handle(refuseForeign(options, address, { remoteAddress, rate }), done),
      onData: (stream, session, done) => handle(receive(stream, session), done),
    },
    {
      mayConnect: (ip) => !options.rateLimits || server.countFrom(ip) < MAX_CONNECTIONS_PER_ADDRESS,
      expectsEarlyTalkers: true,
      patience: options.patience,
      without: options.certificate === null ? ['AUTH', 'STARTTLS'] : ['AUTH'],
    },
  )
  server.on('error', (error) => log.debug({ err: error }, 'an inbound connection broke'))

  const receive = (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> =>
    messages.take(stream, null, async (given) => {
      if (!options.disk.takesMail()) throw new Reply(452, '4.3.1 no room for another message, try again later')
      const raw = withCrlf(given)
      refuseLoop(raw)
      const { mailFrom, rcptTo } = session.envelope
      const sender = mailFrom === false ? '' : mailFrom.address
      for (const { address } of rcptTo) {
        await takeFor(options, address, { raw, sender })
        const purpose = purposeOf(options, address)
        if (isKnownToAll(purpose)) rate.took(session.remoteAddress, raw.length)
        else if (isReturnPath(purpose)) rate.tookFor(purpose.localPart, raw.length)
      }
      return '2.0.0 taken'
    })

  return {
    name: 'mx',
    settings: ['POSTHORN_MX_PORT', 'POSTHORN_BIND'],
    port: () => (server.server.address() as AddressInfo | null)?.port ?? 0,
    useCertificate: ({ key, cert }) => server.updateSecureContext({ key, cert }),
    start: () =>
      new Promise((resolve, reject) => {
        server.server.once('error', reject)
        server.listen(options.port, options.host, () => {
          server.server.off('error', reject)
          resolve()
        })
      }),
    stop: async (deadline) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      while (server.dismissIdle() > 0 && !deadline.aborted) {
        await clock.sleep(STOP_POLL_MS, deadline).catch(() => undefined)
      }
      const late = deadline.aborted ? Promise.resolve() : once(deadline, 'abort')
      await Promise.race([Promise.all(underWay), late])
      for (const connection of server.connections) connection.close()
      await Promise.race([closed, late])
    },
  }
}

interface ReportAddress {
  readonly kind: ReportKind
  /** In lower case. */
  readonly localPart: string
}

type Purpose = ReportAddress | 'unsubscribe' | null

/** The purpose of a recipient; null: none. */
function purposeOf(options: MxOptions, address: string): Purpose {
  if (address.toLowerCase() === 'postmaster') return { kind: 'operator', localPart: 'postmaster' }
  const recipient = recipientOf(options, address)
  if (recipient === null) return null
  const localPart = recipient.local.toLowerCase()
  const domain = recipient.domain.toLowerCase()
  if (!options.isOurHost(domain)) {
    // For a sending domain with return paths under its own name: only addresses that we have signed.
    const isReturnPath = domain.startsWith(RETURN_PATH_LABEL) && options.inbound.tokenOf(localPart) !== null
    return isReturnPath ? { kind: 'return_path', localPart } : null
  }
  if (localPart === 'postmaster' || localPart === 'abuse') return { kind: 'operator', localPart }
  if (localPart === TLS_REPORTS_AT) return { kind: 'tls', localPart }
  if (localPart === DMARC_REPORTS_AT) return { kind: 'dmarc', localPart }
  if (localPart === 'fbl' || options.inbound.providerOf(localPart) !== null) return { kind: 'feedback', localPart }
  if (options.inbound.tokenOf(localPart) !== null) return { kind: 'return_path', localPart }
  return (options.unsubscribe?.(recipient.local) ?? null) === null ? null : 'unsubscribe'
}

/** The two parts of a recipient; null: not an address. Our own name may have a single label, as `localhost` has. */
function recipientOf(
  { isOurHost }: MxOptions,
  text: string,
): { readonly local: string; readonly domain: string } | null {
  const parsed = parseAddress(text)
  if (parsed.ok) return parsed.address
  if (parsed.reason !== 'single_label_domain') return null
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1)
  return isOurHost(domain.toLowerCase()) ? { local: text.slice(0, at), domain } : null
}

async function refuseForeign(
  options: MxOptions,
  address: string,
  { remoteAddress, rate }: { readonly remoteAddress: string; readonly rate: MxRate },
): Promise<void> {
  const purpose = purposeOf(options, address)
  if (purpose === null) throw new Reply(550, '5.7.1 no mail is taken for this recipient')
  if (isKnownToAll(purpose) && rate.asks(remoteAddress))
    throw new Reply(451, '4.7.0 too much from you, try again later')
  if (isReturnPath(purpose) && rate.hasEnough(purpose.localPart))
    throw new Reply(451, '4.7.0 too much for this recipient, try again later')
  if (!options.disk.takesMail()) throw new Reply(452, '4.3.1 no room for another message, try again later')
}

/** Anybody knows the address: it proves nothing. */
function isKnownToAll(purpose: Purpose): boolean {
  if (purpose === null || purpose === 'unsubscribe') return false
  return ['operator', 'tls', 'dmarc'].includes(purpose.kind) || purpose.localPart === 'fbl'
}

function isReturnPath(purpose: Purpose): purpose is ReportAddress {
  return purpose !== null && purpose !== 'unsubscribe' && purpose.kind === 'return_path'
}

async function takeFor(
  options: MxOptions,
  address: string,
  { raw, sender }: { readonly raw: Buffer; readonly sender: string },
): Promise<void> {
  const purpose = purposeOf(options, address)
  if (purpose === null) throw new Reply(550, '5.7.1 no mail is taken for this recipient')
  if (purpose !== 'unsubscribe') {
    const isToReturnPath = purpose.kind === 'return_path'
    await options.inbound.take({ ...purpose, raw: isToReturnPath ? withReturnPath(raw, sender) : raw })
    return
  }
  if (isAutomatic(raw, sender === '')) {
    options.onUnsubscribe?.('auto_reply')
    return
  }
  const recipient = recipientOf(options, address)
  const unsubscribe = recipient === null ? null : (options.unsubscribe?.(recipient.local) ?? null)
  const isKnown = (await unsubscribe?.(subjectOf(raw))) ?? false
  if (!isKnown)
    options.log.warn({ kind: 'unsubscribe' }, 'who unsubscribes by mail from one that is not kept is not known')
  options.onUnsubscribe?.(isKnown ? 'unsubscribed' : 'unmatched')
}

/** RFC 5321 section 4.4: the final delivery writes it first. An empty sender tells a mailer from a person. */
function withReturnPath(raw: Buffer, sender: string): Buffer {
  return Buffer.concat([Buffer.from(`Return-Path: <${sender.replace(/[^\x21-\x7e]|[<>]/g, '')}>\r\n`), raw])
}

function refuseLoop(raw: Buffer): void {
  const { fields } = parseHeaderBlock(raw, HEADER_BYTES)
  if (fields.filter(({ key }) => key === 'received').length > MAX_RECEIVED) {
    throw new Reply(554, '5.4.6 the message has been on its way too long: a loop')
  }
}
