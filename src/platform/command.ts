// A command of `posthorn`, as a value: main.ts finds it by its words, reads its options, opens the store, and runs it.

import type { Clock } from './clock.ts'
import type { Database } from './db.ts'
import { ApiError, type FieldFault } from './errors.ts'
import type { Ids } from './ids.ts'
import type { Logger } from './log.ts'
import type { Secrets } from './secrets.ts'

/** What commands read of the settings. */
export interface CommandSettings {
  readonly dnsServers: readonly string[]
  readonly allowPrivateNetworks: boolean
  readonly spfMechanism: string
  readonly publicUrl: string
  readonly hostname: string
}

export interface CommandContext {
  readonly config: CommandSettings
  readonly database: Database
  readonly secrets: Secrets
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Logger
  /** One line on standard output. */
  readonly print: (line: string) => void
  /** One line on standard error: what the operator should know although the command did as it was told. */
  readonly warn: (line: string) => void
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** An option, as `parseArgs` reads it and as `--help` tells it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** It may be given several times. */
  readonly multiple?: boolean
  /** Names the value in the help, such as `address`. Only for strings. */
  readonly value?: string
  /** One line: what it does, what it may be, and what holds without it. */
  readonly about: string
}

/** Of every command that prints records: one record is printed as an object and many as one array, on a line. */
export const JSON_OPTION = { json: { type: 'boolean', about: 'print JSON' } } as const

/** How a command is called. */
export interface CommandFace {
  /** Such as `['account', 'create']`. */
  readonly path: readonly string[]
  /** One line. */
  readonly summary: string
  /** What stands behind the words, such as `<key id>`; empty: nothing but options may. */
  readonly usage: string
  readonly options: Readonly<Record<string, CommandOption>>
}

export interface Command extends CommandFace {
  /** @throws Error or ApiError, whose message is shown on standard error */
  run(context: CommandContext, values: OptionValues, positionals: readonly string[]): Promise<void>
}

/** A fault of how the command was called: shown with its usage, exit status 2. */
export class UsageError extends Error {}

/** What a failed command says on standard error; with `--json` a refusal that has a code is a line of JSON. */
export function failureText(error: Error, inJson: boolean): string {
  const { message, cause } = error
  if (error instanceof ApiError && inJson) {
    return JSON.stringify({ error: message, code: error.code, details: error.details })
  }
  const faults = error instanceof ApiError ? faultsIn(error) : ''
  const why = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : ''
  return `posthorn: ${message}${faults}${why}`
}

/** What exactly is wrong with what was given. */
function faultsIn({ details }: ApiError): string {
  const { fields = [] } = details as { fields?: readonly FieldFault[] }
  return fields.map(({ field, message }) => `\n  ${field}: ${message}`).join('')
}
