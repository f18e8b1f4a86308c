// Posthorn's API with types. The types are generated from the OpenAPI document; at run time there is only `fetch`, through
// openapi-fetch. Each call resolves to `{data, error, response}`; `unwrap` throws instead of returning `error`.
//
//   const posthorn = posthornClient({ baseUrl: 'https://mail.example.com', apiKey })
//   const { data } = unwrap(await posthorn.POST('/api/v1/send', { body: { from, to, subject, text } }))

import createClient, {
  type Client,
  type ClientOptions,
  type ClientPathsWithMethod,
  type FetchOptions,
  type FetchResponse,
  type ParseAs,
} from 'openapi-fetch'
import type { components, paths } from './schema.ts'

/** Everything with a name in the document: `Email`, `SendRequest`, `Webhook`, `WebhookEvent`. */
export type * from './schema.ts'

/** The body of every error. */
export type ErrorBody = components['schemas']['Error']

export interface PosthornOptions {
  /** Base URL of the API: `https://mail.example.com`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<ClientOptions['fetch']>
}

type Media = `${string}/${string}`
type Generic = Client<paths, Media>

type Init<Operation, As extends ParseAs> = FetchOptions<Operation> & { readonly parseAs?: As }

/**
 * A call with `init` typed by its path. openapi-fetch itself infers the type of `init` from the argument, so the compiler
 * would accept what no operation knows: unknown body fields, misspelt query names.
 */
type Call<Method extends 'get' | 'post' | 'put' | 'patch' | 'delete'> = <
  Path extends ClientPathsWithMethod<Generic, Method>,
  As extends ParseAs = 'json',
>(
  path: Path,
  ...init: Record<never, never> extends FetchOptions<paths[Path][Method]>
    ? [init?: Init<paths[Path][Method], As>]
    : [init: Init<paths[Path][Method], As>]
) => Promise<FetchResponse<Extract<paths[Path][Method], object>, { parseAs: As }, Media>>

export interface PosthornClient extends Pick<Generic, 'use' | 'eject'> {
  readonly GET: Call<'get'>
  readonly POST: Call<'post'>
  readonly PUT: Call<'put'>
  readonly PATCH: Call<'patch'>
  readonly DELETE: Call<'delete'>
}

/** Methods are named as HTTP names them, paths as the reference does: `client.GET('/api/v1/emails/{id}', ..)`. */
export function posthornClient({ baseUrl, apiKey, fetch }: PosthornOptions): PosthornClient {
  const client = createClient<paths>({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    headers: { 'X-API-Key': apiKey },
    // `fetch` sends the key along to whatever host it is redirected to, and makes a GET of a redirected POST.
    redirect: 'manual',
    // A string is a body that is not JSON, whose type the caller names: a list as CSV, a report as a mail.
    bodySerializer: (body) => (typeof body === 'string' ? body : JSON.stringify(body)),
    ...(fetch !== undefined && { fetch }),
  })
  client.use({
    onResponse: ({ response, options }) => {
      refuseRedirect(response)
      return options.parseAs === 'json' ? textAsJson(response) : undefined
    },
  })
  return client as PosthornClient
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The API redirects nobody: the base URL is wrong, or a proxy in between sends the caller elsewhere. @throws PosthornError */
function refuseRedirect(response: Response): void {
  // Browsers hide the status and the address.
  if (response.type !== 'opaqueredirect' && !REDIRECTS.has(response.status)) return
  const to = response.headers.get('location')
  const where = to === null ? '' : ` to ${to}`
  throw new PosthornError(response, {
    error: `redirected${where}; not followed: set baseUrl to where the service answers`,
  })
}

/** Raw mails, CSV exports and other texts are strings in the types, but the client parses JSON: turns them into JSON strings. */
async function textAsJson(response: Response): Promise<Response | undefined> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1)
  if (!response.ok || !/^(?:text\/(?!event-stream)|message\/)/.test(type)) return undefined
  const { status, statusText, headers: sent } = response
  const headers = new Headers(sent)
  headers.delete('content-length')
  return new Response(JSON.stringify(await response.text()), { status, statusText, headers })
}

