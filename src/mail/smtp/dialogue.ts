// Records the dialogue of a connection, which is stored with an attempt. It is data for the customer, not a log: callers mask
// passwords, and a body is one line `(N bytes)`. It is limited to 100 lines and 16 K characters; the last line says if lines
// were dropped.

import type { SmtpCommand } from './bounce.ts'
import { type Reply, wireLines } from './reply.ts'

export interface DialogueLine {
  /** Whole milliseconds since the connection was started. */
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

  /** @param nowMs milliseconds since the connection was started */
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

  /** Records an event of the connection itself, as a line from our side. */
  note(text: string): void {
    this.#add('client', `(${text})`)
  }

  /** Returns the lines since the last call and starts over. */
  take(): Dialogue {
    const lines = this.#lines
    this.#lines = []
    this.#chars = 0
    this.#full = false
    return lines
  }

  #add(from: 'client' | 'server', line: string): void {
    if (this.#full) return
    const kept = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}...` : line
    this.#chars += kept.length
    this.#full = this.#lines.length >= MAX_LINES - 1 || this.#chars > MAX_CHARS
    this.#lines.push({ at: Math.round(this.#nowMs()), from, line: this.#full ? '(the rest was not kept)' : kept })
  }
}

const CONNECTING = '(connecting to '

/** The command that a line of ours sends; a new connection counts as `connect`. Null for a note. */
function askedBy(line: string): SmtpCommand | 'starttls' | null {
  if (line.startsWith(CONNECTING) || /^(?:[EH][EH]LO|AUTH)\b|^\*\*\*/.test(line)) return 'connect'
  if (line.startsWith('STARTTLS')) return 'starttls'
  if (/^(?:MAIL|RSET)\b/.test(line)) return 'mail'
  if (line.startsWith('RCPT ')) return 'rcpt'
  return line === 'DATA' || /^\(\d+ bytes\)$/.test(line) ? 'data' : null
}

/**
 * Finds the command that a reply answered, in a stored dialogue.
 *
 * @param text of the reply, including the code
 * @returns null when the dialogue does not contain the reply
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
      // Commands on the previous connection get no more replies.
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
