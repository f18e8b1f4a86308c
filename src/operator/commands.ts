// Commands on the instance as a whole. They need no open store, or open more than one: unlike the commands of the rooms they
// receive the settings and do the rest themselves.

import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { buffer as bytesOf } from 'node:stream/consumers'
import packageJson from '../../package.json' with { type: 'json' }
import { apiServer, connectRooms, type Rooms } from '../app.ts'
import type { Ground } from '../composition/ground.ts'
import { partitionsLoop } from '../composition/housekeeping.ts'
import { relayOf } from '../composition/relay.ts'
import { otherSettings } from '../composition/shared-settings.ts'
import { type Config, SETTINGS } from '../config.ts'
import { accountNamed } from '../modules/accounts/index.ts'
import { sendingLimits } from '../modules/sending/index.ts'
import { systemClock } from '../platform/clock.ts'
import { type CommandFace, JSON_OPTION, type OptionValues, UsageError } from '../platform/command.ts'
import { assertBegun, assertOwnerReads, ensureDataFolder } from '../platform/files/data-folder.ts'
import { diskRoom } from '../platform/files/disk.ts'
import { instanceCertificate } from '../platform/network/certificates.ts'
import { foreignAddresses } from '../platform/network/source-addresses.ts'
import { assertOutside, checkBackup, restoreBackup, takeBackup } from '../platform/postgres/backup.ts'
import { attachOrStart, embeddedCluster, embeddedFolders, upgradeDatabase } from '../platform/postgres.ts'
import { attachBegun, type Store } from '../platform/store.ts'
import { examineAround, examineDatabase } from './doctor.ts'
import { CHECK_WIDTH, type Finding } from './finding.ts'
import type { ApiCall } from './mcp.ts'
import { beginRekey, finishRekey, processText, type Rekeyed, secretIn } from './rekey.ts'

export interface InstanceContext {
  readonly config: Config
  readonly ground: Ground
  /** One line on standard output. */
  readonly print: (line: string) => void
  /** One line on standard error: something the operator should know although the command succeeded. */
  readonly warn: (line: string) => void
  /** Disposed of when the command has ended or is interrupted. */
  readonly ends: AsyncDisposableStack
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal
}

export interface InstanceCommand extends CommandFace {
  /** @throws Error, whose message is shown on standard error */
  run(context: InstanceContext, values: OptionValues, positionals: readonly string[]): Promise<void>
}

const OWN_BACKUPS = 'DATABASE_URL is set: use the tools of that server (pg_basebackup, pg_dump); see docs/operations.md'

