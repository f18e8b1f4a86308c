// The product as a user sees it: only `bin/posthorn` and HTTP. This file imports no code of src/.

import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { freePort, type Running, run, start, waitFor } from './fixture.ts'

const LAUNCHER = path.join(import.meta.dirname, '..', '..', 'bin', 'posthorn')

export interface Account {
  readonly account_id: string
  readonly api_key: string
  readonly test_api_key: string
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect answers of many shapes
  readonly body: any
  readonly headers: Headers
}

export interface Posthorn extends AsyncDisposable {
  readonly url: string
  readonly env: Record<string, string>
  readonly running: Running
  cli(...args: string[]): Promise<string>
  account(name?: string): Promise<Account>
  /** Calls the API with a key. */
  call(key: string, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Stops it gracefully. @throws when it had ended by itself, had to be killed, or ended with an error */
  stop(): Promise<void>
}

/** @param machine a network namespace to run in, and its address there */
export async function startPosthorn(
  folder: string,
  settings: Record<string, string> = {},
  machine: { readonly namespace: string; readonly address: string } | null = null,
): Promise<Posthorn> {
  const port = Number(settings['POSTHORN_HTTP_PORT'] ?? (await freePort()))
  const dataDir = path.join(folder, 'data')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const env = {
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_HTTP_PORT: String(port),
    POSTHORN_SUBMISSION_PORT: String(await freePort()),
    POSTHORN_SUBMISSION_TLS_PORT: String(await freePort()),
    POSTHORN_MX_PORT: String(await freePort()),
    POSTHORN_LOG_LEVEL: 'warn',
    ...settings,
  }
  const running =
    machine === null
      ? start(LAUNCHER, ['serve'], env)
      : start('ip', ['netns', 'exec', machine.namespace, LAUNCHER, 'serve'], { POSTHORN_BIND: machine.address, ...env })
  await waitFor(
    'posthorn serve',
    async () => {
      if (running.child.exitCode !== null) throw new Error(`posthorn ended: ${running.said()}`)
      return /^ready /m.test(running.said())
    },
    90_000,
  )
  const url = `http://${machine?.address ?? '127.0.0.1'}:${port}`
  const cli = (...args: string[]): Promise<string> => run(LAUNCHER, args, undefined, env)
  let accounts = 0
  return {
    url,
    env,
    running,
    cli,
    account: async (name = 'Test') => {
      const email = `owner${++accounts}@posthorn.test`
      return JSON.parse(
        await cli('account', 'create', '--email', email, '--name', name, '--plan', 'enterprise', '--json'),
      ) as Account
    },
    call: async (key, method, where, body, headers = {}) => {
      const reply = await fetch(url + where, {
        method,
        headers: {
          ...(key !== '' && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await reply.text()
      return {
        status: reply.status,
        body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
        headers: reply.headers,
      }
    },
    stop: async () => {
      const { child } = running
      const had = { code: child.exitCode, signal: child.signalCode }
      await running[Symbol.asyncDispose]()
      if (had.code === null && had.signal === null && child.exitCode === 0) return
      const how = `before it: ${JSON.stringify(had)}, after it: ${child.exitCode} ${child.signalCode}`
      throw new Error(`Posthorn did not stop as it should (${how}): ${running.said().slice(-4_000)}`)
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
