// Request bodies as they arrive. Size is checked while a body is read, type before it is parsed. A compressed body is
// refused, because its true size is only known after inflating it.

import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { PassThrough, type Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { NO_OBJECT, platformErrors, validationError } from '../errors.ts'
import { bodySpool, largeTurns, MAX_IN_MEMORY_BYTES, type SpooledBody, type Turns } from '../files/body-spool.ts'
import type { MailRoom } from '../files/disk.ts'
import { parseJsonBody } from '../json.ts'

export const DEFAULT_BODY_BYTES = 1_048_576
const RETRY_AFTER_SECONDS = 5
/** Bytes read and dropped after a refusal before the connection is broken. */
const MAX_DROPPED_BYTES = 128 * 1_048_576
/** How long an answer waits for the rest of a body on a connection that ends with the answer. */
const HELD_MS = 30_000
const ENDS = ['end', 'close', 'error'] as const
const NOTHING_MORE = Promise.resolve()
/** Stands in for the media type when the charset is not UTF-8. */
const OTHER_CHARSET = 'other charset'
/** Lists of addresses may have 256 MB. */
const LIST = 'text/csv'
const ALWAYS_ROOM: MailRoom = { hasRoom: () => true, takesMail: () => true }

/** Where bodies over 1 MB are kept until their turn. */
export interface Large {
  readonly folder: string
  readonly turns: Turns
  /** Without room, large bodies are refused; while no mail is taken, lists too, and one under way is broken off. */
  readonly disk: MailRoom
}

/** Only JSON becomes `request.body`; an endpoint may take other types as a stream. */
export function readBodies(
  app: FastifyInstance,
  { folder, turns, disk }: Large = { folder: tmpdir(), turns: largeTurns(), disk: ALWAYS_ROOM },
): void {
  const bodies = bodySpool({
    folder,
    turns,
    hasRoom: disk.hasRoom,
    tooLarge: (mostBytes) => platformErrors.payload_too_large({ limit_bytes: mostBytes }),
    noRoom: (cause) => platformErrors.service_unavailable({}, { cause, retryAfter: RETRY_AFTER_SECONDS }),
  })
  /** Ends the turn of a request's large body. */
  const leaving = new WeakMap<FastifyRequest, () => void>()
  /** Refused before fully read. Their connections stay open: a client that is still writing would never read its refusal. */
  const readOn = new WeakSet<FastifyRequest>()
  /** Bodies that endpoints read themselves, not always to the end. */
  const streamed = new WeakMap<FastifyRequest, Readable>()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { stream } = request.routeOptions.config as { stream?: readonly string[] | null }
    const type = mediaType(request.headers['content-type'])
    const isStreamed = stream?.includes(type) === true || isForm(stream, request.headers['content-type'])
    const limitBytes = isStreamed ? Number.POSITIVE_INFINITY : (request.routeOptions.bodyLimit ?? DEFAULT_BODY_BYTES)
    const refused = refusedUnread(request, limitBytes)
    if (refused !== null) {
      readOn.add(request)
      drop(payload)
      done(refused)
      return
    }
    if (isStreamed) {
      streamed.set(request, payload)
      done(null, readApart(payload, type === LIST ? disk.takesMail : () => true))
      return
    }
    const body = bodies.begin(limitBytes)
    collect(payload, body)
      .then(() =>
        body.work((bytes) => {
          const answered = body.isLarge() ? Promise.withResolvers<void>() : null
          if (answered !== null) leaving.set(request, answered.resolve)
          done(null, bodyOf(request, bytes, type))
          return answered?.promise ?? NOTHING_MORE
        }),
      )
      .catch((error: Error) => {
        readOn.add(request)
        done(error)
      })
      .finally(() => void body.drop())
  })
  // The framework closes the connection of a refused body at once.
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (readOn.has(request)) reply.removeHeader('connection')
    const left = streamed.get(request)
    if (left?.readableEnded === false) drop(left.unpipe())
    if (reply.raw.shouldKeepAlive || request.raw.complete) done()
    else whenRead(request.raw, done)
  })
  // The framework checks the content type even when there is no body.
  app.addHook('onRequest', (request, _reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.raw.headers
    const { stream } = request.routeOptions.config as { stream?: readonly string[] | null }
    if (length === '0' && coding === undefined && stream == null) delete request.raw.headers['content-type']
    done()
  })
  // A large body, and everything made from it, stays in memory until its call is answered.
  app.addHook('onRoute', (route) => {
    if ((route.bodyLimit ?? 0) <= MAX_IN_MEMORY_BYTES) return
    route.onSend = (request, _reply, _payload, done) => {
      leaving.get(request)?.()
      done()
    }
  })
  // Endpoints see {} when a request has no body.
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.method !== 'GET' && request.method !== 'HEAD') request.body = {}
    refuseUnasked(request)
  })
}

/**
 * Refuses unknown fields on an operation that takes none. Legacy paths ignore them. A body that is not an object is refused
 * on both, as on operations with fields.
 */
