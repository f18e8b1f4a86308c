// The HTTP face of every room. A room describes its endpoints as values; this file alone knows the web framework. It
// holds what the contract asks of every answer (section 1: request ids, envelopes, legacy paths) and of every error
// (section 2: the form, and the order in which a request is checked: request id, path, method, the gate, size, type,
// JSON, validation; idempotency, sender, quota and verdict belong to the rooms).

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import swagger from '@fastify/swagger'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import { isUnavailable } from './db.ts'
import { ApiError, type ErrorKind, platformErrors } from './errors.ts'
import type { Ids } from './ids.ts'
import { parseJsonBody } from './json.ts'
import type { Logger } from './log.ts'
import { acceptAll, validatorCompiler } from './validation.ts'

/** Who asks, once the gate has let them in. */
export interface Principal {
  readonly accountId: string
  /** Null for a dashboard session. */
  readonly keyId: string | null
  readonly mode: 'live' | 'sandbox'
  readonly scopes: readonly string[]
  /** The domains the key is bound to; null = all of the account's. */
  readonly domainIds: readonly string[] | null
}

/** What an endpoint asks of its caller. */
export interface Access {
  /** A key needs this scope or `full`. */
  readonly scope: string
  /** The token bucket it draws from; `default` when absent. */
  readonly rate?: string
  /** A feature of the account or plan that must be there. */
  readonly requires?: 'risk' | 'content_events'
  /** Reading is allowed to a suspended account. Absent: GET and HEAD read, all else writes. */
  readonly reads?: boolean
}

export interface Asker {
  readonly apiKeyHeader: string | readonly string[] | undefined
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  readonly ip: string
  readonly method: string
  /** Sets a header of the answer, whatever it becomes. */
  readonly setHeader: (name: string, value: string) => void
}

/** Checked in this order: authentication, address, account, rate, scope, plan. */
export interface Gate {
  /** @throws ApiError */
  admit(asker: Asker, access: Access): Promise<Principal>
}

export interface Call<Params, Query, Body> {
  readonly requestId: string
  readonly principal: Principal
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** True on a path under `/api` without a version. */
  readonly legacy: boolean
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The body as it arrives, of an endpoint with `stream: true`. */
  readonly stream: Readable
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI form: `/api/v1/customer/domains/{id}`. */
  readonly path: string
  /** The same operation's path without a version, where the user's document shows one. */
  readonly legacyPath?: string
  /** Since when the legacy path is deprecated: it then answers `Deprecation` (RFC 9745). */
  readonly legacyDeprecatedSince?: string
  /** Null: public, nobody is asked for a key. */
  readonly access: Access | null
  readonly summary: string
  readonly tag: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Media types other than JSON whose body is handed over as a stream. */
  readonly stream?: readonly string[]
  readonly bodyLimitBytes?: number
  /** The room holds the body against its schema itself, to tell these faults together with its own. */
  readonly validatesItself?: boolean
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, TSchema>>
  /** What the room itself raises here. */
  readonly errors?: readonly ErrorKind[]
  handle(call: Call<Static<Params>, Static<Query>, Static<Body>>): Promise<Answer>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of endpoints of different shapes has no narrower type
export type AnyEndpoint = Endpoint<any, any, any>

/** Gives an endpoint's handler the types of its schemas. */
export function endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  described: Endpoint<Params, Query, Body>,
): AnyEndpoint {
  return described
}

// --- envelopes: the one place that makes them (contract section 1)

type Also = Readonly<Record<string, unknown>>

/** `{data}` and the legacy keys that the user's document names beside it. */
export function single(data: unknown, { status = 200, also = {} }: { status?: number; also?: Also } = {}): Answer {
  return { status, body: { data, ...also } }
}

/** `{data, pagination}` and the legacy key. */
export function list(data: readonly unknown[], pagination: object, also: Also = {}): Answer {
  return { status: 200, body: { data, pagination, ...also } }
}

/** A bare object: its fields at top level and under `data`. */
export function bare(fields: object, { status = 200, also = {} }: { status?: number; also?: Also } = {}): Answer {
  return { status, body: { ...fields, ...also, data: fields } }
}

