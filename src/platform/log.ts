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
    },
    destination({ dest: 2, sync: false, minLength: 0 }),
  )
  return wrap(out)
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
