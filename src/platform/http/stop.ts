// A stop of a listener: what is under way is finished until the deadline, and nothing else is waited for. A connection that
// has not brought a request (a browser opens one ahead) is not among those that Node calls idle: left alone it would hold
// up the stop until its time-out, a minute later.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export interface UnusedConnections {
  close(): void
}

export function unusedConnections(server: Server): UnusedConnections {
  const unused = new Set<Socket>()
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  return {
    close: () => {
      for (const socket of unused) socket.destroy()
    },
  }
}

const SWEEP_EVERY_MS = 50

/**
 * Waits for `closed`. A connection that is kept alive after its answer is closed then, for Node closes only those that are
 * idle when the stop begins; what is still there when the deadline aborts is broken.
 */
export async function closedBy(server: Server, closed: Promise<unknown>, deadline: AbortSignal): Promise<void> {
  const sweeping = setInterval(() => {
    if (deadline.aborted) server.closeAllConnections()
    else server.closeIdleConnections()
  }, SWEEP_EVERY_MS)
  try {
    await closed
  } finally {
    clearInterval(sweeping)
  }
}
