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

/** Breaks every connection that is still there when the deadline aborts. */
export async function closedBy(server: Server, closed: Promise<unknown>, deadline: AbortSignal): Promise<void> {
  const cut = (): void => server.closeAllConnections()
  if (deadline.aborted) cut()
  else deadline.addEventListener('abort', cut, { once: true })
  await closed
  deadline.removeEventListener('abort', cut)
}