export const instanceCommands: readonly InstanceCommand[] = [
  {
    path: ['backup'],
    summary: 'back up the embedded database, the keys and the spool to a new folder; the service can keep running',
    usage: '<folder>',
    options: JSON_OPTION,
    run: async ({ config, ground, print, ends, signal }, values, positionals) => {
      const folder = onlyFolder(positionals)
      if (config.databaseUrl !== null) throw new Error(OWN_BACKUPS)
      const { dataDir } = config
      await assertOutside(dataDir, folder)
      await assertBegun(dataDir)
      const attaching = attachOrStart({ dataDir, log: ground.log, clock: ground.clock, signal })
      ends.defer(async () => (await attaching.catch(() => null))?.close())
      const database = await attaching
      const cluster = await embeddedCluster(dataDir)
      const taking = takeBackup({
        url: database.url(),
        dataDir,
        cluster,
        target: folder,
        now: () => ground.clock.now(),
        signal,
      })
      // An interrupted one removes first what it has copied.
      ends.defer(async () => void (await Promise.allSettled([taking])))
      const { files, bytes, hasSecretKey } = await taking
      const about = hasSecretKey
        ? 'It contains the secret key: store it as securely as the instance itself.'
        : 'It does not contain POSTHORN_SECRET_KEY, without which it is of no use: keep that too, in another place.'
      print(
        values['json'] === true
          ? JSON.stringify({ folder, files, bytes, has_secret_key: hasSecretKey })
          : `${folder}: ${files} files, ${bytes} bytes. ${about}`,
      )
    },
  },
  {
    path: ['upgrade-database'],
    summary: "upgrade the embedded database to this release's PostgreSQL major version; stop the service first",
    usage: '[--old-server <folder that contains bin/postgres of the old version>]',
    options: {
      'old-server': {
        type: 'string',
        value: 'folder',
        about: 'the old version, where it is not installed: contains bin/postgres',
      },
      ...JSON_OPTION,
    },
    run: async ({ config, ground, print, ends, signal }, values, positionals) => {
      if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`)
      if (config.databaseUrl !== null) throw new Error('DATABASE_URL is set: upgrade that server with its own tools')
      await assertBegun(config.dataDir)
      const json = values['json'] === true
      const upgrading = upgradeDatabase({
        dataDir: config.dataDir,
        oldServer: typeof values['old-server'] === 'string' ? values['old-server'] : null,
        clock: ground.clock,
        log: ground.log,
        onStep: (what) => json || print(what),
        signal,
      })
      // An interrupted one stops its servers first.
      ends.defer(async () => void (await Promise.allSettled([upgrading])))
      const done = await upgrading
      if (json) print(JSON.stringify(done ?? { from: null }))
      else if (done === null) print('the database already has this version; nothing to upgrade')
      else
        print(`upgraded from PostgreSQL ${done.from}; delete ${done.kept} once you have checked that everything works`)
    },
  },
  {
    path: ['restore'],
    summary: 'restore a backup into the data directory, which must be new or empty',
    usage: '[--check] <folder>',
    options: {
      check: { type: 'boolean', about: 'restore nothing: compare each file of the backup with its manifest' },
      ...JSON_OPTION,
    },
    run: async ({ config, print }, values, positionals) => {
      const folder = onlyFolder(positionals)
      if (values['check'] === true) {
        const { created_at, files } = await checkBackup(folder)
        print(
          values['json'] === true
            ? JSON.stringify({ folder, created_at, files: files.length })
            : `${folder} is whole: ${files.length} files, as of ${created_at}`,
        )
        return
      }
      if (config.databaseUrl !== null) throw new Error(OWN_BACKUPS)
      const { created_at: at, files } = await restoreBackup(folder, config.dataDir)
      print(
        values['json'] === true
          ? JSON.stringify({ data_dir: config.dataDir, created_at: at, files: files.length })
          : `restored to ${config.dataDir}, as of ${at}. Start the service now. Mail that was delivered after that time may be sent again.`,
      )
    },
  },
  {
    path: ['rekey'],
    summary:
      'change the secret key: stored secrets are re-encrypted, and existing links and return addresses keep working',
    usage: '[--new-secret-file <file that contains the new POSTHORN_SECRET_KEY>] | --finish',
    options: {
      'new-secret-file': { type: 'string', value: 'file', about: 'contains the new POSTHORN_SECRET_KEY' },
      finish: { type: 'boolean', about: 'complete a change, once every process runs with the new secret' },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`)
      const { config, ground, print } = context
      const { dataDir, secretKey } = config
      const finish = values['finish'] === true
      const file = values['new-secret-file']
      if (finish && file !== undefined) throw new UsageError('--finish cannot be combined with --new-secret-file')
      if (!finish && file === undefined && secretKey !== null)
        throw new UsageError(
          'POSTHORN_SECRET_KEY is set: write the new secret to a file and name it with --new-secret-file',
        )
      const given = typeof file === 'string' ? await secretIn(file) : null
      const store = await openFor(context)
      const options = { database: store.database, source: { dataDir, secretKey }, ground }
      const done = finish ? await finishRekey(options) : await beginRekey(options, given)
      for (const text of values['json'] === true ? [JSON.stringify(done)] : rekeyed(done, given !== null)) print(text)
    },
  },
  {
    path: ['doctor'],
    summary:
      'check whether this instance is set up correctly, and say how to fix what is not; exits with 1 if a check fails',
    usage: '',
    options: JSON_OPTION,
    run: async (context, values) => {
      const { config, ground, print } = context
      const { dataDir, databaseUrl } = config
      const json = values['json'] === true
      if (databaseUrl === null) await assertBegun(dataDir)
      else await ensureDataFolder(dataDir)
      const options = {
        config,
        // This machine's own clock: the clock of the process follows the database.
        clock: systemClock(),
        resolver: ground.resolver,
        relay: relayOf(config),
        diskRoom: async () => {
          const clusterFolders = databaseUrl === null ? await embeddedFolders(dataDir) : []
          return diskRoom([dataDir, ...clusterFolders], sendingLimits.MAX_MESSAGE_BYTES)
        },
        certificate: async () => {
          for (const [setting, file] of tlsFiles(config))
            if (file !== null) await assertOwnerReads(dataDir, file, setting)
          return (await instanceCertificate({ ...certificateFiles(config), now: ground.clock.now(), keeps: false }))
            .cert
        },
        greet: firstLine,
        foreignAddresses,
      }
      const around = await examineAround(options)
      // Printed at once: a database that does not answer makes the rest wait.
      if (!json) for (const finding of around) print(line(finding))
      const store = await openFor(context).catch((error: Error) => error)
      const inside = await examineDatabase(store instanceof Error ? store : store.database, options)
      const findings = [...around, ...inside]
      if (json) print(JSON.stringify(findings))
      else for (const finding of inside) print(line(finding))
      const failed = findings.filter(({ state }) => state === 'fail')
      if (failed.length > 0) throw new Error(`failed checks: ${failed.map(({ check }) => check).join(', ')}`)
    },
  },
  {
    path: ['send'],
    summary: 'send one email, with the same checks as the API; reads the text from standard input if none is given',
    usage: '--from <address> --to <address> [--to ...] --subject <text> [--text <text>] [--html-file <file>]',
    options: {
      from: { type: 'string', value: 'address', about: 'the sender, at a verified domain of the account; required' },
      to: { type: 'string', multiple: true, value: 'address', about: 'a recipient; may be repeated; required' },
      subject: { type: 'string', value: 'text', about: 'required' },
      text: { type: 'string', value: 'text', about: 'the plain text (default: standard input, unless there is html)' },
      'html-file': { type: 'string', value: 'file', about: 'contains the html' },
      account: { type: 'string', value: 'id|email', about: 'needed where there are several accounts' },
      sandbox: { type: 'boolean', about: 'as with a test key: to the inbox, never delivered' },
      'idempotency-key': { type: 'string', value: 'key', about: 'a second call with it sends nothing again' },
      ...JSON_OPTION,
    },
    run: async (context, values, positionals) => {
      if (positionals.length > 0) throw new UsageError(`unexpected argument "${positionals[0]}"`)
      for (const name of ['from', 'to', 'subject'])
        if (values[name] === undefined) throw new UsageError(`--${name} is required`)
      const htmlFile = values['html-file']
      const html = typeof htmlFile === 'string' ? utf8Text(await readFile(htmlFile), htmlFile) : null
      const text =
        typeof values['text'] === 'string'
          ? values['text']
          : html === null
            ? utf8Text(await bytesOf(process.stdin), 'the text')
            : null
      const body = {
        from: values['from'],
        to: values['to'],
        subject: values['subject'],
        ...(text !== null && { text }),
        ...(html !== null && { html }),
      }
      const store = await openFor(context)
      for (const line of await otherSettings(store.database.system, context.config, ['POSTHORN_DELIVERY']))
        context.warn(line)
      const account = await accountNamed(
        store.database,
        typeof values['account'] === 'string' ? values['account'] : null,
      )
      const key = typeof values['idempotency-key'] === 'string' ? values['idempotency-key'] : undefined
      const sent = await sendOne(context, store, { accountId: account, sandbox: values['sandbox'] === true, body, key })
      context.print(values['json'] === true ? JSON.stringify(sent) : `${sent.email_id} ${sent.status}`)
    },
  },
  {
    path: ['mcp'],
    summary: 'run an MCP server on standard input and output for the account of POSTHORN_API_KEY; read-only by default',
    usage: '[--url <URL of another instance>] [--allow-send]',
    options: {
      url: { type: 'string', value: 'url', about: 'another instance (default: this one)' },
      'allow-send': { type: 'boolean', about: 'offer tools that send, too' },
    },
    run: async (context, values, [more]) => {
      if (more !== undefined) throw new UsageError(`unexpected argument "${more}"`)
      const { apiKey } = context.config
      // Loaded only for this command: the service does not use it.
      const { serveMcp } = await import('./mcp.ts')
      if (apiKey === null) throw new UsageError('set POSTHORN_API_KEY to an API key of the account to serve')
      const elsewhere = typeof values['url'] === 'string'
      // For another instance only the key tells.
      const sandbox = apiKey.startsWith(TEST_KEY) || (!elsewhere && context.config.delivery.kind === 'sandbox')
      const shared = { version: packageJson.version, allowSend: values['allow-send'] === true, sandbox }
      if (typeof values['url'] === 'string') return serveMcp({ ...shared, ask: askOver(values['url'], apiKey) })
      const store = await openFor(context)
      const rooms = connectRooms({ ...context.config, roles: [] }, context.ground, store)
      const { app } = await apiServer(rooms)
      await ensurePartitions(rooms, context.ground)
      await app.ready()
      await serveMcp({
        ...shared,
        ask: async (method, url, body, more = {}) => {
          const headers = { ...more, 'x-api-key': apiKey }
          const answer = await app.inject({
            method,
            url,
            headers,
            ...(body !== undefined && { payload: body as object }),
          })
          return { status: answer.statusCode, body: answer.json() }
        },
      })
    },
  },
]

