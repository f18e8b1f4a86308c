// What stands between DATA and the final dot (RFC 5321 section 4.5.2): the end is CRLF . CRLF and nothing else, and of two dots
// that begin a line one is taken away. Every other byte is the message's, whatever other servers make of it.
//
// The work is one native search for each chunk and a look at each line that begins with a dot. Of a chunk's end no more is
// held back than what may be the beginning of the end, so that chunks pass without being copied.

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
const LINE_DOT = Buffer.from('\n.')

export interface Fed {
  /** Of the message, in order. */
  readonly pieces: readonly Buffer[]
  /** What came behind the end; null: it has not ended. */
  readonly behind: Buffer | null
}

/** One message. */
export class MessageData {
  #held: Buffer | null = null
  #atStart = true

  feed(more: Buffer): Fed {
    const chunk = this.#held === null ? more : Buffer.concat([this.#held, more])
    this.#held = null
    const pieces: Buffer[] = []
    let from = 0
    if (this.#atStart && chunk[0] === DOT) {
      if (chunk.length === 1 || (chunk.length === 2 && chunk[1] === CR)) return this.#hold(pieces, chunk, 0, 0)
      if (chunk[1] === CR && chunk[2] === LF) return { pieces, behind: chunk.subarray(3) }
      if (chunk[1] === DOT) from = 1
    }
    for (let dot = this.#dotFrom(chunk, from); dot > 0; dot = this.#dotFrom(chunk, dot)) {
      const next = chunk[dot + 1]
      const afterCrlf = chunk[dot - 2] === CR
      if (next === DOT) {
        pieces.push(chunk.subarray(from, dot))
        this.#atStart = false
        from = dot + 1
      } else if (next === undefined || (next === CR && afterCrlf && dot + 2 === chunk.length)) {
        return this.#hold(pieces, chunk, from, afterCrlf ? dot - 2 : dot - 1)
      } else if (next === CR && afterCrlf && chunk[dot + 2] === LF) {
        pieces.push(chunk.subarray(from, dot))
        return { pieces, behind: chunk.subarray(dot + 3) }
      }
    }
    return this.#hold(pieces, chunk, from, endOf(chunk))
  }

  /** The place of a dot behind a line feed, from there on; not that of the message's second byte. -1: none. */
  #dotFrom(chunk: Buffer, from: number): number {
    const at = chunk.indexOf(LINE_DOT, this.#atStart && from === 0 ? 1 : from)
    return at < 0 ? -1 : at + 1
  }

  #hold(pieces: Buffer[], chunk: Buffer, from: number, to: number): Fed {
    const end = Math.max(from, to)
    if (end > from) {
      pieces.push(chunk.subarray(from, end))
      this.#atStart = false
    }
    // A dot that was taken away at the start has been read, though nothing of the message was.
    if (from > 0) this.#atStart = false
    if (end < chunk.length) this.#held = Buffer.from(chunk.subarray(end))
    return { pieces, behind: null }
  }
}

/** Where the last bytes begin that may be the start of a line with a dot. */
function endOf(chunk: Buffer): number {
  const { length } = chunk
  const last = chunk[length - 1]
  if (last === CR) return length - 1
  if (last !== LF) return length
  return chunk[length - 2] === CR ? length - 2 : length - 1
}