/** Bytes or a stream of another type than JSON. */
export function raw(
  contentType: string,
  body: Buffer | Readable | string,
  headers: Record<string, string> = {},
): Answer {
  return { status: 200, body, headers: { 'content-type': contentType, ...headers } }
}

// --- schemas that many endpoints share

export const Uuid = Type.String({ format: 'uuid' })
export const DateTime = Type.String({ format: 'date-time' })
export const IdParams = Type.Object({ id: Uuid })
export const Page = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 }))
export const PageLimit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100 }))
export const ListLimit = Type.Integer({ minimum: 1, maximum: 1000, default: 100 })
export const ListOffset = Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })

export const PagePagination = Type.Object({
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
})
export const CursorPagination = Type.Object({
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

export function dataOf(schema: TSchema, also: Record<string, TSchema> = {}): TSchema {
  return Type.Object({ data: schema, ...also })
}

export function listOf(schema: TSchema, pagination: TSchema, also: Record<string, TSchema> = {}): TSchema {
  return Type.Object({ data: Type.Array(schema), pagination, ...also })
}

/** The paging of small lists; `page` and `limit` as the query gave them. */
export function pageOf(
  query: { page?: number; limit?: number },
  total: number,
): {
  readonly pagination: { page: number; limit: number; total: number; pages: number }
  readonly offset: number
} {
  const limit = query.limit ?? DEFAULT_PAGE_LIMIT
  const page = query.page ?? 1
  return { pagination: { page, limit, total, pages: Math.ceil(total / limit) }, offset: (page - 1) * limit }
}

const DEFAULT_PAGE_LIMIT = 50

// --- the server

export interface HttpOptions {
  readonly gate: Gate
  readonly log: Logger
  readonly ids: Ids
  readonly trustedProxies: readonly string[]
  readonly openapi: { readonly publicUrl: string; readonly euUrl: string | null }
}

const DEFAULT_BODY_BYTES = 1_048_576
const MAX_URL_CHARS = 8_192
const MAX_HEADER_BYTES = 16_384
const HEADERS_WITHIN_MS = 15_000
const REQUEST_WITHIN_MS = 120_000
const RETRY_AFTER_SECONDS = 5
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/
const API_VERSION = '1.4.0'

export interface HttpServer {
  readonly app: FastifyInstance
  add(endpoints: readonly AnyEndpoint[]): void
  /** The OpenAPI 3.1 document of what was added. Complete once the server is ready. */
  document(): object
}

export async function httpServer(options: HttpOptions): Promise<HttpServer> {
  const app = fastify({
    bodyLimit: DEFAULT_BODY_BYTES,
    requestTimeout: REQUEST_WITHIN_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    http: { headersTimeout: HEADERS_WITHIN_MS, maxHeaderSize: MAX_HEADER_BYTES },
    routerOptions: { maxParamLength: MAX_URL_CHARS },
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, options.ids),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, options.ids.next()),
    frameworkErrors: (error, request, reply) => {
      void answerError(error, request, reply, options.log)
    },
  })
  const paths: PathPattern[] = []
  app.decorateRequest('principal', null)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setValidatorCompiler(validatorCompiler())
  readBodies(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.url.length > MAX_URL_CHARS)
      throw platformErrors.invalid_parameter({ parameter: 'url', rule: 'max_length' })
  })
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, options.log))
  app.setNotFoundHandler((request, reply) => answerError(unknownPath(request, paths), request, reply, options.log))
  await app.register(swagger, openapiOptions(options.openapi))
  return {
    app,
    document: () => withSharedErrors((app as unknown as { swagger(): OpenApiDocument }).swagger()),
    add: (endpoints) => {
      for (const described of endpoints) {
        addRoute(app, options, described, described.path, false)
        if (described.legacyPath !== undefined) addRoute(app, options, described, described.legacyPath, true)
        for (const path of [described.path, described.legacyPath ?? described.path]) {
          paths.push({ pattern: patternOf(path), method: described.method })
        }
      }
    },
  }
}

function requestIdOf(request: { headers: IncomingHttpHeaders }, ids: Ids): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next()
}