/** @throws Error that begins with `name`; in another encoding, letters would arrive as replacement characters */
function utf8Text(bytes: Buffer, name: string): string {
  if (!isUtf8(bytes)) throw new Error(`${name} is not UTF-8: convert it first, for example with iconv`)
  // Without a byte order mark.
  return new TextDecoder().decode(bytes)
}

/** Prefix of a sandbox key. */
const TEST_KEY = 'ph_test_'

/** The reason that `fetch` hides behind "fetch failed". */
function reasonOf({ message, cause }: Error): string {
  const { code, message: causeMessage } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
  return code ?? causeMessage ?? message
}

/** The public API of a running instance. */
function askOver(address: string, key: string): ApiCall {
  return async (method, path, body, more = {}) => {
    const headers = { ...more, 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const answer = await fetch(new URL(path, address), {
      method,
      headers,
      // Another host would get the key.
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause: Error) => {
      throw new Error(`no answer from ${address} (--url): ${reasonOf(cause)}`, { cause })
    })
    const text = await answer.text()
    try {
      return { status: answer.status, body: JSON.parse(text) as Record<string, unknown> }
    } catch (cause) {
      throw new Error(`${address} (--url) answered ${answer.status} without JSON: not Posthorn, or a proxy before it`, {
        cause,
      })
    }
  }
}

/** The command may be the first to write in days. */
async function ensurePartitions(rooms: Rooms, ground: Ground): Promise<void> {
  const partitions = partitionsLoop(rooms.database, ground)
  await partitions.start()
  await partitions.stop(AbortSignal.timeout(GREET_WITHIN_MS))
}

function rekeyed({ number, state, waiting_for, sealed_anew }: Rekeyed, isSetting: boolean): readonly string[] {
  const set = isSetting ? ['Set POSTHORN_SECRET_KEY to the new secret for every process.'] : []
  if (state === 'finished')
    return [
      `secret ${number} is in use; ${sealed_anew} stored secrets were re-encrypted. Back up the new secret.`,
      ...set,
    ]
  return [
    `secret ${number} is announced. From now on processes start only with it. These processes still run without it:`,
    ...waiting_for.map((process) => `  ${processText(process)}`),
    ...set,
    'Restart them, then run: posthorn rekey --finish',
  ]
}

async function openFor({ config, ground, ends, signal }: InstanceContext): Promise<Store> {
  const { dataDir, databaseUrl, secretKey } = config
  const options = { dataDir, databaseUrl, secretKey, log: ground.log, clock: ground.clock }
  const opening = attachBegun(options, signal)
  ends.defer(async () => (await opening.catch(() => null))?.close())
  return opening
}

interface OneMail {
  readonly accountId: string
  readonly sandbox: boolean
  readonly body: object
  readonly key: string | undefined
}

/** Sends through the API's own code path. The running service delivers; without one the email waits in the queue. */
async function sendOne(
  { config, ground }: InstanceContext,
  store: Store,
  { accountId, sandbox, body, key }: OneMail,
): Promise<{ readonly email_id: string; readonly status: string }> {
  const rooms = connectRooms({ ...config, roles: [] }, ground, store)
  const principal = {
    accountId,
    keyId: null,
    mode: sandbox ? ('sandbox' as const) : ('live' as const),
    scopes: ['full'],
    domainIds: null,
  }
  await ensurePartitions(rooms, ground)
  const { body: answer } = await rooms.sending.send(principal, body, key)
  return (answer as { data: { email_id: string; status: string } }).data
}

const GREET_WITHIN_MS = 10_000

function tlsFiles({ tlsCertFile, tlsKeyFile }: Config): readonly (readonly [setting: string, file: string | null])[] {
  return [
    [SETTINGS.tlsCertFile.name, tlsCertFile],
    [SETTINGS.tlsKeyFile.name, tlsKeyFile],
  ]
}

function certificateFiles({ tlsCertFile, tlsKeyFile, dataDir, hostname }: Config) {
  return { certFile: tlsCertFile, keyFile: tlsKeyFile, dataDir, names: [hostname] }
}

/** The first line that a host sends on a port. @throws Error that says what happened instead */
function firstLine(host: string, port: number, source: string | null): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = net.connect({
    host,
    port,
    timeout: GREET_WITHIN_MS,
    ...(source !== null && { localAddress: source }),
  })
  let received = ''
  socket.setEncoding('latin1')
  socket.on('timeout', () => socket.destroy(new Error(`no answer within ${GREET_WITHIN_MS / 1_000} s`)))
  socket.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)))
  socket.on('close', () => reject(new Error('connection closed')))
  socket.on('data', (chunk: string) => {
    received += chunk
    if (!received.includes('\n') && received.length < 1_000) return
    resolve(received.split(/\r?\n/, 1)[0] ?? '')
    socket.destroy()
  })
  return promise
}

const MARKS: Readonly<Record<Finding['state'], string>> = {
  ok: 'ok     ',
  warn: 'warn   ',
  fail: 'FAIL   ',
  unknown: 'unknown',
  skipped: 'skipped',
}

function line({ check, state, found, advice }: Finding): string {
  return `${MARKS[state]} ${check.padEnd(CHECK_WIDTH)}${found}${advice === null ? '' : `\n${' '.repeat(8 + CHECK_WIDTH)}${advice}`}`
}

function onlyFolder(positionals: readonly string[]): string {
  const [folder, ...more] = positionals
  if (folder === undefined || more.length > 0) throw new UsageError('name exactly one folder')
  return path.resolve(folder)
}
