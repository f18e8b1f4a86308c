// The TLS listener beside the plain one: the same handler, with a certificate chosen by the name the client asks for. An
// unknown name ends the handshake with a fatal alert; a client that sends no name gets the instance's own certificate.
// The callback never throws: an exception there would end the process.

import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { LONGEST_BODY_MS } from './http/endpoint.ts'
import type { FastPath } from './http/fast-path.ts'
import type { Service } from './lifecycle.ts'
import type { Logger } from './log.ts'
import type { Certificate } from './network/certificates.ts'

export interface HttpsOptions {
  readonly host: string
  readonly port: number
  readonly log: Logger
  /** For clients that send no name, and for the instance's own names. */
  readonly own: Certificate
  readonly ownNames: readonly string[]
  /** A certificate issued by an authority for this name, a guest's or our own; null when there is none. */
  readonly contextFor: (name: string) => SecureContext | null
  /** `guest`: the guest name that the client asked for, otherwise null. */
  readonly handle: (guest: string | null) => RequestListener
  /** Answers what the parser broke off. */
  readonly answerBroken: (error: Error, socket: Duplex, guest: string | null) => void
  /** Its endpoints answer under every name. */
  readonly fastPath: FastPath | null
}

const HANDSHAKE_WITHIN_MS = 10_000
const HEADERS_WITHIN_MS = 15_000
/** How often Node checks its timeouts, in ms; its default is 30 s. */
const LATENESS_SEEN_AFTER_MS = 1_000
const MAX_HEADER_BYTES = 16_384

export interface HttpsService extends Service {
  port(): number | null
  /** Uses a renewed certificate of the instance for new connections. */
  useCertificate(own: Certificate): void
}

export function httpsService(options: HttpsOptions): HttpsService {
  const { host, port, log, own, ownNames, contextFor, handle } = options
  let ownContext = createSecureContext({ ...own, minVersion: 'TLSv1.2' })
  const isOwn = (name: string): boolean => ownNames.includes(name.toLowerCase())
  const guestOf = (socket: Duplex): string | null => {
    const { servername: name } = socket as TLSSocket
    return typeof name === 'string' && !isOwn(name) ? name : null
  }
  const answer: RequestListener = (request, response) => handle(guestOf(request.socket))(request, response)
  const server = createServer(
    {
      ...own,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HANDSHAKE_WITHIN_MS,
      headersTimeout: HEADERS_WITHIN_MS,
      connectionsCheckingInterval: LATENESS_SEEN_AFTER_MS,
      requestTimeout: LONGEST_BODY_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
      SNICallback: (name, done) => {
        try {
          const context = contextFor(name) ?? (isOwn(name) ? ownContext : null)
          if (context === null) done(new Error('no such name here'))
          else done(null, context)
        } catch (err) {
          log.error({ err, name }, 'a certificate cannot be used')
          done(new Error('no certificate'))
        }
      },
    },
    answer,
  )
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => options.answerBroken(error, socket, guestOf(socket)))
  options.fastPath?.before(server, 'secureConnection')
  server.on('tlsClientError', (_, socket: Socket) => socket.destroy())
  return {
    name: 'https',
    settings: ['POSTHORN_HTTPS_PORT', 'POSTHORN_HTTP_HOST', 'POSTHORN_BIND'],
    port: () => (server.address() as AddressInfo | null)?.port ?? null,
    useCertificate: (renewed) => {
      ownContext = createSecureContext({ ...renewed, minVersion: 'TLSv1.2' })
      server.setSecureContext({ ...renewed, minVersion: 'TLSv1.2' })
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, resolve)
      }),
    stop: async (deadline) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeIdleConnections()
      options.fastPath?.close()
      const cut = (): void => server.closeAllConnections()
      if (deadline.aborted) cut()
      else deadline.addEventListener('abort', cut, { once: true })
      await closed
    },
  }
}
