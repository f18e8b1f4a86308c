// An answer waits in memory until its client has read it. A few large ones that nobody reads would hold all the memory that there
// is for such, so a connection ends when its client has read nothing for a minute. A slow client is waited for.

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** Node first takes a write that was done in part for progress, and fires at twice this time. */
const UNREAD_MS = 30_000
const LARGE_BYTES = 262_144
const SLICE_BYTES = 65_536

/** @param unreadMs half of how long a client may read nothing of an answer that waits for it */
export function cutUnread(app: FastifyInstance, unreadMs = UNREAD_MS): void {
  app.addHook('onRequest', (_, { raw }, done) => {
    // Node counts from the last time that anything moved. With nothing to read, the request is still worked on.
    raw.setTimeout(unreadMs, () => {
      if (raw.socket !== null && raw.socket.writableLength > 0) raw.socket.destroy()
    })
    done()
  })
  // Of one large write over TLS, Node does not see how much has been read.
  app.addHook('onSend', (_, reply, payload, done) => {
    if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || payload.length < LARGE_BYTES) {
      done(null, payload)
      return
    }
    const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(payload)
    reply.header('content-length', bytes.length)
    done(null, Readable.from(slices(bytes)))
  })
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES)
}