function refuseUnasked({ method, body, routeOptions }: FastifyRequest): void {
  const { stream, legacy } = routeOptions.config as { stream?: readonly string[] | null; legacy?: boolean }
  const isRead = method === 'GET' || method === 'HEAD'
  if (legacy === undefined || isRead || routeOptions.schema?.body !== undefined || stream != null) return
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw validationError([NO_OBJECT])
  }
  if (legacy) return
  const fields = Object.keys(body).map((field) => ({ field, rule: 'unknown_field', message: 'is not a known field' }))
  if (fields.length > 0) throw validationError(fields)
}

/** @returns the error when the headers alone rule the body out; null when it is to be read */
function refusedUnread({ headers }: FastifyRequest, limitBytes: number): Error | null {
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    return platformErrors.payload_too_large({ limit_bytes: limitBytes })
  }
  const identity = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'
  return identity ? null : unsupported('The body must not be compressed: without Content-Encoding')
}

function unsupported(message: string): Error {
  return platformErrors.unsupported_media_type({}, { message })
}

function bodyOf({ routeOptions }: FastifyRequest, bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return {}
  const { stream, rewriteBody } = routeOptions.config as {
    stream?: readonly string[] | null
    rewriteBody?: ((text: Buffer) => Buffer) | null
  }
  if (type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    const takesJson = stream == null || routeOptions.schema?.body !== undefined
    const types = [...(stream ?? []), ...(takesJson ? ['application/json'] : [])]
    throw unsupported(`The body must be ${types.join(' or ')}${type === OTHER_CHARSET ? ', in UTF-8' : ''}`)
  }
  return parseJsonBody(rewriteBody?.(bytes) ?? bytes)
}

const FORM = 'application/x-www-form-urlencoded'

/**
 * Whether the body is a form for an operation that takes forms. Their charset does not matter, since they are ASCII (Java's
 * clients name ISO-8859-1). A body without a type can only be one (RFC 9110 section 8.3).
 */
function isForm(stream: readonly string[] | null | undefined, header: string | undefined): boolean {
  const type = bareType(header) || FORM
  return stream?.includes(FORM) === true && stream.includes(type)
}

function mediaType(header: string | undefined): string {
  const parameters = (header ?? '').split(';').slice(1)
  const charset = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return OTHER_CHARSET
  return bareType(header)
}

/** A media type without its parameters, in lower case; '' without a header. */
function bareType(header = ''): string {
  return header.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * Reads a body up to its limit. Anything after the limit is dropped as it arrives, so that a client that is still writing
 * gets to read its refusal.
 */
function collect(payload: Readable, body: SpooledBody): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let writing: Promise<void> | null = null
  const refuse = (error: unknown): void => {
    payload.off('data', take)
    drop(payload)
    reject(error)
  }
  const take = (chunk: Buffer): void => {
    try {
      writing = body.add(chunk)
    } catch (error) {
      refuse(error)
      return
    }
    if (writing === null) return
    payload.pause()
    writing.then(() => payload.resume(), refuse)
  }
  payload.on('data', take)
  payload.once('error', reject)
  payload.once('close', () => {
    // Creating an Error captures a stack, so not one per request.
    if (!payload.readableEnded) reject(new Error('the client went away'))
  })
  payload.once('end', () => resolve(writing ?? undefined))
  return promise
}

/** The same bytes, for an endpoint that may stop reading: that would destroy the request, and its client would write for ever. */
function readApart(payload: Readable, takesMore: () => boolean): Readable {
  const apart = payload.pipe(new PassThrough())
  payload.on('data', () => {
    if (!takesMore()) apart.destroy(noRoomForList())
  })
  // Whoever reads it is told; unheard, the error would end the process.
  apart.on('error', () => undefined)
  payload.once('error', (error) => apart.destroy(error))
  payload.once('close', () => {
    if (!payload.readableEnded) apart.destroy(new Error('the client went away'))
  })
  return apart
}

/** Each row of a list becomes several rows of the database: ten megabytes have filled the disk that was left for deliveries. */
function noRoomForList(): Error {
  const message = 'There is no room on the disk for more entries right now. Those imported so far stay'
  return platformErrors.service_unavailable({}, { message, retryAfter: RETRY_AFTER_SECONDS })
}

/**
 * A connection that ends with its answer would be reset while the client is still writing: a proxy such as nginx, which asks for
 * that by default, then answers 502 in place of ours. Waits until the body is over, at most HELD_MS.
 */
function whenRead(request: IncomingMessage, done: () => void): void {
  const over = (): void => {
    clearTimeout(timer)
    for (const event of ENDS) request.off(event, over)
    done()
  }
  const timer = setTimeout(over, HELD_MS)
  for (const event of ENDS) request.once(event, over)
  if (request.destroyed) over()
  else drop(request)
}

/** Drops what still arrives; a client that never stops writing is disconnected after MAX_DROPPED_BYTES. */
function drop(payload: Readable): void {
  let left = MAX_DROPPED_BYTES
  payload.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) payload.destroy()
  })
  payload.resume()
}
