// A connection that is broken off with RST.

import type { Socket } from 'node:net'

/**
 * `resetAndDestroy` on a socket that is ending already (the other side ended, or we did) leaves its handle open for ever:
 * libuv refuses to reset what is shutting down (`uv_tcp_close_reset`: EINVAL), Node takes it for closed all the same, and the
 * process then never comes to its end. Such a socket is only destroyed.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
