// One line of JSON per fact on standard error, ids first, message constant. Never a body, a key, a token, a password.

import { destination, type Logger as PinoLogger, pino } from 'pino'

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

export function createLogger(level: LogLevel): Logger {
  const out = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: shownError },
    },
    destination({ dest: 2, sync: false, minLength: 0 }),
  )
  return wrap(out)
}

const MAX_CAUSES = 5

/**
 * What is written of an error: its kind, text, code, place and causes, and none of the fields that libraries hang on it. A
 * broken connection brings the whole client along, a refused request its headers and body.
 */
export function shownError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' ? Object.prototype.toString.call(thrown) : thrown
  const { code } = thrown as { code?: unknown }
  return {
    type: thrown.constructor.name,
    message: thrown.message,
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    stack: thrown.stack,
    ...(thrown.cause !== undefined && depth < MAX_CAUSES && { cause: shownError(thrown.cause, depth + 1) }),
    ...(thrown instanceof AggregateError &&
      depth < MAX_CAUSES && { errors: thrown.errors.map((one) => shownError(one, depth + 1)) }),
  }
}

function wrap(out: PinoLogger): Logger {
  return {
    error: (fields, message) => out.error(fields, message),
    warn: (fields, message) => out.warn(fields, message),
    info: (fields, message) => out.info(fields, message),
    debug: (fields, message) => out.debug(fields, message),
    child: (fields) => wrap(out.child(fields)),
  }
}
