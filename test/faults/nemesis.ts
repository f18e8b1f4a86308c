// Causes the faults, chosen from a seed. Apart from restarting dead processes, the harness repairs nothing.
//
// Ledger: `kill` before each blow, `stop` before a graceful stop, `struck` after a kill -9 of Posthorn's processes, `ready`
// once the service answers again, with the milliseconds since the blow.
//
// Scenes:
//   whole  one process with every role and the embedded PostgreSQL: kill -9 of everything, PostgreSQL included
//   parts  the roles in four processes over Debian's PostgreSQL: kill -9 of one or several of them, the end of one or all
//          of PostgreSQL's backends, or a restart of PostgreSQL under load

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, freePort, run, waitFor } from '../peers/fixture.ts'
import { type Postgres, startPostgres } from '../peers/postgres.ts'
import { type Posthorn, startPosthorn } from '../peers/posthorn.ts'
import type { Chance } from './chance.ts'
import type { Ledger } from './ledger.ts'

export type SceneName = 'whole' | 'parts'

export interface Scene extends AsyncDisposable {
  /** The process with the API. */
  readonly api: () => Posthorn
  readonly urls: readonly string[]
  readonly submissions: readonly string[]
  /** Causes one fault and waits until everything is up again. */
  strike(): Promise<void>
  /** Stops and starts everything gracefully. */
  restart(): Promise<void>
}

interface Stage {
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
  readonly chance: Chance
  readonly ledger: Ledger
}

const SECRET = 'one secret key that all processes of the world share'

export function startScene(name: SceneName, stage: Stage): Promise<Scene> {
  return name === 'whole' ? whole(stage) : parts(stage)
}

/** Output of the processes that have ended, one after another. */
export function saidIn(folder: string): string {
  return existsSync(said(folder)) ? readFileSync(said(folder), 'utf8') : ''
}

const said = (folder: string): string => path.join(folder, 'said.txt')

function keepSaid(folder: string, { running }: Posthorn): void {
  const { exitCode, signalCode } = running.child
  appendFileSync(said(folder), `${running.said()}ended: ${exitCode} ${signalCode}\n`)
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended by itself.
    }
  }
}

/** Free ports for a process, which keeps them over its restarts. */
async function ports(): Promise<Record<string, string>> {
  return {
    POSTHORN_HTTP_PORT: String(await freePort()),
    POSTHORN_SUBMISSION_PORT: String(await freePort()),
    POSTHORN_SUBMISSION_TLS_PORT: String(await freePort()),
    POSTHORN_MX_PORT: String(await freePort()),
  }
}

async function whole({ folder, settings, chance, ledger }: Stage): Promise<Scene> {
  const own = await ports()
  const url = `http://127.0.0.1:${own['POSTHORN_HTTP_PORT']}`
  const all = { ...settings, ...own, POSTHORN_PUBLIC_URL: url }
  let posthorn = await startPosthorn(folder, all)
  const up = async (what: string, began: number): Promise<void> => {
    keepSaid(folder, posthorn)
    posthorn = await startPosthorn(folder, all)
    await ledger.write({ k: 'ready', what, ms: Math.round(performance.now() - began) })
  }
  return {
    api: () => posthorn,
    urls: [url],
    submissions: [`127.0.0.1:${own['POSTHORN_SUBMISSION_TLS_PORT']}`],
    strike: async () => {
      const pids = chance.shuffled(await descendants(posthorn.running.child.pid ?? 0))
      await ledger.write({ k: 'kill', what: 'everything', hard: true, deliveries: 1 })
      const began = performance.now()
      killAll(pids)
      await ledger.write({ k: 'struck', what: 'everything' })
      await up('everything', began)
    },
    restart: async () => {
      await ledger.write({ k: 'stop', what: 'everything' })
      const began = performance.now()
      await posthorn.stop()
      await up('everything', began)
    },
    [Symbol.asyncDispose]: () => posthorn[Symbol.asyncDispose](),
  }
}

