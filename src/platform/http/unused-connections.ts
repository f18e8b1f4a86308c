// Stopping a listener: requests in progress may finish until the deadline, and nothing else is waited for. Node does not
// count a connection without any request yet (a browser opens one ahead) as idle. Left alone, it would delay the stop
// until its timeout, a minute later.

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
 * Waits for `closed`. Node closes only the connections that are idle when the stop begins, so kept-alive connections are
 * closed here after their answer. What remains when the deadline aborts is broken off.
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
