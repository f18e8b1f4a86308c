// Posthorn's API with types. The types are generated from the OpenAPI document; at run time there is nothing but `fetch`,
// by way of openapi-fetch. Each call resolves to `{data, error, response}`; `unwrap` throws in place of `error`.
//
//   const posthorn = posthornClient({ baseUrl: 'https://mail.example.com', apiKey })
//   const { data } = unwrap(await posthorn.POST('/api/v1/send', { body: { from, to, subject, text } }))

import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { components, paths } from './schema.ts'

export type { components, operations, paths } from './schema.ts'

/** The body of every error. */
export type ErrorBody = components['schemas']['Error']

export interface PosthornOptions {
  /** Where the API is: `https://mail.example.com`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** In place of the global one. */
  readonly fetch?: NonNullable<ClientOptions['fetch']>
}

export type PosthornClient = Client<paths, `${string}/${string}`>

/** Methods are named as HTTP names them, paths as the reference does: `client.GET('/api/v1/emails/{id}', ..)`. */
export function posthornClient({ baseUrl, apiKey, fetch }: PosthornOptions): PosthornClient {
  return createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { 'X-API-Key': apiKey },
    ...(fetch !== undefined && { fetch }),
  })
}

/** What the service said no with. `code` is stable, `message` is for people. */
export class PosthornError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Seconds, when the service says when to come again. */
  readonly retryAfter: number | null

  constructor(response: Response, body: Partial<ErrorBody> | undefined) {
    super(body?.error ?? `HTTP ${response.status}`)
    this.name = 'PosthornError'
    this.status = response.status
    this.code = body?.code ?? 'unknown'
    this.details = body?.details ?? {}
    this.requestId = body?.request_id ?? response.headers.get('x-request-id')
    const seconds = response.headers.get('retry-after')
    this.retryAfter = seconds === null || Number.isNaN(Number(seconds)) ? null : Number(seconds)
  }
}

interface Result<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** @throws PosthornError when the service said no */
export function unwrap<Data>({ data, error, response }: Result<Data>): Data {
  if (response.ok) return data as Data
  throw new PosthornError(response, typeof error === 'object' && error !== null ? error : undefined)
}

interface CursorPage<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly next_cursor: string | null }
}

/**
 * Every item of a large list, page after page.
 *
 *   for await (const email of everyItem((cursor) => client.GET('/api/v1/emails', { params: { query: cursor } }))) ..
 *
 * @param ask with the query parameter that names the next page, `{}` for the first
 * @throws PosthornError
 */
export async function* everyItem<Item>(
  ask: (cursor: { readonly cursor?: string }) => Promise<Result<CursorPage<Item>>>,
): AsyncGenerator<Item> {
  let cursor: string | null = null
  do {
    const page: CursorPage<Item> = unwrap(await ask(cursor === null ? {} : { cursor }))
    yield* page.data
    cursor = page.pagination.next_cursor
  } while (cursor !== null)
}
