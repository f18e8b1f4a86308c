// The HTTP interface of all rooms. A room describes its endpoints as values; only this file and `http/` know the web
// framework. They implement what the contract requires of every answer (section 1: request ids, envelopes, legacy paths)
// and of every error (section 2: its form, and the order of checks: request id, path, method, the gate, size, type, JSON,
// validation; idempotency, sender, quota and verdict belong to the rooms).

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import swagger from '@fastify/swagger'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Clock } from './clock.ts'
import type { DatabaseHeartbeat } from './database-heartbeat.ts'
import { type FieldFault, NO_OBJECT, parameterError, validationError } from './errors.ts'
import { BY_ASKER, FOR_PROGRAMS, isBrowser } from './http/askers.ts'
import { DEFAULT_BODY_BYTES, type Large, readBodies } from './http/bodies.ts'
import { clientAddress } from './http/client-address.ts'
import { addPages, isTyped, sendPage } from './http/dashboard-files.ts'
import {
  type Answer,
  type AnyEndpoint,
  type Call,
  type Gate,
  LONGEST_BODY_MS,
  MAX_TOKEN_CHARS,
  type Principal,
  type Requester,
  type UncheckedRequest,
  type VendorApi,
} from './http/endpoint.ts'
import {
  answerBrokenRequest,
  answerError,
  type PathPattern,
  patternOf,
  unknownMethod,
  unknownPath,
} from './http/errors.ts'
import { type FastPath, fastPath } from './http/fast-path.ts'
import {
  bodySchema,
  completed,
  type OpenApiAddresses,
  type OpenApiDocument,
  openapiOptions,
  schemaOf,
} from './http/openapi.ts'
import { isInTheClear } from './http/origin.ts'
import { cutUnread } from './http/unread-answers.ts'
import type { Ids } from './ids.ts'
import type { Logger } from './log.ts'
import { acceptAll, bodyValidator, refuseUnfitText, validatorCompiler } from './validation.ts'

export type * from './http/endpoint.ts'
export { domainsSeen, endpoint, exampleBody, LONGEST_BODY_MS } from './http/endpoint.ts'
export * from './http/envelopes.ts'
export { errorBody } from './http/errors.ts'
export { LINK_PAGE_TEXTS } from './http/link-page-texts.ts'
export * from './http/list-files.ts'
export { isFromOurPages } from './http/origin.ts'
export * from './http/pages.ts'
export { named } from './http/schema-names.ts'

export interface HttpOptions {
  readonly gate: Gate
  readonly log: Logger
  readonly ids: Ids
  readonly trustedProxies: readonly string[]
  readonly openapi: OpenApiAddresses
  /** The dashboard: the folder of its files, and the addresses of its views. */
  readonly pages?: { readonly folder: string; readonly addresses: readonly string[] } | null
  /** The public URL, if it is https and we serve TLS for it: pages requested without TLS redirect there. Absent: they do not. */
  readonly secure?: URL | null
  /** Called for each answered request. `route`: as in the OpenAPI document, or 'unknown'. */
  readonly onAnswered?: (answered: { method: string; route: string; status: number; seconds: number }) => void
  /** Where large bodies wait for their turn. Absent: the folder for temporary files, with turns of its own. */
  readonly large?: Large
  /** Whether this address is hidden under this host name because it belongs to someone else. Absent: nothing is hidden. */
  readonly isWithheld?: (host: string, url: string) => boolean
  /** Whether the database answers. Absent: assumed to. */
  readonly heartbeat?: Pick<DatabaseHeartbeat, 'whileBeating'>
  /** For the fast path. Absent: there is none. */
  readonly clock?: Clock
  /** Half of how long a client may read nothing of an answer that waits for it. Default: 30 s. */
  readonly unreadMs?: number
}

/** The answer at an address that is hidden under the requested host name. */
export const NOT_FOUND = {
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'Not found',
} as const

const MAX_URL_CHARS = 8_192
const MAX_HEADER_BYTES = 16_384
const HEADERS_WITHIN_MS = 15_000
/** By default Node checks its timeouts every 30 s: headers limited to 15 s could take up to 45. */
const LATENESS_SEEN_AFTER_MS = 1_000
const BODY_WITHIN_MS = 120_000
const IDLE_MS = 72_000
const TOKEN = new RegExp(`^[\\w-]{1,${MAX_TOKEN_CHARS}}$`)
const NO_TOKEN = '-'
const HSTS_SECONDS = 30 * 86_400
/** For every answer to a known caller, unless the answer sets its own. Shared caches know neither X-API-Key nor our cookie. */
const PRIVATE = 'private, no-store'
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

