// The dialogue of a connection, as it is stored with an attempt. It is data for the customer, not a log: passwords are
// masked before they come here, a body is one line `(N bytes)`, and it is bounded: 100 lines and 16 KB, of which the
// last line tells that there was more.

import type { SmtpCommand } from './smtp-bounce.ts'
import { type Reply, wireLines } from './smtp-reply.ts'

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
    if (reply.lines.length === 0) this.#add('server', String(reply.code))
    for (const line of wireLines(reply)) {
      if (this.#full) break
      this.#add('server', line)
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

const CONNECTING = '(connecting to '

/** What a line of ours asks for, a new connection for its banner; null: a note, which asks for nothing. */
function askedBy(line: string): SmtpCommand | 'starttls' | null {
  if (line.startsWith(CONNECTING) || /^(?:[EH][EH]LO|AUTH)\b|^\*\*\*/.test(line)) return 'connect'
  if (line.startsWith('STARTTLS')) return 'starttls'
  if (/^(?:MAIL|RSET)\b/.test(line)) return 'mail'
  if (line.startsWith('RCPT ')) return 'rcpt'
  return line === 'DATA' || /^\(\d+ bytes\)$/.test(line) ? 'data' : null
}

/**
 * Which command a reply answered, by a dialogue that was kept.
 *
 * @param text of the reply, code included
 * @returns null when the dialogue has no such reply
 */
export function commandAnswered(
  dialogue: Dialogue,
  { code, text }: { readonly code: number; readonly text: string },
): SmtpCommand | 'starttls' | null {
  let answered: SmtpCommand | 'starttls' | null = null
  let asked: (SmtpCommand | 'starttls')[] = []
  for (const { from, line } of dialogue) {
    if (from === 'client') {
      const command = askedBy(line)
      // What was asked on the connection before has no answer.
      if (line.startsWith(CONNECTING)) asked = []
      if (command !== null) asked.push(command)
      continue
    }
    if (line[3] === '-') continue
    const command = asked.shift() ?? null
    if (line.startsWith(String(code)) && text.includes(wordsOf(line))) answered = command
  }
  return answered
}

function wordsOf(line: string): string {
  return line
    .slice(4)
    .replace(/^[245]\.\d{1,3}\.\d{1,3}/, '')
    .trim()
}
