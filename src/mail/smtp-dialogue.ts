// The dialogue of a connection, as it is stored with an attempt. It is data for the customer, not a log: passwords are
// masked before they come here, a body is one line `(N bytes)`, and it is bounded: 100 lines and 16 KB, of which the
// last line tells that there was more.

import type { Reply } from './smtp-reply.ts'

export interface DialogueLine {
  /** Whole milliseconds since the connection was begun. */
  readonly at: number
  readonly from: 'client' | 'server'
  readonly line: string
}

export type Dialogue = readonly DialogueLine[]

const MAX_LINES = 100
const MAX_CHARS = 16_384
const MAX_LINE_CHARS = 1_024

export class DialogueRecorder {
  readonly #nowMs: () => number
  #lines: DialogueLine[] = []
  #chars = 0
  #full = false

  /** @param nowMs milliseconds since the connection was begun */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  client(line: string): void {
    this.#add('client', line)
  }

  server(reply: Reply): void {
    const last = reply.lines.length - 1
    if (last < 0) this.#add('server', String(reply.code))
    for (let index = 0; index <= last && !this.#full; index++) {
      this.#add('server', `${reply.code}${index < last ? '-' : ' '}${reply.lines[index] ?? ''}`)
    }
  }

  /** What happened to the connection itself, said from our side. */
  note(text: string): void {
    this.#add('client', `(${text})`)
  }

  /** @returns the lines since the last call, and begins anew */
  take(): Dialogue {
    const lines = this.#lines
    this.#lines = []
    this.#chars = 0
    this.#full = false
    return lines
  }

  #add(from: 'client' | 'server', line: string): void {
    if (this.#full) return
    const kept = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}...` : line
    this.#chars += kept.length
    this.#full = this.#lines.length >= MAX_LINES - 1 || this.#chars > MAX_CHARS
    this.#lines.push({ at: Math.round(this.#nowMs()), from, line: this.#full ? '(the rest was not kept)' : kept })
  }
}
