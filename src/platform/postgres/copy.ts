// Copies a table from one server to another: the COPY output of one is the COPY input of the other, in text format, which
// every version reads. Only data in transit is held: while the target cannot keep up, the source is not read.

import type { Socket } from 'node:net'
import type pg from 'pg'

/** The parts of the driver that COPY needs and its types lack. */
interface Wire {
  readonly stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** A query object of our own, with the methods that the driver calls while it runs. */
abstract class Copy {
  readonly done: Promise<number>
  protected wire: Wire | null = null
  readonly #text: string
  readonly #settle: { readonly resolve: (rows: number) => void; readonly reject: (error: unknown) => void }
  #rows = 0
  #failed = false

  constructor(text: string) {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.#text = text
    this.#settle = { resolve, reject }
    this.done = promise
    promise.catch(() => undefined)
  }

  submit(wire: Wire): void {
    this.wire = wire
    wire.query(this.#text)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1] ?? 0)
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.#settle.resolve(this.#rows)
  }

  handleError(error: unknown): void {
    this.#failed = true
    this.#settle.reject(error)
    this.broken(error)
  }

  /** Tells the other half, which must not wait for us for ever. */
  protected abstract broken(error: unknown): void
}

class CopyIn extends Copy {
  readonly ready: Promise<Wire>
  readonly #ready = Promise.withResolvers<Wire>()

  constructor(text: string) {
    super(text)
    this.ready = this.#ready.promise
    this.ready.catch(() => undefined)
  }

  handleCopyInResponse(wire: Wire): void {
    this.#ready.resolve(wire)
  }

  protected broken(error: unknown): void {
    this.#ready.reject(error)
  }
}

class CopyOut extends Copy {
  readonly #into: Wire

  constructor(text: string, into: Wire) {
    super(text)
    this.#into = into
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, wire: Wire): void {
    this.#into.sendCopyFromChunk(chunk)
    if (!this.#into.stream.writableNeedDrain || wire.stream.isPaused()) return
    wire.stream.pause()
    this.#into.stream.once('drain', () => wire.stream.resume())
  }

  protected broken(): void {
    this.#into.sendCopyFail('the other server stopped')
  }
}

/**
 * Runs `copy .. to stdout` on one connection and `copy .. from stdin` on the other, in their open transactions.
 *
 * @returns the number of rows written
 * @throws Error of either server; or when the numbers of rows read and written differ
 */
export async function carry(
  from: { readonly client: pg.Client; readonly text: string },
  into: { readonly client: pg.Client; readonly text: string },
): Promise<number> {
  const writing = new CopyIn(into.text)
  into.client.query(writing as never)
  const wire = await writing.ready
  const reading = new CopyOut(from.text, wire)
  // If the target fails, the source is still read to its end: the server discards what is sent to it.
  const lost = (): void => void wire.stream.emit('drain')
  into.client.once('end', lost)
  from.client.query(reading as never)
  try {
    const read = await reading.done
    wire.endCopyFrom()
    const written = await writing.done
    if (read !== written) throw new Error(`${read} rows were read and ${written} written`)
    return written
  } catch (error) {
    await writing.done.catch(() => undefined)
    throw error
  } finally {
    into.client.off('end', lost)
  }
}
