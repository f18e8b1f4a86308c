// The public API, as used by every other client; the session's cookie replaces the key.

import { QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useLive } from './event-stream.ts'
import { asSentence, type FieldFault, inWords, parameterText, sentenceOf } from './faults.ts'
import { filled } from './filled.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- the API document holds the shapes; pages read what they show
export type Json = any

export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly details: Json
  /** Seconds until the next request; null when the service named no time. */
  readonly retryAfter: number | null

  constructor(
    status: number,
    { error, code, details }: { error: string; code: string; details: Json },
    retryAfter: number | null = null,
  ) {
    super(error)
    this.status = status
    this.retryAfter = retryAfter
    this.code = code
    this.details = details
  }
}

const writes = new Map<string, Promise<Json>>()

/** An identical write in progress is reused, so that a double click does its work once. */
export function call(method: string, path: string, body?: unknown): Promise<Json> {
  if (method === 'GET') return ask(method, path, body)
  const name = `${method} ${path} ${JSON.stringify(body)}`
  const before = writes.get(name)
  if (before !== undefined) return before
  const write = ask(method, path, body).finally(() => writes.delete(name))
  writes.set(name, write)
  return write
}

let shownAccount: string | null = null

/** Requests name the account that the page shows, so that none acts for one that another tab has changed to. */
export function setShownAccount(id: string): void {
  shownAccount = id
}

async function ask(method: string, path: string, body: unknown): Promise<Json> {
  return readJson(await (await fetched(path, method, body)).text())
}

/** @throws ApiProblem when the answer is an error */
async function fetched(path: string, method = 'GET', body?: unknown): Promise<Response> {
  const answer = await fetch(`/api/v1${path}`, {
    method,
    credentials: 'same-origin',
    headers: {
      ...(shownAccount !== null && { 'x-dashboard-account': shownAccount }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (answer.ok) return answer
  const read: Json = readJson(await answer.text())
  // The session ended: the frame checks who is signed in and shows the sign-in form.
  if (answer.status === 401 && !path.startsWith('/session')) void queries.invalidateQueries({ queryKey: ['/session'] })
  // So that the frame shows it on every page from now on.
  if (answer.status === 403 && read?.code === 'account_suspended')
    void queries.invalidateQueries({ queryKey: ['/session'] })
  // Not from the service: a proxy that cannot reach it.
  const unknown = {
    error: `The server answered ${answer.status} ${answer.statusText}`.trim(),
    code: 'unknown',
    details: {},
  }
  const seconds = Number.parseInt(answer.headers.get('retry-after') ?? '', 10)
  const isOurs = typeof read?.error === 'string' && typeof read.code === 'string'
  throw new ApiProblem(answer.status, isOurs ? read : unknown, Number.isNaN(seconds) ? null : seconds)
}

/** @returns null when the text is not JSON */
function readJson(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const SIGNED_OUT: ReadonlySet<string> = new Set(['not_signed_in', 'missing_api_key'])

/** Whether the session ended: shown by the sign-in form until somebody is signed in again. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && SIGNED_OUT.has(error.code)
}

function faultsOf(error: unknown): readonly FieldFault[] {
  return error instanceof ApiProblem ? (error.details?.fields ?? []) : []
}

/** The error message, with the fields when the form has faults. */
export function problemText(error: unknown): string {
  if (error instanceof TypeError && !navigator.onLine) return 'This browser is offline.'
  if (error instanceof TypeError) return 'The service did not answer. Is it running, and can this browser reach it?'
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error)
  const seconds: unknown = error.details?.retry_after
  if (error.status === 429 && typeof seconds === 'number') return `${error.message}; try ${inTime(seconds)}.`
  if (error.code === 'invalid_parameter')
    return error.details?.rule === 'enum' ? asSentence(error.message) : parameterText(error.details)
  const fields = faultsOf(error)
  return fields.length === 0 ? error.message : fields.map(sentenceOf).join(' ')
}

function inTime(seconds: number): string {
  if (seconds <= 1) return 'again in a second'
  return seconds < 120 ? `again in ${seconds} seconds` : `again in ${Math.ceil(seconds / 60)} minutes`
}

const ENTRY = /\[(\d+)\]$/

function isOf(fault: FieldFault, field: string): boolean {
  return fault.field.replace(ENTRY, '') === field
}

/** The fault of one form field, shown beside it; for a list entry, with its position. */
export function faultOf(error: unknown, field: string): string | undefined {
  const fault = faultsOf(error).find((one) => isOf(one, field))
  if (fault === undefined) return undefined
  const [, place] = ENTRY.exec(fault.field) ?? []
  const said = inWords(fault.message, fault.rule)
  return place === undefined ? said : `entry ${Number(place) + 1} ${said}`
}

/** An error without the faults shown beside form fields; null when there is no other. */
export function besides(error: unknown, fields: readonly string[]): unknown {
  const faults = faultsOf(error)
  if (!(error instanceof ApiProblem) || faults.length === 0) return error
  const others = faults.filter((fault) => !fields.some((field) => isOf(fault, field)))
  if (others.length === 0) return null
  return new ApiProblem(error.status, { error: error.message, code: error.code, details: { fields: others } })
}

/** Whether a retry may succeed: a refusal is final. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status >= 500 || error.status === 429
}

/** Wait in seconds that the service asked for. */
export function waitOf(error: unknown): number | null {
  return error instanceof ApiProblem ? error.retryAfter : null
}

/** Whether nobody answered, or only a proxy that does not reach the service. */
export function isAway(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ApiProblem && [502, 503, 504].includes(error.status))
}

/** How often a service that did not answer is asked whether it does. */
export const ASK_AGAIN_MS = 3_000

/** Whether the service answers again. */
export async function isBack(): Promise<boolean> {
  const answer = await fetch('/api/v1/session', { cache: 'no-store', credentials: 'same-origin' }).catch(() => null)
  return answer !== null && answer.status < 500
}

/** Refetches visible queries that failed. */
export function tryAgain(): Promise<void> {
  return queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // An offline browser fails at once and retries when it is back online.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (count, error) => count < 2 && navigator.onLine && mayPass(error) && waitOf(error) === null,
    },
  },
})

