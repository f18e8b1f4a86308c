// The command line. `serve` and `start` run the service; every other command works whether or not the service is running.

import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startApp } from './app.ts'
import { commands } from './commands.ts'
import { systemGround } from './composition/ground.ts'
import { otherSettings } from './composition/shared-settings.ts'
import { assertReachable, type Config, processConfig, relayNames, strayNames } from './config.ts'
import { dashboardPages } from './dashboard.ts'
import { firstRun } from './first-run.ts'
import { readPlans } from './modules/accounts/index.ts'
import { instanceCommands } from './operator/commands.ts'
import { type CommandFace, failureText, UsageError } from './platform/command.ts'
import { Interrupted, interruption, unlessInterrupted } from './platform/interruption.ts'
import type { Logger } from './platform/log.ts'
import { operatorCertificate } from './platform/network/certificates.ts'
import { foreignAddresses } from './platform/network/source-addresses.ts'
import { OPEN_FILES_WANTED, openFilesLimit } from './platform/open-files.ts'
import { standardOutput } from './platform/output.ts'
import { attachBegun, attachStore, openStore, type StoreOptions } from './platform/store.ts'
import { handleUncaughtErrors } from './platform/uncaught-errors.ts'

const STOP_WITHIN_MS = 30_000

const { print, assertWritten } = standardOutput()
// The log may go to a full disk or a closed pipe. This also makes a pipe there non-blocking (platform/log-stream.ts).
process.stderr.on('error', () => undefined)

function warn(line: string): void {
  process.stderr.write(`posthorn: ${line}\n`)
}

/** The commands of this file; none of them takes arguments. */
const OWN = [
  own('serve', 'run the service with the roles of POSTHORN_ROLES', () => serve(false)),
  own('start', 'run the service like serve, and print how to send a first email', () => serve(true)),
  own('migrate', 'update the database schema', migrateOnly),
  own('version', 'print the version', async () => print(await version())),
]

interface OwnCommand extends CommandFace {
  run(): Promise<void>
}

function own(word: string, summary: string, run: () => Promise<void>): OwnCommand {
  return { path: [word], summary, usage: '', options: {}, run }
}

async function main([first = 'help', ...rest]: readonly string[]): Promise<void> {
  if (!process.env['DATABASE_URL']?.trim()) ignoreClientVariables()
  if (first === 'help' || asksForHelp(first)) return print(await overview())
  const words = [first === '--version' ? 'version' : first, ...rest]
  const command = findCommand(OWN, words)
  if (command === null) return runCommand(words)
  const args = rest.some(asksForHelp) ? null : readArgs(command, rest)
  return args === null ? print(usageOf(command)) : command.run()
}

// The driver takes what a connection does not state from libpq's variables. Those of the operator's shell describe other
// servers: with PGSSLMODE or PGOPTIONS from there, no connection to the embedded database would succeed.
function ignoreClientVariables(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]/.test(name)) delete process.env[name]
}

function asksForHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** @param hello prints all addresses, and the curl command for a newcomer's first mail */
async function serve(hello: boolean): Promise<void> {
  const config = processConfig()
  assertReachable(config)
  // These are read again; a fault in them must be told before a database is started.
  readPlans(config.plansFile)
  await operatorCertificate({ certFile: config.tlsCertFile, keyFile: config.tlsKeyFile })
  const ground = systemGround(config)
  const { log } = ground
  await warnOfSettings(config, log)
  const ended = Promise.withResolvers<string>()
  // SIGHUP: the terminal was closed. Left to its default it would end this process alone, and not the embedded database.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => ended.resolve(signal))
  // Sent to have a log reopened. Left to their defaults, the first opens Node's debugger to every user of this machine, and the
  // second ends this process alone.
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const)
    process.on(signal, () => log.warn({ signal }, 'the signal has no effect: the log goes to standard error'))
  let count = (_kind: string): void => undefined
  const isUp = handleUncaughtErrors({
    clock: ground.clock,
    report: (err, kind) => {
      log.error({ err }, `uncaught ${kind}`)
      count(kind)
    },
    giveUp: () => {
      process.exitCode = 1
      ended.resolve('uncaughtException')
    },
  })
  const stopping = new AbortController()
  void ended.promise.then((reason) => stopping.abort(new Error(reason)))
  const store = await openStore(storeOptions(config, ground), stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
    return null
  })
  if (store === null) {
    log.info({ signal: await ended.promise }, 'stopping')
    return
  }
  try {
    const app = await startApp(config, ground, store, dashboardPages())
    count = (kind) => app.rooms.metrics.note('stray', 1, { kind })
    isUp()
    if (hello) for (const line of await firstRun(app.rooms)) print(line)
    print(`ready ${config.publicUrl}`)
    log.info({ roles: config.roles, http_port: app.httpPort, signal: null }, 'ready')
    log.info({ signal: await ended.promise }, 'stopping')
    await app.stop(AbortSignal.timeout(STOP_WITHIN_MS))
  } finally {
    await store.close()
  }
}

