// A command of `posthorn`, as a value: main.ts finds it by its words, parses its options, opens the store and runs it.

import type { Clock } from './clock.ts'
import type { Database } from './db.ts'
import { ApiError, type FieldFault } from './errors.ts'
import type { Ids } from './ids.ts'
import type { Logger } from './log.ts'
import type { Secrets } from './secrets.ts'

/** The settings that commands use. */
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
  /** One line on standard output, or bytes as they are. */
  print(line: string | Buffer): void
  /** One line on standard error: something the operator should know although the command succeeded. */
  readonly warn: (line: string) => void
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** An option, as `parseArgs` reads it and `--help` shows it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  /** May be given several times. */
  readonly multiple?: boolean
  /** Name of the value in the help, such as `address`; only for strings. */
  readonly value?: string
  /** One line: its effect, the allowed values and the default. */
  readonly about: string
}

/** For every command that prints records: one record is printed as an object and several as one array, on one line. */
export const JSON_OPTION = { json: { type: 'boolean', about: 'print JSON' } } as const

/** How a command is called. */
export interface CommandFace {
  /** Such as `['account', 'create']`. */
  readonly path: readonly string[]
  /** One line. */
  readonly summary: string
  /** The positional arguments, such as `<key id>`; empty: the command takes options only. */
  readonly usage: string
  readonly options: Readonly<Record<string, CommandOption>>
  /** The settings that the result depends on: it warns where the running service has others. Absent: none. */
  readonly settings?: readonly string[]
}

export interface Command extends CommandFace {
  /** @throws Error or ApiError, whose message is shown on standard error */
  run(context: CommandContext, values: OptionValues, positionals: readonly string[]): Promise<void>
}

/** The command was called wrongly: shown with its usage, exit status 2. */
export class UsageError extends Error {}

/** @throws UsageError at an argument that the command would leave out */
export function noMore(positionals: readonly string[], words: number): void {
  if (positionals.length > words) throw new UsageError(`unexpected argument "${positionals[words]}"`)
}

/** What a failed command prints on standard error; with `--json` an ApiError is printed as one line of JSON. */
export function failureText(error: Error, inJson: boolean): string {
  const { message, cause } = error
  if (error instanceof ApiError && inJson) {
    return JSON.stringify({ error: message, code: error.code, details: error.details })
  }
  const faults = error instanceof ApiError ? faultsIn(error) : ''
  const why = cause instanceof Error && !message.includes(cause.message) ? `: ${cause.message}` : ''
  // There is no request whose body could be invalid.
  return `posthorn: ${faults === '' ? message : 'refused:'}${faults}${why}`
}

/** The faults of single fields, one per line. */
function faultsIn({ details }: ApiError): string {
  const { fields = [] } = details as { fields?: readonly FieldFault[] }
  return fields.map(({ field, message }) => `\n  ${field}: ${message}`).join('')
}