function addRoute(
  app: FastifyInstance,
  { gate }: HttpOptions,
  described: AnyEndpoint,
  path: string,
  legacy: boolean,
): void {
  const { access } = described
  app.route({
    method: described.method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: schemaOf(described, legacy),
    bodyLimit: described.bodyLimitBytes ?? DEFAULT_BODY_BYTES,
    config: { stream: described.stream ?? null },
    ...(described.validatesItself === true && { validatorCompiler: acceptAll }),
    onRequest: async (request, reply) => {
      if (legacy) markLegacy(reply, request, described)
      if (access === null) return
      const principal = await gate.admit(askerOf(request, reply), access)
      request.setDecorator('principal', principal)
    },
    handler: async (request, reply) => {
      const answer = await described.handle(callOf(request, reply, legacy))
      reply.code(answer.status)
      for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value)
      return reply.send(answer.body)
    },
  })
}

function askerOf(request: FastifyRequest, reply: FastifyReply): Asker {
  return {
    apiKeyHeader: request.headers['x-api-key'],
    authorization: request.headers.authorization,
    cookie: request.headers.cookie,
    ip: request.ip,
    method: request.method,
    setHeader: (name, value) => void reply.header(name, value),
  }
}

function callOf(request: FastifyRequest, reply: FastifyReply, legacy: boolean): Call<never, never, never> {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the client went away'))
  })
  return {
    requestId: request.id,
    principal: request.getDecorator<Principal>('principal'),
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    method: request.method,
    headers: request.headers,
    ip: request.ip,
    legacy,
    signal: gone.signal,
    stream: request.body as Readable,
  }
}

/** RFC 5829 successor-version; RFC 9745 Deprecation as a structured date. */
function markLegacy(reply: FastifyReply, request: FastifyRequest, described: AnyEndpoint): void {
  const params = (request.params ?? {}) as Record<string, string>
  const successor = described.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  reply.header('link', `<${successor}>; rel="successor-version"`)
  if (described.legacyDeprecatedSince !== undefined) {
    reply.header('deprecation', `@${Date.parse(described.legacyDeprecatedSince) / 1000}`)
  }
}

// --- bodies

function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, payload, done) => {
    const { stream } = request.routeOptions.config as { stream?: readonly string[] | null }
    const type = mediaType(request.headers['content-type'])
    if (stream?.includes(type) === true) {
      done(null, payload)
      return
    }
    collect(payload, request.routeOptions.bodyLimit ?? DEFAULT_BODY_BYTES).then(
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
  })
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

async function collect(payload: Readable, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of payload as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > limitBytes) throw platformErrors.payload_too_large({ limit_bytes: limitBytes })
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
}

// --- schemas

function schemaOf(described: AnyEndpoint, legacy: boolean): Record<string, unknown> {
  const { access, params, query, body, answers, errors = [] } = described
  const name = `${described.method.toLowerCase()}${(legacy ? (described.legacyPath ?? '') : described.path).replaceAll(/[^A-Za-z0-9]+/g, '_')}`
  return {
    operationId: name,
    summary: described.summary,
    tags: [described.tag],
    ...(legacy && { deprecated: true }),
    ...(access === null ? { security: [] } : { 'x-scope': access.scope }),
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: query }),
    ...(body !== undefined && described.stream === undefined && { body: legacy ? lenient(body) : body }),
    response: { ...describedAnswers(answers), ...describedErrors(access, body !== undefined, errors) },
  }
}

function describedAnswers(answers: Readonly<Record<number, TSchema>>): Record<number, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [status, { description: 'Success', ...schema }]),
  )
}

function describedErrors(
  access: Access | null,
  hasBody: boolean,
  raised: readonly ErrorKind[],
): Record<number, unknown> {
  const byStatus = new Map<number, Set<string>>()
  const note = (status: number, ...codes: string[]): void => {
    byStatus.set(status, new Set([...(byStatus.get(status) ?? []), ...codes]))
  }
  note(400, 'invalid_parameter')
  if (access !== null) {
    note(401, 'missing_api_key', 'invalid_api_key', 'api_key_expired', 'api_key_revoked')
    note(403, 'insufficient_scope', 'ip_not_allowed', 'account_suspended')
    if (access.requires !== undefined) note(403, access.requires === 'risk' ? 'plan_required' : 'feature_not_enabled')
    note(429, 'rate_limit_exceeded')
  }
  if (hasBody) {
    note(400, 'invalid_json')
    note(413, 'payload_too_large')
    note(415, 'unsupported_media_type')
    note(422, 'validation_error')
  }
  for (const { status, code } of raised) note(status, code)
  note(500, 'internal_error')
  note(503, 'service_unavailable')
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, errorSchema([...codes].sort())]))
}