/** An error answer of the service. `code` is stable, `message` is for people. */
export class PosthornError extends Error {
  readonly status: number
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | null
  /** Seconds to wait before the next try; null when the service does not say. */
  readonly retryAfter: number | null

  constructor(response: Response, body: Partial<ErrorBody> | undefined) {
    super(body?.error ?? `HTTP ${response.status}`)
    this.name = 'PosthornError'
    this.status = response.status
    this.code = body?.code ?? 'unknown'
    this.details = body?.details ?? {}
    this.requestId = body?.request_id ?? response.headers.get('x-request-id')
    this.retryAfter = secondsToWait(response)
  }
}

interface Result<Data> {
  readonly data?: Data
  readonly error?: unknown
  readonly response: Response
}

/** @throws PosthornError when the service answered with an error */
export function unwrap<Data>({ data, error, response }: Result<Data>): Data {
  if (response.ok) return data as Data
  throw new PosthornError(response, typeof error === 'object' && error !== null ? error : undefined)
}

/** A page of a list with a cursor, or with numbered pages. */
interface ListPage<Item> {
  readonly data: readonly Item[]
  readonly pagination: {
    readonly next_cursor?: string | null
    readonly page?: number
    readonly pages?: number
  }
}

/** The query parameter that selects a page: the one of the two that the list takes; none for the first page. */
export interface Place {
  readonly cursor?: string
  readonly page?: number
}

export interface EveryItemOptions {
  /** Aborts the wait, and the list with the signal's reason. */
  readonly signal?: AbortSignal
  /** Maximum requests for one page before its error is thrown; 10 when absent. */
  readonly maxTries?: number
}

const MAX_TRIES = 10
/** Longest wait between tries. A longer one, as for a monthly quota, throws the error instead. */
const MAX_WAIT_SECONDS = 120
/** Wait when the service names none. */
const WAIT_SECONDS = 2

/**
 * Every item of a list, page by page. On 429 (too many requests) and 503 (unavailable) it waits for as long as the answer
 * says and continues where it was.
 *
 *   for await (const email of everyItem((place) => client.GET('/api/v1/emails', { params: { query: place } }))) ..
 *
 * @param ask called with the query parameter of the next page, `{}` for the first
 * @throws PosthornError; the signal's reason
 */
export async function* everyItem<Item>(
  ask: (place: Place) => Promise<Result<ListPage<Item>>>,
  options: EveryItemOptions = {},
): AsyncGenerator<Item> {
  let place: Place | null = {}
  while (place !== null) {
    const page: ListPage<Item> = await patiently(ask, place, options)
    yield* page.data
    place = placeAfter(page)
  }
}

/** @returns null after the last page */
function placeAfter<Item>({ data, pagination }: ListPage<Item>): Place | null {
  const { next_cursor: cursor, page, pages } = pagination
  if (cursor != null) return { cursor }
  if (page == null || pages == null || page >= pages || data.length === 0) return null
  return { page: page + 1 }
}

async function patiently<Data>(
  ask: (place: Place) => Promise<Result<Data>>,
  place: Place,
  { signal, maxTries = MAX_TRIES }: EveryItemOptions,
): Promise<Data> {
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    const result = await ask(place)
    const { status } = result.response
    if ((status !== 429 && status !== 503) || tries >= maxTries) return unwrap(result)
    const seconds = secondsToWait(result.response) ?? WAIT_SECONDS
    if (seconds > MAX_WAIT_SECONDS) return unwrap(result)
    await pause(seconds * 1_000, signal)
  }
}

function secondsToWait(response: Response): number | null {
  const seconds = response.headers.get('retry-after')
  return seconds === null || Number.isNaN(Number(seconds)) ? null : Number(seconds)
}

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, waitMs)
    signal?.addEventListener('abort', aborted, { once: true })
    if (signal?.aborted === true) aborted()
  })
}
