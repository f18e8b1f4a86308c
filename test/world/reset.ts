// Breaking off a connection with RST.

import type { Socket } from 'node:net'

/**
 * On a socket that is already ending (by the other side or by us), `resetAndDestroy` leaves its handle open for ever: libuv
 * refuses to reset a socket that is shutting down (`uv_tcp_close_reset`: EINVAL), Node treats it as closed all the same, and
 * the process never exits. Such a socket is only destroyed.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