const RECOVERED_WITHIN_MS = 60_000
const ROLES = ['api,tracking', 'submission', 'delivery', 'mx,worker'] as const

/** Waits for a backend: just after a start of the server there may be none. */
async function backends(): Promise<readonly string[]> {
  const asked = ['-u', 'postgres', '-f', 'postgres: postgres postgres']
  return waitFor('a backend', async () => (await run('pgrep', asked)).trim().split('\n'))
}

async function parts({ folder, settings, chance, ledger }: Stage): Promise<Scene> {
  const postgres: Postgres = await startPostgres(folder)
  const places = await Promise.all(ROLES.map(ports))
  const url = `http://127.0.0.1:${places[0]?.['POSTHORN_HTTP_PORT']}`
  const settingsOf = (part: number): Record<string, string> => ({
    ...settings,
    ...places[part],
    DATABASE_URL: postgres.url,
    POSTHORN_SECRET_KEY: SECRET,
    POSTHORN_PUBLIC_URL: url,
    POSTHORN_ROLES: ROLES[part] ?? '',
  })
  // Starts a process again when it ended because PostgreSQL is still recovering, as a supervisor does.
  const start = async (part: number): Promise<Posthorn> => {
    for (const end = performance.now() + RECOVERED_WITHIN_MS; ; await delay(500)) {
      try {
        return await startPosthorn(`${folder}/part${part}`, settingsOf(part))
      } catch (error) {
        if (!/the database system is/.test(String(error)) || performance.now() > end) throw error
      }
    }
  }
  const running: Posthorn[] = []
  for (const part of ROLES.keys()) running.push(await start(part))
  const strikeParts = async (struck: readonly number[]): Promise<void> => {
    const what = struck.map((part) => ROLES[part]).join(' + ')
    const pids = await Promise.all(struck.map((part) => descendants(running[part]?.running.child.pid ?? 0)))
    const deliveries = struck.filter((part) => ROLES[part] === 'delivery').length
    await ledger.write({ k: 'kill', what, hard: deliveries > 0, deliveries })
    const began = performance.now()
    killAll(pids.flat())
    await ledger.write({ k: 'struck', what })
    for (const part of struck) {
      keepSaid(folder, running[part] as Posthorn)
      running[part] = await start(part)
    }
    await ledger.write({ k: 'ready', what, ms: Math.round(performance.now() - began) })
  }
  const strikePostgres = async (): Promise<void> => {
    const what = chance.pick(['backends', 'one backend', 'postgres'])
    await ledger.write({ k: 'kill', what, hard: false, deliveries: 0 })
    const began = performance.now()
    // After the crash of one backend PostgreSQL ends all of them and recovers.
    if (what === 'one backend') killAll([Number(chance.pick(await backends()))])
    else if (what === 'backends') {
      const ask = "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend'"
      await run('psql', ['-q', '-d', postgres.url, '-c', `${ask} and pid <> pg_backend_pid()`])
    } else {
      await postgres.stop()
      await delay(chance.whole(200, 2_000))
      await postgres.start()
    }
    await ledger.write({ k: 'ready', what, ms: Math.round(performance.now() - began) })
  }
  return {
    api: () => running[0] as Posthorn,
    urls: [url],
    submissions: [`127.0.0.1:${places[1]?.['POSTHORN_SUBMISSION_TLS_PORT']}`],
    strike: async () => {
      if (chance.next() < 0.15) return strikePostgres()
      const count = chance.pick([1, 1, 1, 2, 4])
      await strikeParts(chance.shuffled([...ROLES.keys()]).slice(0, count))
    },
    restart: async () => {
      for (const [part, one] of running.entries()) {
        await ledger.write({ k: 'stop', what: ROLES[part] })
        const began = performance.now()
        await one.stop()
        keepSaid(folder, one)
        running[part] = await start(part)
        await ledger.write({ k: 'ready', what: ROLES[part], ms: Math.round(performance.now() - began) })
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of running) await one[Symbol.asyncDispose]()
      await postgres[Symbol.asyncDispose]()
    },
  }
}