/** Empty `parameters` are left out of the URL. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(filled(parameters))
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return query.size === 0 ? path : `${path}?${query}`
}

export function useApi(
  path: string,
  options: {
    /** Interval of refetching in ms, while there is no event stream. */
    every?: number
    /** Interval of refetching in ms in any case, for data that no event announces. */
    always?: number
    enabled?: boolean
  } = {},
): UseQueryResult<Json, Error> {
  const live = useLive()
  const again = options.always ?? (live ? undefined : options.every)
  return useQuery<Json, Error>({
    queryKey: [path],
    queryFn: () => call('GET', path),
    // While the next page of a list loads, the previous one may be shown; another object never shows the one before.
    placeholderData: (before: Json, asked: Json) =>
      bareOf(String(asked?.queryKey[0])) === bareOf(path) ? before : undefined,
    ...(again !== undefined && { refetchInterval: again }),
    ...(options.enabled !== undefined && { enabled: options.enabled }),
  })
}

/** A text response, such as the source of an email. It never changes. */
export function useApiText(path: string): UseQueryResult<string, Error> {
  return useQuery<string, Error>({
    queryKey: [`text ${path}`],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await fetched(path)).text(),
  })
}

/** A binary response, such as the source of an email, byte for byte. */
export async function bytesAt(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetched(path)).arrayBuffer())
}

function bareOf(path: string): string | undefined {
  return path.split('?')[0]
}

/** Refetches queries whose path begins with one of these. */
export function refresh(...paths: readonly string[]): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [key] }) => paths.some((path) => String(key).startsWith(path)),
  })
}
