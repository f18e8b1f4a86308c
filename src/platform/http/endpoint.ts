// The declaration of an endpoint as a value: what it requires of its caller, what it takes, what it answers.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { ApiError, ErrorKind, FieldFault } from '../errors.ts'

/** The authenticated caller, as admitted by the gate. */
export interface Principal {
  readonly accountId: string
  /** Null for a dashboard session. */
  readonly keyId: string | null
  readonly mode: 'live' | 'sandbox'
  readonly scopes: readonly string[]
  /** The domains the key is bound to; null = all of the account's. */
  readonly domainIds: readonly string[] | null
}

/**
 * The domains a list may show. Null means all of them, and entries that belong to no domain.
 *
 * @param asked the domain the caller filters by; undefined: no filter
 * @param boundTo as in Principal
 */
export function domainsSeen(asked: string | undefined, boundTo: Principal['domainIds']): Principal['domainIds'] {
  if (boundTo === null) return asked === undefined ? null : [asked]
  return asked === undefined ? boundTo : boundTo.filter((id) => id === asked.toLowerCase())
}

/** What an endpoint requires of its caller. */
export interface Access {
  /** The key needs this scope or `full`. */
  readonly scope: string
  /** Rate class of the token bucket it draws from; `default` when absent. */
  readonly rate?: string
  /** Name of a separate bucket at the rate of its class; absent: the shared bucket of the class. */
  readonly bucket?: string
  /** A feature that the account or plan must have. */
  readonly requires?: 'risk' | 'content_events'
  /** Whether the call only reads, which a suspended account may do. Absent: GET and HEAD read, all other methods write. */
  readonly reads?: boolean
}

export interface Requester {
  readonly apiKeyHeader: string | readonly string[] | undefined
  /** Several different values are joined with a comma. */
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Tell whether another site's page may have made the browser send this request. */
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Sets a header of the answer, whether it succeeds or fails. */
  readonly setHeader: (name: string, value: string) => void
}

/** Checks, in this order: authentication, address, account, rate, scope, plan. */
export interface Gate {
  /** @throws ApiError */
  admit(requester: Requester, access: Access): Promise<Principal>
}

export interface Call<Params, Query, Body, Visitor = unknown> {
  readonly requestId: string
  readonly principal: Principal
  /** The result of the endpoint's `authenticate`. */
  readonly visitor: Visitor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly method: string
  /** As requested, without the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** True on a path under `/api` without a version. */
  readonly legacy: boolean
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The unparsed body, on an endpoint with `stream`. */
  readonly stream: Readable
}

/** What `authenticate` sees of a request. Nothing has been checked against a schema yet. */
export type UncheckedRequest = Pick<Call<never, never, never>, 'method' | 'path' | 'headers' | 'ip'>

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What an endpoint that imitates another service's API has in addition. */
export interface VendorApi {
  /** A header, in lower case, that may carry the key besides the two that always may. */
  readonly keyHeader?: string
  /** Unknown paths at or below this path are refused in the other service's error form too. */
  readonly folder: string
  /** First segments of its other paths: a program with a bearer token means this API there, too. */
  readonly others?: readonly string[]
  /** Error message there for a path that does not exist. */
  readonly missing: string
  readonly errorAnswer: (error: ApiError) => { readonly status: number; readonly body: unknown }
}

type Named = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

export interface Examples {
  readonly body?: Named
  readonly answers?: Readonly<Record<number, Named>>
}

/** One example of a body; the summary is for bodies that do not explain themselves. */
export function exampleBody(value: object, summary = 'Example'): Examples {
  return { body: { example: { summary, value } } }
}

/** Longest time any server waits for a request, in ms. */
export const LONGEST_BODY_MS = 3_600_000
/** Longest token at the end of a path, in characters: that of a 4 KB link, with room to spare. */
export const MAX_TOKEN_CHARS = 6_000

