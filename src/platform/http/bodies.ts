// Bodies as they arrive: refused by size while they are read, by type before they are parsed. A compressed body is refused,
// since its true size shows only after it has been inflated.

import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { platformErrors, validationError } from '../errors.ts'
import { parseJsonBody } from '../json.ts'

export const DEFAULT_BODY_BYTES = 1_048_576

/** JSON alone becomes `request.body`; an endpoint may take other types as a stream. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { stream } = request.routeOptions.config as { stream?: readonly string[] | null }
    const type = mediaType(request.headers['content-type'])
    if (stream?.includes(type) === true) {
      done(null, payload)
      return
    }
    const limitBytes = request.routeOptions.bodyLimit ?? DEFAULT_BODY_BYTES
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      done(platformErrors.payload_too_large({ limit_bytes: limitBytes }))
      return
    }
    if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
      done(platformErrors.unsupported_media_type())
      return
    }
    collect(payload, limitBytes).then(
      (bytes) => {
        try {
          done(null, bodyOf(bytes, type))
        } catch (error) {
          done(error as Error)
        }
      },
      (error: Error) => done(error),
    )
  })
  // A request without a body still has one for the rooms: {}.
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.method !== 'GET' && request.method !== 'HEAD') request.body = {}
    refuseUnasked(request)
  })
}

/** An operation that takes no fields refuses those it is given, but on legacy paths, which ignore what they do not know. */
function refuseUnasked({ body, routeOptions }: FastifyRequest): void {
  const { stream, legacy } = routeOptions.config as { stream?: readonly string[] | null; legacy?: boolean }
  const hasSchema = routeOptions.schema?.body !== undefined
  if (legacy !== false || hasSchema || stream != null || body === null || typeof body !== 'object') return
  const fields = Object.keys(body).map((field) => ({ field, rule: 'unknown_field', message: 'is not a known field' }))
  if (fields.length > 0) throw validationError(fields)
}

function bodyOf(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return {}
  if (type !== 'application/json' && !/^application\/[a-z0-9.-]+\+json$/.test(type)) {
    throw platformErrors.unsupported_media_type()
  }
  return parseJsonBody(bytes)
}

function mediaType(header: string | undefined): string {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) return ''
  return type.trim().toLowerCase()
}

/**
 * Reads a body as far as its limit. What comes after the limit is dropped as it arrives, so that a client that is still
 * writing gets to read its refusal.
 */
function collect(payload: Readable, limitBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const take = (chunk: Buffer): void => {
    sizeBytes += chunk.length
    if (sizeBytes <= limitBytes) {
      chunks.push(chunk)
      return
    }
    payload.off('data', take)
    payload.resume()
    reject(platformErrors.payload_too_large({ limit_bytes: limitBytes }))
  }
  payload.on('data', take)
  payload.once('error', reject)
  payload.once('close', () => {
    // Errors cost a stack: not one a request.
    if (!payload.readableEnded) reject(new Error('the client went away'))
  })
  payload.once('end', () => {
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
  })
  return promise
}