function errorSchema(codes: readonly string[]): object {
  return { ...ERROR_SCHEMA, description: codes.join(', ') }
}

/** The same schema without the refusal of unknown fields: legacy paths ignore them. */
function lenient(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lenient)
  if (schema === null || typeof schema !== 'object') return schema
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'additionalProperties' || value !== false)
  return Object.fromEntries(entries.map(([key, value]) => [key, lenient(value)]))
}

// --- errors

interface PathPattern {
  readonly pattern: RegExp
  readonly method: string
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`)
}

function unknownPath(request: FastifyRequest, paths: readonly PathPattern[]): ApiError {
  const path = request.url.split('?', 1)[0] ?? ''
  const methods = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) return platformErrors.not_found()
  const allow = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
    .sort()
    .join(', ')
  return platformErrors.method_not_allowed({ allow }, { headers: { allow } })
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  const known = toApiError(error, request)
  if (known.status >= 500) {
    log.error(
      { request_id: request.id, method: request.method, route: request.routeOptions.url, err: known.cause ?? error },
      'request failed',
    )
  }
  reply.code(known.status).header('x-request-id', request.id).header('content-type', 'application/json; charset=utf-8')
  if (known.retryAfter !== null) reply.header('retry-after', String(known.retryAfter))
  for (const [name, value] of Object.entries(known.headers)) reply.header(name, value)
  return reply.send(errorBody(known, request.id))
}

/** Contract section 2. */
export function errorBody({ message, code, details }: ApiError, requestId: string): object {
  return { error: message, code, details, request_id: requestId }
}

function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (isUnavailable(error)) {
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
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return platformErrors.not_found()
    default:
      return platformErrors.internal_error({}, { cause: error })
  }
}

const BROKEN: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** What is not HTTP has no route, yet it gets the error form and a request id. */
function answerBrokenRequest(
  error: Error & { code?: string },
  socket: { writable: boolean; end(text: string): void; destroy(): void },
  requestId: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, reason] = BROKEN[error.code ?? ''] ?? [400, 'Bad Request']
  const fault = new ApiError(status, 'invalid_parameter', 'The request is not valid HTTP')
  const body = JSON.stringify(errorBody(fault, requestId))
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-ID: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

// --- OpenAPI

interface OpenApiDocument {
  readonly components?: Readonly<Record<string, unknown>> & { readonly schemas?: Readonly<Record<string, unknown>> }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly responses?: Record<string, { description?: string; content?: Record<string, { schema: unknown }> }>
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code', 'details', 'request_id'],
  properties: {
    error: { type: 'string' },
    code: { type: 'string' },
    details: { type: 'object', additionalProperties: true },
    request_id: { type: 'string' },
  },
}

/** The error form stands once; each response names the codes it may carry in its description. */
function withSharedErrors(document: OpenApiDocument): object {
  const copy = structuredClone(document)
  for (const operation of Object.values(copy.paths ?? {}).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (Number(status) >= 400)
        response.content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    }
  }
  return { ...copy, components: { ...copy.components, schemas: { ...copy.components?.schemas, Error: ERROR_SCHEMA } } }
}

function openapiOptions({ publicUrl, euUrl }: HttpOptions['openapi']): object {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Posthorn',
        version: API_VERSION,
        description: 'Email delivery, tracking and analytics, run by yourself.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [
        { url: publicUrl, description: 'This instance' },
        euUrl === null
          ? { url: publicUrl, description: 'Regional base address: coming soon' }
          : { url: euUrl, description: 'Regional base address' },
      ],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer' },
        },
      },
      security: [{ apiKey: [] }, { bearer: [] }],
    },
  }
}
