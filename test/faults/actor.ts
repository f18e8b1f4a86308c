// An actor is a separate process with its own ledger: `node test/faults/NAME.ts SETTINGS`, where SETTINGS is JSON.
// It prints `ready {...}` once it is up. At SIGTERM it closes its ledger and ends.

import { once } from 'node:events'
import path from 'node:path'
import { type Running, start, waitFor } from '../peers/fixture.ts'
import { type Ledger, openLedger } from './ledger.ts'

const END_WITHIN_MS = 120_000

export interface Act {
  /** For the process that started it: ports and the like. */
  readonly told?: object
  stop(): Promise<void>
}

/** Runs in the actor's process. */
export async function act<Settings extends { readonly ledger: string }>(
  begin: (settings: Settings, ledger: Ledger) => Promise<Act>,
): Promise<void> {
  const settings = JSON.parse(process.argv[2] ?? '{}') as Settings
  const ledger = await openLedger(settings.ledger)
  const { told = {}, stop } = await begin(settings, ledger)
  let ending = false
  const end = async (): Promise<void> => {
    if (ending) return
    ending = true
    await stop()
    await ledger.close()
    process.exit(0)
  }
  process.on('SIGTERM', () => void end())
  // The process that started it is gone.
  process.on('disconnect', () => void end())
  process.stdout.write(`ready ${JSON.stringify(told)}\n`)
}

export interface Actor<Told> extends AsyncDisposable {
  readonly told: Told
  readonly running: Running
  /** Asks it to end and waits until it has. Clients first finish their current requests. */
  end(): Promise<void>
}

/** Starts an actor and waits until it is up. */
export async function startActor<Told = object>(
  name: string,
  settings: { readonly ledger: string } & Record<string, unknown>,
): Promise<Actor<Told>> {
  const running = start(process.execPath, [path.join(import.meta.dirname, `${name}.ts`), JSON.stringify(settings)])
  const told = await waitFor(name, async () => {
    if (running.child.exitCode !== null) throw new Error(`${name} ended: ${running.said()}`)
    return /^ready (.*)$/m.exec(running.said())?.[1]
  })
  return {
    told: JSON.parse(told) as Told,
    running,
    end: async () => {
      const { child } = running
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit', { signal: AbortSignal.timeout(END_WITHIN_MS) })
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
