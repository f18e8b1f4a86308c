// A table carried from one server to another: COPY out of here is COPY into there, in text form, which every version
// reads. Nothing is held but what is on the way: while the reader cannot follow, the writer is not read from.

import type { Socket } from 'node:net'
import type pg from 'pg'

/** What of the driver a COPY needs and its types do not tell. */
interface Wire {
  readonly stream: Socket
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** A query of our own kind, as the driver calls it while it runs. */
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

  /** The other half must not wait for us for ever. */
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
 * Runs `copy .. to stdout` on one connection and `copy .. from stdin` on the other, in the transactions that are open there.
 *
 * @returns the rows that were written
 * @throws Error of either server; or when what was read and written differs in number
 */
export async function carry(
  from: { readonly client: pg.Client; readonly text: string },
  into: { readonly client: pg.Client; readonly text: string },
): Promise<number> {
  const writing = new CopyIn(into.text)
  into.client.query(writing as never)
  const wire = await writing.ready
  const reading = new CopyOut(from.text, wire)
  // A writer that fails is read from to the end all the same: the server throws away what still comes.
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