export interface Endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema, Visitor> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI form: `/api/v1/customer/domains/{id}`. */
  readonly path: string
  /** The unversioned path of the same operation, where the user's document shows one. */
  readonly legacyPath?: string
  /** Date from which the legacy path is deprecated; it then answers with `Deprecation` (RFC 9745). */
  readonly legacyDeprecatedSince?: string
  /** Null: public, no key needed. */
  readonly access: Access | null
  /** Authenticates by something other than a key. Runs at the point where the gate runs for other endpoints. */
  readonly authenticate?: (request: UncheckedRequest) => Promise<Visitor>
  /** A title, without an end. If more sentences follow it, they are the operation's description. */
  readonly summary: string
  /**
   * Its name in a generated client: `verifyDomain`. The legacy path gets `verifyDomainLegacy`. Absent: derived from method and
   * path; every path in our document has an explicit one.
   */
  readonly operationId?: string
  readonly tag: string
  readonly params?: Params
  readonly query?: Query
  /** Headers a client may send besides its key, for the document; `handle` validates them. */
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: Body
  /** Media types other than JSON whose body is passed on as a stream; `body` describes JSON only. */
  readonly stream?: readonly string[]
  /** Rewrites the text of a JSON body before it is parsed. Must take any bytes. */
  readonly rewriteBody?: (text: Buffer) => Buffer
  readonly bodyLimitBytes?: number
  /** Time in which a body must arrive, at most LONGEST_BODY_MS. Absent: 2 minutes. */
  readonly bodyWithinMs?: number
  /** Faults the schema cannot express, for any body. Reported together with the schema's, each field once. */
  readonly moreFaults?: (body: unknown, principal: Principal) => readonly FieldFault[] | Promise<readonly FieldFault[]>
  /** The handler validates the body against its schema itself, to report those faults together with its own. */
  readonly validatesItself?: boolean
  /** Schemas of the successful answers, by status. */
  readonly answers: Readonly<Record<number, TSchema>>
  /** Named examples of the JSON body and answers, for the document. */
  readonly examples?: Examples
  /** Errors the handler itself raises. */
  readonly errors?: readonly ErrorKind[]
  /** Imitates another service's API: every error is in its form, and the endpoint is left out of our OpenAPI document. */
  readonly foreign?: VendorApi
  /** The path ends with a token of letters, digits, `-` and `_`. Any other last segment is handled as an unknown token. */
  readonly anyToken?: true
  /**
   * Answers with 200 or 302 before the framework sees the request, exactly as `handle` would. Only for a public GET whose one
   * path parameter is the last segment. A body is a Buffer or ASCII. Null: `handle` answers.
   */
  plainly?(call: PlainCall): PlainAnswer | null
  handle(call: Call<Static<Params>, Static<Query>, Static<Body>, Visitor>): Promise<Answer>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of endpoints of different shapes has no narrower type
export type AnyEndpoint = Endpoint<any, any, any, any>

/** A plain GET of the fast path (fast-path.ts). */
export interface PlainCall {
  /** The last segment of the path: letters, digits, `-` and `_`, at least one. */
  readonly name: string
  /** The Host header, as sent. */
  readonly host: string
  readonly userAgent: string | undefined
  readonly ip: string
}

/** The fast path's answer, and when it is sent. */
export interface PlainAnswer {
  /** Without anything that differs between calls. The same object each time, so that it is rendered once. */
  readonly answer: Answer
  /** Value of the `location` header, each byte one character. Null: no such header. */
  readonly location: string | null
  /** The answer is sent once this resolves; simultaneous calls may share one promise. Null: at once. */
  readonly after: Promise<unknown> | null
  /** Null: a new one is generated. */
  readonly requestId: string | null
}

/** Infers the types of a handler from the endpoint's schemas. */
export function endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema, Visitor = null>(
  described: Endpoint<Params, Query, Body, Visitor>,
): AnyEndpoint {
  return described
}
