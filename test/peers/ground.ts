// What all tests with other people's programs share: scratch folders, processes that are ended, waiting with a limit.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** Where other people's daemons may look: a folder that every user can enter. */
export async function scratch(name: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), `posthorn-${name}-`))
  await chmod(folder, 0o755)
  return {
    path: folder,
    [Symbol.asyncDispose]: async () => {
      if (process.env['KEEP_SCRATCH'] === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Below those that Linux gives to connections that go out: of a port among these, anybody may have it a moment later. */
const FIRST_PORT = 15_000
const FIRST_EPHEMERAL_PORT = 32_768

/** A port that nobody listens on, at this address. */
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

/** Asks again until the answer is there. @throws after `limitMs`, naming what was waited for */
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
  /** What it has said so far on both outputs. */
  said(): string
}

/** Longer than Posthorn takes for a stop, however slow the machine: one killed over its stop would send again what it sent. */
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
  ended.catch(() => undefined)
  return {
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
}

/** Runs a program to its end. @returns its standard output. @throws with what it said when it fails */
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

/** A process and everything below it, whoever its parent has become: PostgreSQL is its own session. */
export async function descendants(root: number): Promise<readonly number[]> {
  const rows = (await run('ps', ['-eo', 'pid=,ppid=']))
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const found = [root]
  for (const parent of found) for (const [pid, ppid] of rows) if (ppid === parent && pid !== undefined) found.push(pid)
  return found
}
