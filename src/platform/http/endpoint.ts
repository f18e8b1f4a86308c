// What a room says of an endpoint, as a value: what it asks of its caller, what it takes, what it answers.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Static, TSchema } from 'typebox'
import type { ApiError, ErrorKind, FieldFault } from '../errors.ts'

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

/**
 * The domains of which a list may tell; null = of all, and of what belongs to none.
 *
 * @param asked the one that the caller wants; undefined: all that there are
 * @param boundTo as in Principal
 */
export function domainsSeen(asked: string | undefined, boundTo: Principal['domainIds']): Principal['domainIds'] {
  if (boundTo === null) return asked === undefined ? null : [asked]
  return asked === undefined ? boundTo : boundTo.filter((id) => id === asked.toLowerCase())
}

/** What an endpoint asks of its caller. */
export interface Access {
  /** A key needs this scope or `full`. */
  readonly scope: string
  /** The token bucket it draws from; `default` when absent. */
  readonly rate?: string
  /** A bucket of its own at the rate of its class, by this name; absent: the one of the class. */
  readonly bucket?: string
  /** A feature of the account or plan that must be there. */
  readonly requires?: 'risk' | 'content_events'
  /** Reading is allowed to a suspended account. Absent: GET and HEAD read, all else writes. */
  readonly reads?: boolean
}

export interface Asker {
  readonly apiKeyHeader: string | readonly string[] | undefined
  /** Several that differ have a comma between them. */
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** False: a browser may have been led to send this by another site's page. */
  readonly fromOurPages: boolean
  readonly ip: string
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Sets a header of the answer, whatever it becomes. */
  readonly setHeader: (name: string, value: string) => void
}

/** Checked in this order: authentication, address, account, rate, scope, plan. */
export interface Gate {
  /** @throws ApiError */
  admit(asker: Asker, access: Access): Promise<Principal>
}

export interface Call<Params, Query, Body, Visitor = unknown> {
  readonly requestId: string
  readonly principal: Principal
  /** Whom the endpoint's door let in. */
  readonly visitor: Visitor
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly method: string
  /** As it was asked for, without the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** True on a path under `/api` without a version. */
  readonly legacy: boolean
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The body as it arrives, of an endpoint with `stream: true`. */
  readonly stream: Readable
}

/** What a door knows of who knocks: nothing of the request has been held against its schema. */
export type Knock = Pick<Call<never, never, never>, 'method' | 'path' | 'headers' | 'ip'>

export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** What an endpoint of another service's interface has that ours have not. */
export interface ForeignFace {
  /** A header, in lower case, that carries the key beside the two that always may. */
  readonly keyHeader?: string
  /** What is asked at this path or below it, and is not there, is refused in their form too. */
  readonly folder: string
  /** The first steps of its other paths: of a program with a bearer token these, too, are meant. */
  readonly others?: readonly string[]
  /** What is said there of a path that does not exist. */
  readonly missing: string
  readonly errorAnswer: (error: ApiError) => { readonly status: number; readonly body: unknown }
}

type Named = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

export interface Examples {
  readonly body?: Named
  readonly answers?: Readonly<Record<number, Named>>
}

/** No server waits longer for a request, whatever it is. */
export const LONGEST_BODY_MS = 3_600_000
/** Of a token at the end of a path: that of a link of 4 KB, and room. */
export const MAX_TOKEN_CHARS = 6_000

export interface Endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema, Visitor> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** OpenAPI form: `/api/v1/customer/domains/{id}`. */
  readonly path: string
  /** The same operation's path without a version, where the user's document shows one. */
  readonly legacyPath?: string
  /** Since when the legacy path is deprecated: it then answers `Deprecation` (RFC 9745). */
  readonly legacyDeprecatedSince?: string
  /** Null: public, nobody is asked for a key. */
  readonly access: Access | null
  /** Of an endpoint that asks for something else than a key: who comes in, decided where the gate decides of the others. */
  readonly door?: (knock: Knock) => Promise<Visitor>
  readonly summary: string
  /**
   * What a generated client calls it: `verifyDomain`. The legacy path has `verifyDomainLegacy`. Absent: made of method and
   * path, which no path of our document is content with.
   */
  readonly operationId?: string
  readonly tag: string
  readonly params?: Params
  readonly query?: Query
  /** Headers that a client may give beside its key, for the document; `handle` holds them against their rules. */
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: Body
  /** Media types other than JSON whose body is handed over as a stream; `body` is for JSON alone. */
  readonly stream?: readonly string[]
  readonly bodyLimitBytes?: number
  /** How long a body may take to arrive, at most LONGEST_BODY_MS. Absent: 2 minutes. */
  readonly bodyWithinMs?: number
  /** Faults that the schema cannot tell, of whatever body came: told together with the schema's, each field once. */
  readonly moreFaults?: (body: unknown, principal: Principal) => readonly FieldFault[] | Promise<readonly FieldFault[]>
  /** The room holds the body against its schema itself, to tell these faults together with its own. */
  readonly validatesItself?: boolean
  /** The answers of success, by status. */
  readonly answers: Readonly<Record<number, TSchema>>
  /** Of the body and of the answers in JSON, by name, for the document. */
  readonly examples?: Examples
  /** What the room itself raises here. */
  readonly errors?: readonly ErrorKind[]
  /** Somebody else's interface: errors in their form, whoever raised them, and no place in our OpenAPI document. */
  readonly foreign?: ForeignFace
  /** The path ends with a token of letters, digits, `-` and `_`: whatever else stands there is asked as one that nobody has. */
  readonly anyToken?: true
  /**
   * Answers ahead of the framework, with 200 or 302 and as `handle` would: of a public GET whose path has one parameter, the
   * last segment. A body is a Buffer or ASCII. Null: `handle` is asked.
   */
  plainly?(call: PlainCall): PlainAnswer | null
  handle(call: Call<Static<Params>, Static<Query>, Static<Body>, Visitor>): Promise<Answer>
}

// oxlint-disable-next-line typescript/no-explicit-any -- a list of endpoints of different shapes has no narrower type
export type AnyEndpoint = Endpoint<any, any, any, any>

/** A plain GET of the quick lane (lane.ts). */
export interface PlainCall {
  /** The last segment of the path: letters, digits, `-` and `_`, at least one. */
  readonly name: string
  readonly userAgent: string | undefined
  readonly ip: string
}

/** What the quick lane answers, and when. */
export interface PlainAnswer {
  /** One and the same each time, so that it is made once: without what differs from call to call. */
  readonly answer: Answer
  /** A header of its own, each byte one character. Null: it has none. */
  readonly location: string | null
  /** It is given when this has resolved; whoever comes together may share one. Null: at once. */
  readonly after: Promise<unknown> | null
  /** Null: one is made. */
  readonly requestId: string | null
}

/** Gives an endpoint's handler the types of its schemas. */
export function endpoint<Params extends TSchema, Query extends TSchema, Body extends TSchema, Visitor = null>(
  described: Endpoint<Params, Query, Body, Visitor>,
): AnyEndpoint {
  return described
}