/** Of what is no fault in itself but hardly meant. */
async function warnOfSettings(config: Config, log: Logger): Promise<void> {
  const stray = strayNames(process.env)
  if (stray.length > 0) log.warn({ names: stray }, 'unknown settings in the environment: ignored')
  const unused = config.delivery.kind === 'relay' ? [] : relayNames(process.env)
  if (unused.length > 0)
    log.warn({ names: unused }, 'settings for a relay are not used: POSTHORN_DELIVERY names no relay')
  if (new URL(config.publicUrl).pathname !== '/')
    log.warn(
      { public_url: config.publicUrl },
      'POSTHORN_PUBLIC_URL has a path, but Posthorn answers without it: links in mail lead nowhere unless a proxy removes it',
    )
  const openFiles = await openFilesLimit()
  if (openFiles !== null && openFiles < OPEN_FILES_WANTED)
    log.warn(
      { open_files: openFiles, wanted: OPEN_FILES_WANTED },
      'the limit of open files is low; raise it (ulimit -n, or LimitNOFILE in the systemd unit)',
    )
  if (config.delivery.kind === 'sandbox') return
  const sources = { POSTHORN_SOURCE_IPS: config.sourceIps, POSTHORN_BULK_SOURCE_IPS: config.bulkSourceIps }
  for (const [setting, addresses] of Object.entries(config.roles.includes('delivery') ? sources : {})) {
    const foreign = await foreignAddresses(addresses)
    if (foreign.length > 0)
      log.warn(
        { addresses: foreign },
        `${setting}: these addresses are not on this machine; no mail can be sent from them`,
      )
  }
  if (isIP(config.hostname) !== 0)
    log.warn(
      { hostname: config.hostname },
      'POSTHORN_HOSTNAME is an IP address: set a host name. An IP address has no SPF record and cannot receive bounces',
    )
}

function storeOptions(config: Config, ground: ReturnType<typeof systemGround>): StoreOptions {
  const { dataDir, databaseUrl, secretKey } = config
  return { dataDir, databaseUrl, secretKey, log: ground.log, clock: ground.clock }
}

async function migrateOnly(): Promise<void> {
  const config = processConfig()
  const store = await attachStore(storeOptions(config, systemGround(config)), interruption())
  await store.close()
  print('the schema is up to date')
}

async function runCommand(words: readonly string[]): Promise<void> {
  const command = findCommand(commands, words)
  const standalone = findCommand(instanceCommands, words)
  const found = command ?? standalone
  if (found === null) return printGroup(words)
  const args = words.slice(found.path.length)
  if (args.some(asksForHelp)) return print(usageOf(found))
  const { values, positionals } = readArgs(found, args)
  const config = { ...processConfig(), logLevel: 'error' as const }
  const ground = systemGround(config)
  const signal = interruption()
  await using ends = new AsyncDisposableStack()
  if (standalone !== null) {
    const context = { config, ground, print, warn, ends, signal }
    await unlessInterrupted(signal, standalone.run(context, values, positionals))
  }
  if (command === null) return
  const store = await attachBegun(storeOptions(config, ground), signal)
  ends.defer(store.close)
  const { database, secrets } = store
  const { settings } = command
  if (settings !== undefined) for (const line of await otherSettings(database.system, config, settings)) warn(line)
  const context = { config, database, secrets, ...ground, print, warn }
  await unlessInterrupted(signal, command.run(context, values, positionals))
}

/** `posthorn account --help`: prints the commands of that group. @throws UsageError when there are none, or without --help */
function printGroup(words: readonly string[]): void {
  const [group] = words
  const among = [...commands, ...instanceCommands].filter(({ path: [word] }) => word === group)
  if (among.length > 0 && words.length === 1)
    throw new UsageError(
      [`which command of ${group}?`, ...among.map(summaryLine), `posthorn ${group} --help has more`].join('\n'),
    )
  if (among.length === 0 || !asksForHelp(words[1] ?? ''))
    throw new UsageError(
      `unknown command "${words.join(' ')}"; posthorn ${among.length === 0 ? '' : `${group} `}--help lists the commands`,
    )
  for (const command of among) print(usageOf(command))
}

function readArgs(command: CommandFace, args: readonly string[]): ReturnType<typeof parseArgs> {
  try {
    // A command whose usage is empty takes no positional arguments.
    const allowPositionals = command.usage !== ''
    return parseArgs({ args: [...args], options: command.options, allowPositionals, strict: true })
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
}

function findCommand<Found extends CommandFace>(among: readonly Found[], words: readonly string[]): Found | null {
  return among.find(({ path: wanted }) => wanted.every((word, i) => words[i] === word)) ?? null
}

/** The usage of a command called wrongly; empty when there is no such command. */
function usageAfter(words: readonly string[]): string {
  const found = findCommand<CommandFace>([...OWN, ...commands, ...instanceCommands], words)
  return found === null ? '' : `\n${usageOf(found)}`
}

function usageOf({ path: words, usage, summary, options }: CommandFace): string {
  const flags = Object.entries(options).map(([name, { type, value = 'value', about }]) => ({
    flag: type === 'string' ? `--${name} <${value}>` : `--${name}`,
    about,
  }))
  const width = Math.max(...flags.map(({ flag }) => flag.length))
  const optionLines = flags.map(({ flag, about }) => `  ${flag.padEnd(width)}  ${about}`)
  return [`posthorn ${words.join(' ')} ${usage}`.trim(), `  ${summary}`, ...optionLines].join('\n')
}

async function overview(): Promise<string> {
  const all: readonly CommandFace[] = [...OWN, ...commands, ...instanceCommands]
  const lines = all.map(summaryLine)
  return [`posthorn ${await version()}`, '', ...lines, '', 'Run posthorn <command> --help for details.'].join('\n')
}

function summaryLine({ path: words, summary }: CommandFace): string {
  return `  ${words.join(' ').padEnd(22)}${summary}`
}

async function version(): Promise<string> {
  const text = await readFile(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

const called = process.argv.slice(2)
try {
  await main(called)
  // Whether anybody reads what the service prints at its start is no matter when it ends.
  if (!['serve', 'start'].includes(called[0] ?? '')) assertWritten()
} catch (error) {
  const usage = error instanceof UsageError ? usageAfter(called) : ''
  process.stderr.write(`${failureText(error as Error, called.includes('--json'))}${usage}\n`)
  process.exitCode = error instanceof Interrupted ? error.exitCode : error instanceof UsageError ? 2 : 1
}
process.exit()
