// What an error of the database means for the request that met it.

// SQLSTATE classes 08 (connection), 53 (resources), 57P (shutdown, crash, starting up), 25006 (read-only: the former
// primary), and the errors of sockets.
const UNAVAILABLE_STATE = /^(08|53|57P|25006)/
const READ_ONLY = '25006'
const UNAVAILABLE_SOCKET = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EAGAIN',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The machine, or the route to it, is gone.
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ECONNABORTED',
])

/** It is unknown whether the transaction was committed; `commit-outcome.ts` finds out. Counts as unavailable for other callers. */
export class UnknownCommitOutcome extends Error {
  /** "Transaction resolution unknown", of the class of connection errors. */
  readonly code = '08007'
  /** The pid of the server process that ran it; null when it was never reported. */
  readonly backend: number | null

  constructor(message: string, client: object, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnknownCommitOutcome'
    this.backend = (client as { readonly processID?: number | null }).processID ?? null
  }
}

/** True when an error means that the database is unavailable, rather than that the statement was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return UNAVAILABLE_STATE.test(code) || UNAVAILABLE_SOCKET.has(code)
  return /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout/.test(
    error.message,
  )
}

/** True for a server that answers but takes no writes; counts as unavailable too. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === READ_ONLY
}

/** True when a transaction was aborted so that another could proceed (deadlock, serialization): it may be run again. */
export function isBrokenOff(error: unknown): boolean {
  const state = sqlState(error)
  return state === '40P01' || state === '40001'
}

/** A row for a day without partition, and the error a pipeline gives later statements, which may be heard first. */
const NO_PARTITION: ReadonlySet<string> = new Set(['23514', '25P02'])

/** True when the partitions of coming days may be missing: once they exist, the same work may succeed. */
export function mayLackPartition(error: unknown): boolean {
  return NO_PARTITION.has(sqlState(error) ?? '')
}

/** True for a row whose day has no partition yet. A violated check has the same state, but also a constraint name. */
export function lacksDay(error: unknown): boolean {
  return sqlState(error) === '23514' && (error as { readonly constraint?: string }).constraint === undefined
}

/** Statement and lock timeouts. */
const LATE: ReadonlySet<string> = new Set(['57014', '55P03'])

/**
 * True when the same request may succeed a moment later: the database is unavailable, aborted it, took too long, or lacks
 * the partition of a day because a clock was changed; that partition is made within a second.
 */
export function isPassing(error: unknown): boolean {
  return isUnavailable(error) || isBrokenOff(error) || LATE.has(sqlState(error) ?? '') || lacksDay(error)
}

/** The SQLSTATE of an error that the server raised, or null. */
export function sqlState(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown }
  return error instanceof Error && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null
}
