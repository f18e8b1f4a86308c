// Every error sent over HTTP, in the one form of contract section 2. Anything other than an ApiError is a bug: it is
// logged, and its text is never shown.

import { METHODS, STATUS_CODES } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isPassing, UnknownCommitOutcome } from '../db.ts'
import { ApiError, parameterError, platformErrors, unknownOutcome } from '../errors.ts'
import { isAway, type Logger } from '../log.ts'
import { DEFAULT_BODY_BYTES } from './bodies.ts'
import type { VendorApi } from './endpoint.ts'

const RETRY_AFTER_SECONDS = 5

export interface PathPattern {
  readonly pattern: RegExp
  readonly method: string
}

export function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

export function unknownPath(
  request: Pick<FastifyRequest, 'url'>,
  paths: readonly PathPattern[],
  foreign: VendorApi | null,
): ApiError {
  const path = request.url.split('?', 1)[0] ?? ''
  const methods = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) return platformErrors.not_found({}, foreign === null ? {} : { message: foreign.missing })
  const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
    .sort()
    .join(', ')
  return platformErrors.method_not_allowed({ allow }, { headers: { allow } })
}

/** @param foreign API whose error form to use for a request that reached no endpoint of its own */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
  foreign: VendorApi | null = null,
): FastifyReply {
  const known = toApiError(error, request)
  const about = { request_id: request.id, method: request.method, route: request.routeOptions.url }
  // The database heartbeat reports an outage once; requests do not each log a stack.
  if (known.status === 503 && !isOdd(known.cause)) log.debug({ ...about, code: known.code }, 'request not served')
  else if (known.status === 503) log.warn({ ...about, err: known.cause }, 'request not served')
  else if (known.status >= 500) log.error({ ...about, err: known.cause ?? error }, 'request failed')
  reply.code(known.status).header('x-request-id', request.id).header('content-type', 'application/json; charset=utf-8')
  // RFC 9110 section 15.1: caches may keep a 404, 405 or 410 for as long as they see fit.
  reply.header('cache-control', 'no-store')
  // RFC 9110 section 15.5.2. Browsers open no window for this scheme.
  if (known.status === 401) reply.header('www-authenticate', 'Bearer')
  if (known.retryAfter !== null) reply.header('retry-after', String(known.retryAfter))
  for (const [name, value] of Object.entries(known.headers)) reply.header(name, value)
  const config = (request.routeOptions.config ?? {}) as { errorAnswer?: VendorApi['errorAnswer'] | null }
  const errorAnswer = foreign?.errorAnswer ?? config.errorAnswer ?? null
  if (errorAnswer === null) {
    const body = errorBody(known, request.id)
    if (!takesProblem(request.headers.accept)) return reply.send(body)
    return reply
      .header('content-type', PROBLEM)
      .send(Buffer.from(JSON.stringify({ ...problemOf(known, request), ...body })))
  }
  const { status, body } = errorAnswer(known)
  return reply.code(status).send(body)
}

/** The database is reachable but aborted the request or took too long; or the disk took no body. */
function isOdd(cause: unknown): boolean {
  return cause !== undefined && !isAway(cause)
}

/** Contract section 2. */
export function errorBody({ message, code, details, also }: ApiError, requestId: string): object {
  return { ...also, error: message, code, details, request_id: requestId }
}

const PROBLEM = 'application/problem+json'

/** Whether a client names the media type of RFC 9457; a wildcard does not ask for it. */
function takesProblem(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === PROBLEM && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
}

/** The members of RFC 9457 section 3.1, which stand beside those of contract section 2: these are extensions there. */
function problemOf({ status, message }: ApiError, { url }: Pick<FastifyRequest, 'url'>): object {
  const title = STATUS_CODES[status] ?? 'Error'
  return { type: 'about:blank', title, status, detail: message, instance: url.split('?', 1)[0] }
}

function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof UnknownCommitOutcome) return unknownOutcome(error)
  if (isPassing(error)) {
    return platformErrors.service_unavailable({}, { cause: error, retryAfter: RETRY_AFTER_SECONDS })
  }
  const code = (error as { code?: unknown } | null)?.code
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return platformErrors.payload_too_large({ limit_bytes: request.routeOptions.bodyLimit ?? DEFAULT_BODY_BYTES })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return platformErrors.unsupported_media_type()
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return platformErrors.invalid_json()
    case 'FST_ERR_BAD_URL':
      return parameterError('url', 'percent_encoding', 'must be UTF-8 in percent-encoding, with each % as %25')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return platformErrors.not_found()
    default:
      return platformErrors.internal_error({}, { cause: error })
  }
}

const BROKEN: Readonly<Record<string, [status: number, reason: string, text: string]>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'The header of the request is too large: 16 KB at most, URL included',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time'],
}
const NOT_HTTP: (typeof BROKEN)[string] = [400, 'Bad Request', 'The request is not valid HTTP']

/** RFC 9112 section 3 and RFC 9110 section 5.6.2: the first line a client sends. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\S+) HTTP\/1\.[01]\r?\n/
const HOST = /^host:[ \t]*([^\s:]*)/im

/**
 * Node's parser knows the registered methods and fails at any other, before there is a request.
 *
 * @returns the URL and host asked for; null when something else is wrong
 */
export function unknownMethod(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
): { readonly url: string; readonly host: string } | null {
  if (error.code !== 'HPE_INVALID_METHOD') return null
  const head = Buffer.isBuffer(error.rawPacket) ? error.rawPacket.toString('latin1') : ''
  const [, method = '', url = ''] = REQUEST_LINE.exec(head) ?? []
  // A known method belongs to an earlier request; the fault comes after it.
  if (method === '' || METHODS.includes(method)) return null
  const [, host = ''] = HOST.exec(head) ?? []
  return { url, host }
}

/**
 * Answers input that is not HTTP. It has no route, but still gets the error form and a request id.
 *
 * @param known the fault, where it is known
 */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: { writable: boolean; end(text: string): void; destroy(): void },
  requestId: string,
  known: ApiError | null = null,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, reason, text] = BROKEN[error.code ?? ''] ?? NOT_HTTP
  const fault = known ?? new ApiError(status, 'invalid_parameter', text)
  const body = JSON.stringify(errorBody(fault, requestId))
  const more = Object.entries(fault.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${fault.status} ${known === null ? reason : STATUS_CODES[known.status]}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nX-Request-ID: ${requestId}\r\n${more.join('')}` +
      `Cache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
