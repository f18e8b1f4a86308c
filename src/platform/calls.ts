// Calls between two threads. What is asked and answered within one turn of the event loop travels in one message: waking the
// other thread costs more than what is said. Bytes travel beside: those of small calls are copied together, a buffer of more
// than MAX_COPIED_BYTES that has all of its memory is handed over and empty afterwards.
//
// An answer comes for each call, in any order. Where the other thread ends, `end` rejects what waits for it.

/** One side of a MessageChannel, or a thread seen from the other side. */
export interface CallPort {
  postMessage(value: unknown, transfer: ArrayBuffer[]): void
  on(event: 'message', heard: (value: unknown) => void): unknown
}

/** What the other side may ask for, by name. Throwing or rejecting becomes the caller's error. */
export type Answers = Readonly<Record<string, (args: never, bytes: Buffer) => unknown>>

/** How errors travel: structured clones forget their class. */
export interface ErrorForm {
  readonly write: (error: unknown) => unknown
  readonly read: (written: unknown) => Error
}

export interface Calls {
  /** @param args plain values. @throws what the other side answered */
  call(name: string, args: readonly unknown[], bytes?: Buffer): Promise<unknown>
  /** Rejects all that waits, and all calls from now on. */
  end(error: Error): void
}

type WrittenCall = readonly [id: number, name: string, args: readonly unknown[], from: number, length: number]
type WrittenAnswer = readonly [id: number, isError: boolean, value: unknown]

interface Message {
  readonly calls: readonly WrittenCall[]
  readonly answers: readonly WrittenAnswer[]
  /** Of all small calls together. */
  readonly bytes: ArrayBuffer | null
  /** A call whose `length` is negative has one of these: its number is `from`. */
  readonly large: readonly ArrayBuffer[]
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

const MAX_COPIED_BYTES = 1_048_576
const NOTHING = Buffer.alloc(0)

export function callsOver(port: CallPort, answers: Answers, errors: ErrorForm): Calls {
  const waiting = new Map<number, Waiting>()
  let calls: [number, string, readonly unknown[], Buffer][] = []
  let answered: WrittenAnswer[] = []
  let lastId = 0
  let isDue = false
  let ended: Error | null = null

  const send = (): void => {
    isDue = false
    if (ended !== null) return
    const { message, transfer } = written(calls, answered)
    calls = []
    answered = []
    port.postMessage(message, transfer)
  }
  const soon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(send)
  }
  const answer = async ([id, name, args]: WrittenCall, bytes: Buffer): Promise<void> => {
    try {
      const value = await answers[name]?.(args as never, bytes)
      answered.push([id, false, value])
    } catch (error) {
      answered.push([id, true, errors.write(error)])
    }
    soon()
  }
  port.on('message', (value) => {
    const message = value as Message
    for (const [id, isError, result] of message.answers) {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (isError) asked?.reject(errors.read(result))
      else asked?.resolve(result)
    }
    for (const call of message.calls) void answer(call, bytesOf(call, message))
  })
  return {
    call: (name, args, bytes = NOTHING) =>
      new Promise((resolve, reject) => {
        if (ended !== null) {
          reject(ended)
          return
        }
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        calls.push([id, name, args, bytes])
        soon()
      }),
    end: (error) => {
      ended = error
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    },
  }
}

function written(
  calls: readonly (readonly [number, string, readonly unknown[], Buffer])[],
  answers: readonly WrittenAnswer[],
): { readonly message: Message; readonly transfer: ArrayBuffer[] } {
  const large: ArrayBuffer[] = []
  const small: Buffer[] = []
  let at = 0
  const out = calls.map(([id, name, args, bytes]): WrittenCall => {
    const { buffer, length } = bytes
    if (length > MAX_COPIED_BYTES && buffer instanceof ArrayBuffer && buffer.byteLength === length) {
      return [id, name, args, large.push(buffer) - 1, -1]
    }
    const from = at
    at += length
    if (length > 0) small.push(bytes)
    return [id, name, args, from, length]
  })
  const bytes = at === 0 ? null : together(small, at)
  return { message: { calls: out, answers, bytes, large }, transfer: bytes === null ? large : [...large, bytes] }
}

function together(pieces: readonly Buffer[], length: number): ArrayBuffer {
  const all = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const piece of pieces) at += piece.copy(all, at)
  return all.buffer
}

function bytesOf([, , , from, length]: WrittenCall, { bytes, large }: Message): Buffer {
  if (length < 0) return Buffer.from(large[from] as ArrayBuffer)
  return bytes === null || length === 0 ? NOTHING : Buffer.from(bytes, from, length)
}
