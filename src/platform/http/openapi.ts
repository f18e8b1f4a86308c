// Endpoints as an OpenAPI 3.1 document, made from the same values that are served.

import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import type { AnyEndpoint, Examples } from './endpoint.ts'
import { sharedResponses } from './openapi-responses.ts'
import { namedSchemas } from './openapi-schemas.ts'
import { NAME } from './schema-names.ts'

const API_VERSION = '1.4.0'

export interface OpenApiAddresses {
  readonly publicUrl: string
  readonly euUrl: string | null
  /** What the document contains besides paths; called when the document is requested. */
  readonly also?: () => DescribedBeside
}

export interface DescribedBeside {
  /** OpenAPI 3.1 `webhooks`: the calls the service makes. */
  readonly webhooks: object
  /** The groups of operations, in reading order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[]
}

export function schemaOf(described: AnyEndpoint, legacy: boolean): Record<string, unknown> {
  const { access, params, query, headers, body, answers, examples = {} } = described
  return {
    operationId: operationId(described, legacy),
    hide: described.foreign !== undefined,
    ...headAndRest(described.summary),
    tags: [described.tag],
    ...(legacy && { deprecated: true }),
    ...(access === null ? { security: [] } : { 'x-scope': access.scope }),
    ...(params !== undefined && { params }),
    ...(query !== undefined && { querystring: withoutDefaulted(query) }),
    ...(headers !== undefined && { headers: { type: 'object', properties: headers } }),
    ...(body !== undefined && {
      body: bodyContent(withExamples(bodySchema(body, legacy), examples.body), described.stream),
    }),
    response: { ...describedAnswers(answers, examples.answers), ...describedErrors(described) },
  }
}

/** The first sentence is the title by which tools list an operation; the others are its description. */
function headAndRest(text: string): { readonly summary: string; readonly description?: string } {
  const [, summary, description] = /^(.*?)\. (?=[A-Z])(.*)$/s.exec(text) ?? []
  return summary === undefined || description === undefined ? { summary: text } : { summary, description }
}

function operationId({ operationId: given, method, path }: AnyEndpoint, legacy: boolean): string {
  const name = given ?? method.toLowerCase() + path.replaceAll(/[^A-Za-z0-9]+/g, '_')
  return legacy ? `${name}Legacy` : name
}

/** JSON only, or JSON next to types taken as a stream. */
function bodyContent(body: TSchema, stream: readonly string[] | undefined): object {
  if (stream === undefined) return body
  const asTheyCome = stream.map((type) => [type, { schema: { contentMediaType: type } }])
  return { content: { 'application/json': { schema: body }, ...Object.fromEntries(asTheyCome) } }
}

/** A field with a default is optional; validation fills it in. */
function withoutDefaulted(query: TSchema): TSchema {
  const { properties = {}, required = [] } = query as {
    properties?: Readonly<Record<string, { readonly default?: unknown }>>
    required?: readonly string[]
  }
  return { ...query, required: required.filter((name) => properties[name]?.default === undefined) }
}

function describedAnswers(
  answers: Readonly<Record<number, TSchema>>,
  examples: NonNullable<Examples['answers']> = {},
): Record<number, unknown> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      withExamples(describedAnswer(schema), examples[Number(status)]),
    ]),
  )
}

/** Adds named examples under the framework's own key, which validation ignores. */
function withExamples<Schema extends object>(schema: Schema, examples: Examples['body']): Schema {
  return examples === undefined ? schema : { ...schema, 'x-examples': examples }
}

/** JSON, or the media type that the schema names. */
function describedAnswer(schema: TSchema): object {
  const { contentMediaType: type, description = 'Success' } = schema as {
    contentMediaType?: string
    description?: string
  }
  if (type === undefined) return { 'x-response-description': description, ...schema }
  return { description, content: { [type]: { schema: { type: 'string' } } } }
}

function describedErrors({
  access,
  method,
  body,
  stream,
  errors = [],
}: Pick<AnyEndpoint, 'access' | 'method' | 'body' | 'stream' | 'errors'>): Record<number, unknown> {
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
  // A body is read, and refused, even where none is expected.
  if (method !== 'GET') {
    note(413, 'payload_too_large')
    note(415, 'unsupported_media_type')
    if (body !== undefined || stream === undefined) {
      note(400, 'invalid_json')
      note(422, 'validation_error')
    }
  }
  for (const { status, code } of errors) note(status, code)
  note(500, 'internal_error')
  note(503, 'service_unavailable')
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, errorSchema([...codes].sort())]))
}

function errorSchema(codes: readonly string[]): object {
  return { ...ERROR_SCHEMA, description: codes.join(', ') }
}

/** A body's schema on a path: legacy paths ignore unknown fields. */
export function bodySchema(body: TSchema, legacy: boolean): TSchema {
  return legacy ? (lenient(body) as TSchema) : body
}