export interface HttpServer {
  readonly app: FastifyInstance
  add(endpoints: readonly AnyEndpoint[]): void
  /** Answers before the framework; null without a clock. */
  readonly fastPath: FastPath | null
  /** Answers what the parser broke off. `guest`: the guest name of the handshake, which replaces the host of the request. */
  answerBroken(error: Error, socket: Duplex, guest: string | null): void
  /** The OpenAPI 3.1 document of the added endpoints. Complete once the server is ready. */
  document(): object
}

export async function httpServer(options: HttpOptions): Promise<HttpServer> {
  const tokenFolders: string[] = []
  const paths: PathPattern[] = []
  const isWithheld = (host: string, url: string): boolean => options.isWithheld?.(host, url) === true
  const answerBroken = (error: Error, socket: Duplex, guest: string | null): void => {
    const asked = unknownMethod(error)
    const isHere = asked !== null && !isWithheld(guest ?? asked.host, asked.url)
    answerBrokenRequest(error, socket, options.ids.next(), isHere ? unknownPath(asked, paths, null) : null)
  }
  const app = fastify({
    bodyLimit: DEFAULT_BODY_BYTES,
    requestTimeout: LONGEST_BODY_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // Otherwise Node itself would answer a request without a host, in its own form.
    http: {
      headersTimeout: HEADERS_WITHIN_MS,
      connectionsCheckingInterval: LATENESS_SEEN_AFTER_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_URL_CHARS, constraints: { asker: BY_ASKER } },
    rewriteUrl: ({ url = '/' }) => withToken(url, tokenFolders),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request, options.ids),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    clientErrorHandler: (error, socket) => answerBroken(error, socket, null),
    frameworkErrors: (error, request, reply) => {
      // The hooks, which would set it, do not run for such a request.
      reply.header('x-request-id', request.id)
      if (isWithheld(request.hostname, request.url)) void answerNotFound(reply)
      else void answerError(error, request, reply, options.log, faceAt(request))
    },
  })
  const faces = new Set<VendorApi>()
  const faceAt = (request: FastifyRequest): VendorApi | null => [...faces].find(isMeantBy(request)) ?? null
  /** Null: the page may be served here. */
  const toSecure = (request: FastifyRequest, reply: FastifyReply): FastifyReply | null => {
    const { secure = null } = options
    if (secure === null || !isInTheClear(request, secure)) return null
    return reply.header('cache-control', 'no-store').redirect(`${secure.origin}${request.url}`)
  }
  // RFC 9110 section 10.1.1: an unknown expectation may be ignored.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorateRequest('principal', null)
  app.decorateRequest('visitor', null)
  app.decorateRequest('clientAddress', '')
  const addressOf = clientAddress(options.trustedProxies)
  app.setSerializerCompiler(() => JSON.stringify)
  app.setValidatorCompiler(validatorCompiler())
  readBodies(app, options.large)
  cutUnread(app, options.unreadMs)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    const forwardedFor = request.headers['x-forwarded-for']?.toString()
    request.setDecorator('clientAddress', addressOf(request.socket.remoteAddress ?? '', forwardedFor))
    const isSecure = request.protocol === 'https' && request.hostname === options.secure?.hostname
    // With another port it would shut off the host's other services without TLS (RFC 6797 section 8.3).
    if (isSecure && options.secure?.port === '') reply.header('strict-transport-security', `max-age=${HSTS_SECONDS}`)
    const hostFault = hostFaultOf(request)
    if (hostFault !== null) throw parameterError('host', hostFault, 'must be given once')
    if (isWithheld(request.hostname, request.url)) return answerNotFound(reply)
    if (hasBody(request.headers)) endLateBody(request, reply)
    if (request.url.length > MAX_URL_CHARS)
      throw parameterError('url', 'max_length', `must have at most ${MAX_URL_CHARS} characters`)
    // The framework would read and judge the body first.
    if (request.is404 && !isTyped(request)) throw unknownPath(request, paths, faceAt(request))
  })
  app.addHook('preValidation', async (request) => {
    if (request.is404) return
    refuseUnfitText(request.params)
    refuseUnfitText(request.query)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}') ?? 'unknown'
    const { method } = request
    options.onAnswered?.({ method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 })
  })
  app.setErrorHandler((error, request, reply) =>
    answerError(error, request, reply, options.log, request.is404 ? faceAt(request) : null),
  )
  app.setNotFoundHandler((request, reply) => {
    const face = faceAt(request)
    const error = unknownPath(request, paths, face)
    if (options.pages != null && error.status === 404 && isTyped(request))
      return toSecure(request, reply) ?? sendPage(reply.code(404))
    return answerError(error, request, reply, options.log, face)
  })
  await app.register(swagger, openapiOptions(options.openapi))
  if (options.pages != null) {
    await addPages(app, options.pages, (request, reply) => {
      const face = isBrowser(request) ? null : faceAt(request)
      if (face === null && !hasBearer(request)) return toSecure(request, reply)
      return answerError(unknownPath(request, paths, face), request, reply, options.log, face)
    })
  }
  const quick = options.clock === undefined ? null : fastPathOf(options, options.clock)
  let described: object | null = null
  return {
    app,
    fastPath: quick,
    answerBroken,
    document: () => {
      described ??= completed((app as unknown as { swagger(): OpenApiDocument }).swagger(), options.openapi.also?.())
      return described
    },
    add: (endpoints) => {
      for (const described of endpoints) {
        addRoute(app, options, described, described.path, false)
        if (described.legacyPath !== undefined) addRoute(app, options, described, described.legacyPath, true)
        for (const path of [described.path, described.legacyPath ?? described.path]) {
          paths.push({ pattern: patternOf(path), method: described.method })
        }
        if (described.anyToken === true) tokenFolders.push(described.path.slice(0, described.path.lastIndexOf('/') + 1))
        if (described.foreign !== undefined) faces.add(described.foreign)
        quick?.add(described)
      }
    },
  }
}

function answerNotFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).headers(NOT_FOUND.headers).send(NOT_FOUND.body)
}

function fastPathOf({ ids, log, trustedProxies, onAnswered = () => undefined }: HttpOptions, clock: Clock): FastPath {
  return fastPath({
    clock,
    ids,
    trustedProxies,
    firstWithinMs: HEADERS_WITHIN_MS,
    idleMs: IDLE_MS,
    onAnswered,
    onError: (err) => log.error({ err }, 'a request was not answered'),
  })
}

/** @returns the address; a missing or malformed token is replaced by one that nobody has */
function withToken(url: string, folders: readonly string[]): string {
  const folder = folders.find((each) => url.startsWith(each))
  if (folder === undefined) return url
  const query = url.indexOf('?')
  const rest = url.slice(folder.length, query === -1 ? url.length : query)
  return rest === '' || TOKEN.test(rest) ? url : folder + NO_TOKEN
}

/** Whether a request for an unknown path is meant for a given foreign interface. */
function isMeantBy(request: FastifyRequest): (face: VendorApi) => boolean {
  const path = pathOf(request)
  const [, first = ''] = path.split('/', 2)
  const isOurs = first === 'api'
  return ({ folder, others = [], keyHeader }) =>
    path === folder ||
    path.startsWith(`${folder}/`) ||
    (hasBearer(request) && others.includes(first)) ||
    (!isOurs && keyHeader !== undefined && request.headers[keyHeader] !== undefined)
}

