// Reads replies of SMTP servers (RFC 5321 section 4.2). What they mean for a recipient is in bounce.ts.
//
// The other side is not trusted. The reader is linear in its input, keeps a bounded part of it and never throws. Input that
// cannot be a reply becomes a fault, which is a value; after a fault the stream is unusable.
//
//   a line            keeps 4 KB and drops the rest; over 64 KB: fault
//   a reply           keeps 1,000 lines and 64 K characters of text and drops the rest; over 4 MB: fault
//   a line's end      CRLF, or a bare LF
//   bytes             UTF-8; invalid bytes become U+FFFD, control characters become spaces
//   the first line    a code of 200 to 599, then a space, a hyphen or the end; anything else: fault
//   a later line      may lack the code: some receivers wrap their prose
//   differing codes   in one reply violate RFC 5321 section 4.2.1. The last code counts, as with other senders, and only a
//                     status of its class. A final code of 500 or more after a milder one is no proof of a refusal: fault

const LINE_KEPT_BYTES = 4_096
const LINE_MAX_BYTES = 65_536
const REPLY_KEPT_LINES = 1_000
const REPLY_KEPT_CHARS = 65_536
const REPLY_MAX_BYTES = 4 * 1_048_576
const FAULT_SHOWN_CHARS = 80
const CONTRADICTION_SHOWN_CHARS = 300

export interface Reply {
  /** 200 to 599. Only the first digit decides what to do next (RFC 5321 section 4.2.1). */
  readonly code: number
  /**
   * RFC 3463 status such as `5.1.1`; null when the text has none. Of several, the first whose class matches the code, else
   * simply the first, which then contradicts the code.
   */
  readonly enhanced: string | null
  /** The text after the code on each line, including enhanced codes. */
  readonly lines: readonly string[]
  /** The code of each line; absent when they all equal `code`. */
  readonly codes?: readonly number[]
  /**
   * The reply in one line for display, with the enhanced code only once: `550 5.1.1 No such user here`. With differing codes,
   * the lines as received: `550-5.1.1 no / 250 ok`.
   */
  readonly text: string
}

/** The input where a reply was due, if it is not one. */
export interface ReplyFault {
  readonly fault: string
}

const CR = 13
const LF = 10
const HYPHEN = 45
const SPACE = 32

export class ReplyReader {
  #partial: Buffer | null = null
  #partialLength = 0
  /** Bytes of the current line, kept or not. */
  #lineBytes = 0
  #replyBytes = 0
  #code = 0
  #lines: string[] = []
  /** Codes of the lines that are kept. */
  #codes: number[] = []
  /** Lowest code in the current reply; 0 for none yet. */
  #mildest = 0
  #keptChars = 0
  #fault: ReplyFault | null = null

  /** True between replies, while no byte of the next one has arrived. */
  get idle(): boolean {
    return this.#lineBytes === 0 && this.#code === 0
  }