/** Lets a schema accept unknown fields, as legacy paths do. A named schema that changes gets another name. */
function lenient(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lenient)
  if (schema === null || typeof schema !== 'object') return schema
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'additionalProperties' || value !== false)
  const copy: Record<string, unknown> = Object.fromEntries(entries.map(([key, value]) => [key, lenient(value)]))
  const isOther = copy[NAME] !== undefined && !isDeepStrictEqual(copy, { ...schema })
  return isOther ? { ...copy, [NAME]: `${String(copy[NAME])}Legacy` } : copy
}
export interface OpenApiDocument {
  readonly components?: Readonly<Record<string, unknown>> & { readonly schemas?: Readonly<Record<string, unknown>> }
  readonly paths?: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

interface OpenApiOperation {
  readonly operationId?: string
  readonly deprecated?: boolean
  readonly 'x-scope'?: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly responses?: Record<string, OpenApiResponse>
}

interface OpenApiResponse {
  description?: string
  headers?: Record<string, object>
  content?: Record<string, { schema: unknown }>
}

const count = (description: string): object => ({ description, schema: { type: 'integer' } })
const words = (description: string): object => ({ description, schema: { type: 'string' } })

/** All answer headers that mean something to a client. Each is in the document once and referred to where it is sent. */
const HEADERS: Readonly<Record<string, object>> = {
  'X-Request-ID': words('ID of the request, as in the log and in error responses.'),
  'RateLimit-Limit': count('Number of requests that can be made at once.'),
  'RateLimit-Remaining': count('Number of requests remaining.'),
  'RateLimit-Reset': count('Seconds until all requests are available again.'),
  'X-RateLimit-Limit': count('Same as RateLimit-Limit.'),
  'X-RateLimit-Remaining': count('Same as RateLimit-Remaining.'),
  'X-RateLimit-Reset': count('Same as RateLimit-Reset.'),
  'Retry-After': count('Seconds to wait before the next request.'),
  'Idempotent-Replayed': words(
    '`true` when this is the stored response of the first request with the same key. Absent on the first request.',
  ),
  Link: words('The versioned path: `<..>; rel="successor-version"`.'),
  Deprecation: words('Since when the path is deprecated (RFC 9745). Absent when no date is set.'),
  'WWW-Authenticate': words('Authentication scheme: `Bearer`.'),
  'Content-Disposition': words('Name of the file.'),
}
const RATES = Object.keys(HEADERS).filter((name) => name.includes('RateLimit'))

function headersOf(operation: OpenApiOperation, status: number, { content = {} }: OpenApiResponse): readonly string[] {
  const good = status < 400
  const keyed = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
  return [
    // Every answer has it. Errors repeat it in their body; left out there to keep a document of this size shorter.
    ...(good ? ['X-Request-ID'] : []),
    ...(operation['x-scope'] !== undefined && (good || status === 429) ? RATES : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(good && keyed ? ['Idempotent-Replayed'] : []),
    ...(good && operation.deprecated === true ? ['Link', 'Deprecation'] : []),
    ...(good && 'text/csv' in content ? ['Content-Disposition'] : []),
  ]
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'code', 'details', 'request_id'],
  properties: {
    error: { type: 'string', description: 'For people; may change.' },
    code: { type: 'string', description: 'For programs; does not change.' },
    details: {
      type: 'object',
      additionalProperties: true,
      description: 'Depends on the code. Empty when there is none.',
    },
    request_id: { type: 'string', description: 'Same as the header X-Request-ID.' },
  },
}

/**
 * Moves what operations share into components: named schemas, the error form (except where an error is a page), refusals
 * and headers. The description of each response lists the codes it may carry.
 *
 * @throws Error when different schemas share a name, or operations share an id
 */
export function completed(document: OpenApiDocument, { webhooks, tags }: Partial<DescribedBeside> = {}): object {
  const copy = structuredClone(document)
  const operations = Object.values(copy.paths ?? {}).flatMap((path) => Object.values(path))
  refuseTwins(operations)
  for (const operation of operations) describeResponses(operation)
  const responses = sharedResponses(operations)
  const known = namedSchemas()
  known.add('Error', ERROR_SCHEMA)
  const paths = known.read(copy.paths)
  const calls = known.read(webhooks)
  return {
    ...copy,
    ...(tags !== undefined && { tags }),
    paths,
    components: { ...copy.components, headers: HEADERS, responses, schemas: known.all() },
    ...(calls !== undefined && { webhooks: calls }),
  }
}

function describeResponses(operation: OpenApiOperation): void {
  for (const [status, response] of Object.entries(operation.responses ?? {})) {
    const [type = 'application/json'] = Object.keys(response.content ?? {})
    if (Number(status) >= 400 && type === 'application/json')
      response.content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
    const headers = headersOf(operation, Number(status), response)
    if (headers.length > 0)
      response.headers = Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  }
}

function refuseTwins(operations: readonly OpenApiOperation[]): void {
  const ids = operations.map(({ operationId: id }) => id)
  const twin = ids.find((id, at) => id !== undefined && ids.indexOf(id) !== at)
  if (twin !== undefined) throw new Error(`two operations are called ${twin}`)
}

export function openapiOptions({ publicUrl, euUrl }: OpenApiAddresses): object {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Posthorn',
        version: API_VERSION,
        description: 'Self-hosted email delivery, tracking and analytics.',
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
