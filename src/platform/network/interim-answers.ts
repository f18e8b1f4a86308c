// Interim answers of an HTTP/1.1 server. A client takes any number of them, also ones that it did not ask for (RFC 9110 section
// 15.2), and some servers send 100 (Continue) for every request with a body. undici passes over all others, but takes a 100 for
// a fault and ends the connection, after the server has received the request. So its sockets drop these before it reads them.

import type { Socket } from 'node:net'

const NOTHING = Buffer.alloc(0)
const BEGINNING = /^HTTP\/1\.\d 100[ \r]/
const LONGEST_BEGINNING = 'HTTP/1.1 100 '
const MAX_HEAD_BYTES = 16_384

/** Reads of the socket skip each 100 before an answer. Requests must wait for the answer to the one before. */
export function skipContinue(socket: Socket): void {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...given: unknown[]) => boolean
  /** A request has been written, and nothing of its final answer has been read. */
  let isAhead = false
  let held: Buffer = NOTHING
  socket.write = ((...given: unknown[]) => {
    isAhead = true
    return write(...given)
  }) as typeof socket.write
  socket.read = (sizeBytes?: number): Buffer | null => {
    const chunk: Buffer | null = read(sizeBytes)
    if (!isAhead || chunk === null) return chunk
    const bytes = withoutContinue(held.length === 0 ? chunk : Buffer.concat([held, chunk]))
    isAhead = isUnfinished(bytes)
    held = isAhead ? bytes : NOTHING
    return isAhead ? null : bytes
  }
}

/** The bytes after the whole answers 100 at the beginning. */
function withoutContinue(bytes: Buffer): Buffer {
  let from = 0
  while (BEGINNING.test(bytes.toString('latin1', from, from + LONGEST_BEGINNING.length))) {
    const end = bytes.indexOf('\r\n\r\n', from)
    if (end < 0) break
    from = end + 4
  }
  return bytes.subarray(from)
}

/** Whether these may be the first bytes of a 100 whose end has not arrived; true for none. */
function isUnfinished(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, LONGEST_BEGINNING.length)
  if (start.length === LONGEST_BEGINNING.length) return BEGINNING.test(start) && bytes.length < MAX_HEAD_BYTES
  const whole = start + LONGEST_BEGINNING.slice(start.length)
  return BEGINNING.test(whole)
}
