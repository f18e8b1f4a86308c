// Helpers of all tests with other people's programs: scratch folders, processes that are stopped, waiting with a limit.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const left = new Set<AsyncDisposable>()

/** What is not disposed of when a signal ends this process is disposed of then: programs first, their folders last. */
function disposeWhenInterrupted(one: AsyncDisposable): void {
  left.add(one)
  watch()
}

function forget(one: AsyncDisposable): void {
  left.delete(one)
  watch()
}

/** Signals are left to others while there is nothing to dispose of. */
function watch(): void {
  for (const signal of SIGNALS) {
    process.off(signal, interrupted)
    if (left.size > 0) process.on(signal, interrupted)
  }
}

function interrupted(signal: NodeJS.Signals): void {
  const all = [...left].reverse()
  left.clear()
  watch() // a second signal ends this process at once
  // What fails now fails for want of what has been ended.
  process.on('uncaughtException', () => undefined)
  void (async () => {
    for (const one of all) await Promise.resolve(one[Symbol.asyncDispose]()).catch(() => undefined)
    process.exit(128 + os.constants.signals[signal])
  })()
}

/** A folder that every user can enter, so that other people's daemons can read it. */
export async function scratch(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `posthorn-${name}-`))
  await chmod(folder, 0o755)
  const made = {
    path: folder,
    [Symbol.asyncDispose]: async () => {
      if (process.env['KEEP_SCRATCH'] === undefined) await rm(folder, { recursive: true, force: true })
      forget(made)
    },
  }
  disposeWhenInterrupted(made)
  return made
}

/** Below the range that Linux assigns to outgoing connections, which may take a free port at any moment. */
const FIRST_PORT = 15_000
const FIRST_EPHEMERAL_PORT = 32_768

/** A port without a listener at this address. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, FIRST_EPHEMERAL_PORT)
    const server = net.createServer().listen(port, address)
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

/** Asks repeatedly until there is an answer. @throws after `limitMs`, naming `what` or with the last error */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | null | undefined | false>,
  limitMs = 30_000,
  everyMs = 100,
): Promise<T> {
  const end = performance.now() + limitMs
  for (;;) {
    const found = await ask().catch((error: unknown) => {
      if (performance.now() > end) throw error
      return null
    })
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for ${what}`)
    await delay(everyMs)
  }
}

export async function accepts(port: number, address = '127.0.0.1'): Promise<boolean> {
  const socket = net.connect(port, address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  /** Its output so far, standard output and standard error. */
  said(): string
}

/** Longer than Posthorn takes to stop, however slow the machine: killed during its stop, it would send some mails twice. */
export const STOP_WITHIN_MS = 60_000

/** Starts a program that runs until it is disposed of. */
export function start(command: string, args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  let said = ''
  const hear = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-200_000)
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const ended = once(child, 'exit')
  const running = {
    child,
    said: () => said,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const hard = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
      await ended
      clearTimeout(hard)
    },
  }
  disposeWhenInterrupted(running)
  ended.catch(() => undefined).finally(() => forget(running))
  return running
}

/** Runs a program to its end. @returns its standard output. @throws with its output when it fails */
export async function run(
  command: string,
  args: readonly string[],
  input?: Buffer | string,
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => void out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => void err.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${Buffer.concat(err)}${Buffer.concat(out)}`)
  return Buffer.concat(out).toString()
}

/** A process and all its descendants, including those in another session, such as PostgreSQL. */
export async function descendants(root: number): Promise<readonly number[]> {
  const rows = (await run('ps', ['-eo', 'pid=,ppid=']))
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const found = [root]
  for (const parent of found) for (const [pid, ppid] of rows) if (ppid === parent && pid !== undefined) found.push(pid)
  return found
}