/** RFC 9112 section 3.2. Node keeps the first of several hosts, while a proxy in front of us may have used another. */
function hostFaultOf({ raw: { headers, rawHeaders, httpVersion } }: FastifyRequest): 'required' | 'unique' | null {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'required' : null
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length > 1 ? 'unique' : null
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** A body that is not complete in time ends with its connection, and with 408 if nothing was answered yet. */
function endLateBody(request: FastifyRequest, reply: FastifyReply): void {
  const { bodyWithinMs = BODY_WITHIN_MS } = (request.routeOptions.config ?? {}) as { bodyWithinMs?: number }
  const { socket } = request.raw
  const timer = setTimeout(() => {
    const late = Object.assign(new Error('the body is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    if (!reply.raw.headersSent) answerBrokenRequest(late, socket, request.id)
    socket.destroySoon()
  }, bodyWithinMs).unref()
  const inTime = (): void => clearTimeout(timer)
  request.raw.once('end', inTime).once('close', inTime)
}

function requestIdOf(request: { headers: IncomingHttpHeaders }, ids: Ids): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : ids.next()
}

function addRoute(
  app: FastifyInstance,
  { gate, heartbeat, pages }: HttpOptions,
  described: AnyEndpoint,
  path: string,
  legacy: boolean,
): void {
  const { access, authenticate, moreFaults } = described
  const refuseUnfitBody = faultsAhead(described, legacy)
  const whileBeating = heartbeat?.whileBeating ?? (<T>(work: () => Promise<T>): Promise<T> => work())
  const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
  const isView = described.method === 'GET' && pages?.addresses.includes(url) === true
  app.route({
    method: described.method,
    url,
    ...(isView && FOR_PROGRAMS),
    schema: schemaOf(described, legacy),
    bodyLimit: described.bodyLimitBytes ?? DEFAULT_BODY_BYTES,
    config: {
      stream: described.stream ?? null,
      rewriteBody: described.rewriteBody ?? null,
      legacy,
      errorAnswer: described.foreign?.errorAnswer ?? null,
      bodyWithinMs: described.bodyWithinMs ?? BODY_WITHIN_MS,
    },
    ...(described.validatesItself === true && { validatorCompiler: acceptAll }),
    onRequest: async (request, reply) => {
      // The router accepts an empty parameter: `/emails/` is not a valid path, just like `/emails/x/`.
      if (access !== null && Object.values(request.params ?? {}).includes('')) return reply.callNotFound()
      if (legacy) markLegacy(reply, request, described)
      if (authenticate !== undefined) request.setDecorator('visitor', await authenticate(uncheckedRequestOf(request)))
      if (access === null) return
      const principal = await whileBeating(() => gate.admit(requesterOf(request, reply, described), access))
      request.setDecorator('principal', principal)
    },
    preValidation: async (request) => {
      const { body } = request
      if (body instanceof Readable) return
      const found = async () => moreFaults?.(body, request.getDecorator<Principal>('principal')) ?? []
      refuseUnfitBody(body, moreFaults === undefined ? [] : await whileBeating(found))
    },
    handler: async (request, reply) => {
      const handle = (): Promise<Answer> => described.handle(callOf(request, reply, legacy))
      const writes = described.method !== 'GET'
      const answer = access === null ? await handle() : await whileBeating(handle, writes)
      reply.code(answer.status)
      if (access !== null || authenticate !== undefined) reply.header('cache-control', PRIVATE)
      for (const [name, value] of Object.entries(answer.headers ?? {})) reply.header(name, value)
      return reply.send(answer.body)
    },
  })
}

/**
 * Finds faults that the framework misses: it validates a body only for its exact media type, while beside a streamed type
 * every JSON type counts, and it does not know the faults that a room adds.
 */
function faultsAhead(
  { stream, body, validatesItself }: AnyEndpoint,
  legacy: boolean,
): (given: unknown, more: readonly FieldFault[]) => void {
  const faultsOf = body === undefined || validatesItself === true ? () => [] : bodyValidator(bodySchema(body, legacy))
  return (given, more) => {
    if (stream === undefined && more.length === 0) return
    const faults = faultsOf(given)
    const all = [
      ...faults,
      ...more.filter(({ field }) => faults.every((fault) => fault.field !== field && fault.field !== NO_OBJECT.field)),
    ]
    if (all.length > 0) throw validationError(all)
  }
}

function requesterOf(request: FastifyRequest, reply: FastifyReply, { foreign }: AnyEndpoint): Requester {
  const foreignKey = foreign?.keyHeader === undefined ? undefined : request.headers[foreign.keyHeader]
  return {
    apiKeyHeader: foreignKey ?? request.headers['x-api-key'],
    authorization: authorizationOf(request.raw),
    cookie: request.headers.cookie,
    headers: request.headers,
    ip: request.getDecorator('clientAddress'),
    method: request.method,
    path: pathOf(request),
    setHeader: (name, value) => void reply.header(name, value),
  }
}

/** Node keeps the first of several headers: differing ones are joined with commas, as for other headers. */
function authorizationOf({ headers: { authorization }, rawHeaders }: IncomingMessage): string | undefined {
  if (authorization === undefined) return undefined
  const isOne = (at: number): boolean => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization'
  return [...new Set(rawHeaders.filter((_, at) => isOne(at)))].join(', ')
}

/** No browser sends one by itself: a page requested with one means a path of another interface. */
function hasBearer({ headers }: FastifyRequest): boolean {
  return /^bearer /i.test(headers.authorization ?? '')
}

function uncheckedRequestOf(request: FastifyRequest): UncheckedRequest {
  return {
    method: request.method,
    path: pathOf(request),
    headers: request.headers,
    ip: request.getDecorator('clientAddress'),
  }
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url
}

function callOf(request: FastifyRequest, reply: FastifyReply, legacy: boolean): Call<never, never, never> {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the client went away'))
  })
  return {
    requestId: request.id,
    principal: request.getDecorator<Principal>('principal'),
    visitor: request.getDecorator('visitor'),
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    ...uncheckedRequestOf(request),
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
