// A server that disappears silently (power, network) closes nothing: statements sent to it would wait for minutes. So when a
// connection has waited for an answer for a few seconds, we open a probe connection to its server. If that is accepted, the
// machine is there and only slow, and nothing happens; if not, all connections to that address are given up at once. The
// outcome of statements under way on them is unknown, as after any lost connection.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { systemClock } from '../clock.ts'
import { answerWithin } from './answer-timeout.ts'

/** The part of a `pg` connection that is used here. */
export interface Watchable {
  /** False while a statement waits for its answer. */
  readonly readyForQuery: boolean
  readonly connection: { readonly stream: Socket }
}

export interface SilentServerWatch {
  /** Watches the client until its socket is closed. */
  add(client: Watchable): void
  close(): void
}

interface Entry {
  readonly client: Watchable
  bytesRead: number
  /** The time since which it has waited without receiving anything. */
  sinceMs: number
}

const KNOCK_WITHIN_MS = 4_000
const LOOKS = 5
// Errors that say nothing about the server: we have no descriptor, memory or port for the probe.
const OUR_FAULT = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])

/** @param silentAfterMs how long a connection waits before its server is probed */
export function watchSilentServers(silentAfterMs: number): SilentServerWatch {
  const clock = systemClock()
  const entries = new Set<Entry>()
  const probing = new Set<string>()

  const probe = async (place: string, address: string, port: number): Promise<void> => {
    probing.add(place)
    const there = await answers(address, port)
    probing.delete(place)
    for (const entry of entries) {
      if (placeOf(entry) !== place) continue
      if (there) entry.sinceMs = clock.monotonicMs()
      else entry.client.connection.stream.destroy()
    }
  }

  const look = (): void => {
    const nowMs = clock.monotonicMs()
    for (const entry of entries) {
      const { readyForQuery, connection } = entry.client
      const { bytesRead, remoteAddress, remotePort } = connection.stream
      if (readyForQuery || bytesRead !== entry.bytesRead) {
        entry.bytesRead = bytesRead
        entry.sinceMs = nowMs
      }
      if (nowMs - entry.sinceMs < silentAfterMs || remoteAddress === undefined || remotePort === undefined) continue
      const place = placeOf(entry)
      if (!probing.has(place)) void probe(place, remoteAddress, remotePort)
    }
  }

  const timer = setInterval(look, silentAfterMs / LOOKS).unref()
  return {
    add: (client) => {
      const { stream } = client.connection
      const entry: Entry = { client, bytesRead: stream.bytesRead, sinceMs: clock.monotonicMs() }
      entries.add(entry)
      stream.once('close', () => entries.delete(entry))
    },
    close: () => clearInterval(timer),
  }
}

function placeOf({ client }: Entry): string {
  const { remoteAddress, remotePort } = client.connection.stream
  return `${remoteAddress} ${remotePort}`
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await answerWithin(once(socket, 'connect'), KNOCK_WITHIN_MS)
    return true
  } catch (error) {
    return OUR_FAULT.has((error as NodeJS.ErrnoException).code ?? '')
  } finally {
    socket.destroy()
  }
}
