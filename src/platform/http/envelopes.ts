// The only place that builds envelopes (contract section 1), and the schemas that many endpoints share.

import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type Static, type TNull, type TObject, type TSchema, type TSchemaOptions, type TUnion, Type } from 'typebox'
import type { Answer } from './endpoint.ts'
import { listTotal } from './list-page.ts'
import { named, namedAfter } from './schema-names.ts'

type Also = Readonly<Record<string, unknown>>

/** `{data}` plus the legacy keys that the user's document shows beside it. */
export function single(data: unknown, { status = 200, also = {} }: { status?: number; also?: Also } = {}): Answer {
  return { status, body: { data, ...also } }
}

/** `{data, pagination}` plus the legacy key. */
export function list(data: readonly unknown[], pagination: object, also: Also = {}): Answer {
  return { status: 200, body: { data, pagination, ...also } }
}

/** A bare object: its fields at top level and under `data`. */
export function bare(fields: object, { status = 200, also = {} }: { status?: number; also?: Also } = {}): Answer {
  return { status, body: { ...fields, ...also, data: fields } }
}

/** Bytes or a stream, for types other than JSON. */
export function raw(
  contentType: string,
  body: Buffer | Readable | string,
  headers: Record<string, string> = {},
): Answer {
  return { status: 200, body, headers: { 'content-type': contentType, ...headers } }
}

// --- schemas that many endpoints share

/** Schema of an answer that is not JSON. */
export function typed(mediaType: string, description = mediaType): TSchema {
  return Type.String({ contentMediaType: mediaType, description })
}

/** Schema of a value that may be null. */
export function nullable<Schema extends TSchema>(
  schema: Schema,
  options: TSchemaOptions = {},
): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()], options)
}

export const Uuid = Type.String({ format: 'uuid' })
export const DateTime = Type.String({ format: 'date-time' })
/** Pattern of a text without control characters: one line. */
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
export const CalendarDate = Type.String({ format: 'date', examples: ['2026-01-31'] })
export const IdParams = Type.Object({ id: Uuid })
/** Bounds of lists by day. */
export const FromDate = Type.Optional(Type.String({ ...CalendarDate, description: 'Only this day and later ones.' }))
export const ToDate = Type.Optional(Type.String({ ...CalendarDate, description: 'Only this day and earlier ones.' }))
/** Bounds of large lists. */
export const FromTime = Type.Optional(
  Type.String({ format: 'date-time', description: 'Only entries at or after this time.' }),
)
export const ToTime = Type.Optional(Type.String({ format: 'date-time', description: 'Only entries before this time.' }))
const DEFAULT_PAGE_LIMIT = 50
const page = (absent: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: `Number of the page. ${absent}` }))
const pageLimit = (absent: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: `Entries on a page. ${absent}` }))
export const Page = page('1 when absent.')
export const PageLimit = pageLimit(`${DEFAULT_PAGE_LIMIT} when absent.`)
const IN_FULL = 'When neither page nor limit is given, the list comes in full.'
/** For lists that `pageWindowIfAsked` reads: short enough to be returned in full. */
export const WholePage = page(IN_FULL)
export const WholePageLimit = pageLimit(IN_FULL)
export const ListLimit = Type.Integer({ minimum: 1, maximum: 1000, default: 100 })
export const ListOffset = Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 })
function cursor(rule: { readonly format: string } | { readonly pattern: string }) {
  return Type.Optional(Type.String({ ...rule, description: 'The next_cursor of the previous page.' }))
}
/** The id of the previous page's last entry, in lower case. */
export const ListCursor = cursor({ format: 'uuid' })
/** The place of the previous page's last entry, where its id does not tell it. */
export const placeCursor = (pattern: RegExp) => cursor({ pattern: pattern.source })

export const PagePagination = named(
  'PagePagination',
  Type.Object({
    page: Type.Integer(),
    limit: Type.Integer(),
    total: Type.Integer({ description: 'Number of entries on all pages.' }),
    pages: Type.Integer(),
  }),
)
export const CursorPagination = named(
  'CursorPagination',
  Type.Object({
    total: Type.Integer({
      description: 'Number of entries. Emails, events and content events are counted up to 100,000.',
    }),
    limit: Type.Integer(),
    offset: Type.Integer(),
    next_cursor: nullable(Type.String(), {
      description: 'Value of `cursor` for the next page. Null on the last page.',
    }),
  }),
)

/** `Email` becomes `EmailResponse`. */
export function dataOf(schema: TSchema, also: Record<string, TSchema> = {}): TSchema {
  return namedAfter(schema, 'Response', Type.Object({ data: schema, ...also }))
}

/** `Email` becomes `EmailList`. */
export function listOf(schema: TSchema, pagination: TSchema, also: Record<string, TSchema> = {}): TSchema {
  return namedAfter(schema, 'List', Type.Object({ data: Type.Array(schema), pagination, ...also }))
}

/** The schema of `bare`; `TrackingDomain` becomes `TrackingDomainResponse`. */
export function bareOf(schema: TObject, also: Record<string, TSchema> = {}): TSchema {
  return namedAfter(schema, 'Response', Type.Object({ ...schema.properties, ...also, data: schema }))
}

/** `page` and `limit` of a query. */
export interface PageQuery {
  readonly page?: number
  readonly limit?: number
}

/** The rows that a page shows. */
export interface PageWindow {
  readonly page: number
  readonly limit: number
  readonly offset: number
}

export function pageWindow({ page = 1, limit = DEFAULT_PAGE_LIMIT }: PageQuery): PageWindow {
  return { page, limit, offset: (page - 1) * limit }
}

/** For lists that are short enough to be returned in full. @returns null: the query has neither `page` nor `limit` */
export function pageWindowIfAsked(query: PageQuery): PageWindow | null {
  return query.page === undefined && query.limit === undefined ? null : pageWindow(query)
}

/**
 * The total as in `listTotal`.
 *
 * @param window null: the list is returned in full, on one page, or on none when it is empty
 * @param shown number of rows on this page
 */
export function paginationOf(window: PageWindow | null, shown: number, counted: number): Static<typeof PagePagination> {
  if (window === null) return { page: 1, limit: Math.max(1, shown), total: shown, pages: Math.min(1, shown) }
  const { page, limit, offset } = window
  const total = Math.max(listTotal({ offset, shown, goesOn: shown === limit }, counted), shown > 0 ? offset + shown : 0)
  return { page, limit, total, pages: Math.ceil(total / limit) }
}

/** For an answer that shows a secret. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

/** Names an inline script or style in a content security policy. */
export function sourceHash(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/** For HTML written by strangers, shown in a frame of ours: no scripts, forms or requests, and no way out of the frame. */
export const FRAMED_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

export const FRAMED_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `sandbox; ${FRAMED_POLICY}`,
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
}
