// One line of JSON per fact on standard error, ids first, message constant. Never a body, a key, a token or a password.
//
// An unavailable server is one fact, although everything that needs it meets it many times a second: a warning about only
// that is written once in half a minute. The next line says how often it recurred since (`repeated`), without the stack.

import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import type { Clock } from './clock.ts'
import { isUnavailable } from './db.ts'
import { logStream } from './log-stream.ts'

export type Fields = Readonly<Record<string, unknown>>

/** error = someone must act; warn = it will heal or a peer misbehaves; info = life of a message; debug = dialogue. */
export interface Logger {
  error(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  debug(fields: Fields, message: string): void
  child(fields: Fields): Logger
}

export type LogLevel = 'error' | 'warn' | 'info' | 'debug' | 'silent'

type Ticks = Pick<Clock, 'monotonicMs'>

const STANDARD_ERROR = 2
const SAME_WITHIN_MS = 30_000
/** Messages are constant: more of them would be a mistake of ours. */
const MAX_MESSAGES = 1_000

/**
 * @param clock for suppressing repetitions; null: every line is written
 * @param to null: standard error
 */
export function createLogger(level: LogLevel, clock: Ticks | null = null, to: DestinationStream | null = null): Logger {
  const out: PinoLogger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError },
    },
    to ??
      logStream({
        fd: STANDARD_ERROR,
        onLost: (lines) => out.warn({ lines }, 'lines of the log could not be written and are lost'),
      }),
  )
  return wrap(out, clock)
}

const MAX_CAUSES = 5

/**
 * The part of an error that is logged: its type, message, code, stack and causes, and none of the fields that libraries
 * attach. A broken connection carries the whole client, a refused request its headers and body.
 */
export function shownError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? Object.prototype.toString.call(thrown) : thrown
  const { code } = thrown as { code?: unknown }
  return {
    type: thrown.constructor.name,
    message: thrown.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(!isAway(thrown) && { stack: thrown.stack }),
    ...(thrown.cause !== undefined && depth < MAX_CAUSES && { cause: shownError(thrown.cause, depth + 1) }),
    ...(thrown instanceof AggregateError &&
      depth < MAX_CAUSES && { errors: thrown.errors.map((one) => shownError(one, depth + 1)) }),
  }
}

/** A server that does not answer, or no longer: the code that met it is not at fault. */
export function isAway(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return isUnavailable(error) && (code !== 'ENOENT' || syscall === 'connect')
}

function wrap(out: PinoLogger, clock: Ticks | null): Logger {
  const warns = clock === null ? (fields: Fields): Fields => fields : onceInAWhile(clock)
  return {
    error: (fields, message) => out.error(fields, message),
    warn: (fields, message) => {
      const shown = warns(fields, message)
      if (shown !== null) out.warn(shown, message)
    },
    info: (fields, message) => out.info(fields, message),
    debug: (fields, message) => out.debug(fields, message),
    child: (fields) => wrap(out.child(fields), clock),
  }
}

/** @returns the fields to write; null when the same was written just now */
function onceInAWhile({ monotonicMs }: Ticks): (fields: Fields, message: string) => Fields | null {
  const written = new Map<string, { readonly atMs: number; repeated: number }>()
  return (fields, message) => {
    // With an id beside the error, the line is a fact about that id.
    if (Object.keys(fields).length !== 1 || !isAway(fields['err'])) return fields
    const now = monotonicMs()
    const last = written.get(message)
    if (last !== undefined && now - last.atMs < SAME_WITHIN_MS) {
      last.repeated++
      return null
    }
    if (written.size >= MAX_MESSAGES) written.clear()
    written.set(message, { atMs: now, repeated: 0 })
    return last === undefined || last.repeated === 0 ? fields : { ...fields, repeated: last.repeated }
  }
}