  /** @returns the replies that `chunk` completed. A fault comes last, and every later call returns it again */
  push(chunk: Buffer): (Reply | ReplyFault)[] {
    const found: (Reply | ReplyFault)[] = []
    let start = 0
    while (this.#fault === null && start < chunk.length) {
      const end = chunk.indexOf(LF, start)
      if (end === -1) {
        this.#keep(chunk, start, chunk.length)
        break
      }
      const line = this.#endLine(chunk, start, end)
      start = end + 1
      if (this.#fault !== null) break
      const reply = this.#take(line)
      if (reply !== null) found.push(reply)
    }
    if (this.#fault !== null) found.push(this.#fault)
    return found
  }

  #count(bytes: number): void {
    this.#lineBytes += bytes
    this.#replyBytes += bytes
    if (this.#lineBytes > LINE_MAX_BYTES) this.#fault = { fault: `a reply line is longer than ${LINE_MAX_BYTES} bytes` }
    else if (this.#replyBytes > REPLY_MAX_BYTES) {
      this.#fault = { fault: `a reply is longer than ${REPLY_MAX_BYTES} bytes` }
    }
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#count(end - start)
    this.#partial ??= Buffer.allocUnsafe(LINE_KEPT_BYTES)
    this.#partialLength += chunk.copy(this.#partial, this.#partialLength, start, end)
  }

  #endLine(chunk: Buffer, start: number, end: number): Buffer {
    let line: Buffer
    if (this.#partialLength > 0 && this.#partial !== null) {
      this.#keep(chunk, start, end)
      line = this.#partial.subarray(0, this.#partialLength)
    } else {
      this.#count(end - start + 1)
      line = chunk.subarray(start, Math.min(end, start + LINE_KEPT_BYTES))
    }
    this.#partialLength = 0
    this.#lineBytes = 0
    return line.length > 0 && line[line.length - 1] === CR ? line.subarray(0, -1) : line
  }

  #take(line: Buffer): Reply | null {
    const code = codeOf(line)
    if (code === 0 && this.#code === 0) {
      this.#fault = { fault: `not an SMTP reply: ${clean(line.toString('utf8', 0, FAULT_SHOWN_CHARS))}` }
      return null
    }
    if (code !== 0) {
      this.#code = code
      this.#mildest = this.#mildest === 0 ? code : Math.min(code, this.#mildest)
    }
    if (this.#lines.length < REPLY_KEPT_LINES && this.#keptChars < REPLY_KEPT_CHARS) {
      const text = clean(line.toString('utf8', code === 0 ? 0 : Math.min(4, line.length)))
      this.#keptChars += text.length
      this.#lines.push(text)
      this.#codes.push(this.#code)
    }
    if (code === 0 || line[3] === HYPHEN) return null
    const agree = this.#codes.every((one) => one === code)
    const reply = agree ? replyOf(code, this.#lines) : contradictory(code, this.#lines, this.#codes)
    if (code >= 500 && this.#mildest < 500) {
      const shown = reply.text.slice(0, CONTRADICTION_SHOWN_CHARS).toWellFormed()
      this.#fault = { fault: `the lines of a reply contradict each other: ${shown}` }
      return null
    }
    this.#code = 0
    this.#mildest = 0
    this.#lines = []
    this.#codes = []
    this.#keptChars = 0
    this.#replyBytes = 0
    return reply
  }
}

/** The code of a line; 0 when it does not begin with a code of 200 to 599 and a valid separator. */
function codeOf(line: Buffer): number {
  if (line.length < 3) return 0
  const after = line[3]
  if (after !== undefined && after !== SPACE && after !== HYPHEN) return 0
  let code = 0
  for (let at = 0; at < 3; at++) {
    const digit = (line[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return 0
    code = code * 10 + digit
  }
  return code >= 200 && code <= 599 ? code : 0
}

const CONTROL = /[\p{Cc}\u2028\u2029]/u
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu

function clean(text: string): string {
  return CONTROL.test(text) ? text.replace(CONTROLS, ' ') : text
}

// RFC 2034 puts the status at the start; `#5.1.1` and `(#5.1.1)` come from qmail and its descendants.
const LEADING_STATUS = /^\s{0,4}[#(]{0,2}([245]\.\d{1,3}\.\d{1,3})(?![\d.])\)?:?/
const INNER_STATUS = /\(#([245]\.\d{1,3}\.\d{1,3})\)/

/** Builds a reply from parts that come from elsewhere (a delivery report, a test). */
export function replyOf(code: number, lines: readonly string[]): Reply {
  const statuses: string[] = []
  let text = ''
  for (const line of lines) {
    const leading = LEADING_STATUS.exec(line)
    if (leading?.[1] !== undefined) statuses.push(leading[1])
    const rest = leading === null ? line.trim() : line.slice(leading[0].length).trim()
    if (rest !== '') text += text === '' ? rest : ` ${rest}`
  }
  const leads = statuses.length > 0
  let enhanced = statuses.find((status) => Number(status[0]) === Math.trunc(code / 100)) ?? statuses[0] ?? null
  enhanced ??= INNER_STATUS.exec(text)?.[1] ?? null
  const head = leads ? `${code} ${enhanced}` : String(code)
  return { code, enhanced, lines, text: text === '' ? head : `${head} ${text}` }
}

/** @param codes of each line */
function contradictory(code: number, lines: readonly string[], codes: readonly number[]): Reply {
  const { enhanced } = replyOf(
    code,
    lines.filter((_, index) => codes[index] === code),
  )
  const fits = Number(enhanced?.[0]) === Math.trunc(code / 100)
  const reply = { code, enhanced: fits ? enhanced : null, lines, codes }
  return { ...reply, text: wireLines(reply).join(' / ') }
}

/** The lines as received. */
export function wireLines({ code, lines, codes }: Pick<Reply, 'code' | 'lines' | 'codes'>): readonly string[] {
  const last = lines.length - 1
  return lines.map((line, index) => `${codes?.[index] ?? code}${index < last ? '-' : ' '}${line}`)
}

/** Reads one whole reply such as `550-5.1.1 no\r\n550 5.1.1 such user`; null when the text is not a reply. */
export function parseReply(text: string): Reply | null {
  const [reply] = new ReplyReader().push(Buffer.from(text.endsWith('\n') ? text : `${text}\r\n`))
  return reply === undefined || 'fault' in reply ? null : reply
}
