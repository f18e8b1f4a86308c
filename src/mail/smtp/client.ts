// The SMTP client: one connection to one address of one host (RFC 5321), for as many messages as the connection allows.
//
// Anything the other side does becomes a value. A recipient has one of three outcomes: the server replied about it
// (`replied`), the connection gave no usable reply (`failed`, always worth a retry), or the server lacks something that the
// message needs (`unsupported`, nothing was sent).
//
//   opening     banner, EHLO (HELO if EHLO is answered 5xx), STARTTLS, EHLO again, AUTH. `opportunistic` accepts any
//               certificate and continues in plain text if STARTTLS is refused. If the handshake fails, it reconnects
//               without TLS (recorded in `tlsFault` and in the dialogue), or stops if TLS should be tried elsewhere first
//               (`withoutTls`). `required` and `implicit` never use plain text.
//   sending     MAIL, RCPT and DATA in one write if PIPELINING is offered. The final dot follows `beforeDot`.
//   afterwards  the next transaction starts with RSET if the previous one ended early.
//   dropped     the connection is closed, not repaired, when the order of replies is in doubt: DATA accepted after every
//               recipient was refused, 2xx instead of 354, a reply before the dot, 3xx after it, RSET refused, 421, no
//               reply.
//
// After a crash, a break or a time-out between the final dot and its reply, it is unknown whether the server took the
// message: `dotSent` says so. Nothing sent before the dot has any effect at the receiver.

import { isIP } from 'node:net'
import type { SmtpCommand } from './bounce.ts'
import { type Dialogue, DialogueRecorder } from './dialogue.ts'
import { wireParts } from './dot-stuffing.ts'
import {
  type Capabilities,
  type Failed,
  failed,
  type NotOpened,
  type Opened,
  type OpenOptions,
  openStream,
  positive,
  type Timeouts,
  type TlsInfo,
} from './opening.ts'
import { type Reply, replyOf } from './reply.ts'
import { type Fault, isFault, type SmtpStream } from './stream.ts'

export type { Capabilities, Failed, OpenOptions, Phase, Timeouts, TlsInfo, TlsVerifier } from './opening.ts'
export { TIMEOUTS } from './opening.ts'
export type { Fault } from './stream.ts'

export interface Replied {
  readonly kind: 'replied'
  readonly reply: Reply
  readonly command: SmtpCommand
}

/** The server lacks an extension or allows too small a size for this message. `reply` is one that we compose. */
export interface Unsupported {
  readonly kind: 'unsupported'
  readonly reply: Reply
  readonly command: 'mail' | 'rcpt'
}

export type Outcome = Replied | Failed | Unsupported

/** `replied` may be 2xx here: the server would accept a message. A refusal of RSET or MAIL says nothing about the address. */
export type ProbeAnswer = Outcome

export type OpenResult = { readonly kind: 'open'; readonly connection: SmtpConnection } | NotOpened

export interface Transaction {
  /** Empty for the null reverse path. Domain parts are A-labels unless the local part needs SMTPUTF8. */
  readonly from: string
  readonly recipients: readonly string[]
  /** Lines end with CRLF; dots are not doubled. */
  readonly message: Buffer
  /** The headers contain UTF-8 (RFC 6531). The client checks the addresses itself. */
  readonly smtpUtf8?: boolean
  /** The body contains 8-bit bytes (RFC 6152). */
  readonly eightBit?: boolean
  /** Called right before the bytes with the final dot are sent. If false, they are not sent and the connection is dropped. */
  readonly beforeDot?: () => boolean | Promise<boolean>
}

export interface SendResult {
  /** One per recipient, in the order given. `replied` is 2xx (the server has the message), 4xx or 5xx. */
  readonly recipients: readonly Outcome[]
  /** The reply to the final dot; null when there was none. */
  readonly reply: Reply | null
  /** Lines of this transaction; those of the opening are in `connection.opening`. */
  readonly dialogue: Dialogue
  /**
   * The connection had been used before and was closed (or answered 421, or refused RSET, or answered MAIL with a 4xx after
   * it had delivered a message) before anything of this transaction was accepted. Repeat it on a new connection; it does not
   * count as an attempt.
   */
  readonly stale: boolean
  /** A pipelined group was answered only in part: open the next connection to this host with `pipelining: false`. */
  readonly pipeliningSuspect: boolean
}

/** Lines kept of a dialogue whose handshake failed. The last ones tell why. */
const KEPT_OF_FIRST = 40
const CONTROL = /\p{Cc}/u
const NON_ASCII = /[^\p{ASCII}]/u
const NO_SMTPUTF8 = '5.6.7 The receiving server does not support internationalized email (SMTPUTF8)'

export class SmtpConnection {
  /** Lines from the banner to AUTH. */
  readonly opening: Dialogue
  readonly tls: TlsInfo | null
  /** Why an opportunistic connection has no TLS although the server offered it; null otherwise. */
  readonly tlsFault: string | null
  /** Number of messages whose final dot was answered 2xx. */
  delivered = 0
  readonly #stream: SmtpStream
  readonly #recorder: DialogueRecorder
  readonly #timeouts: Timeouts
  readonly #can: Capabilities
  #used = false
  #unfinished = false

  /** Only `open` calls this. @param before the dialogue of the connection that this one replaces */
  constructor(opened: Opened, tlsFault: string | null, before: Dialogue) {
    this.#stream = opened.stream
    this.#recorder = opened.recorder
    this.#timeouts = opened.timeouts
    this.#can = opened.can
    this.opening = [...before, ...opened.recorder.take()]
    this.tls = opened.tls
    this.tlsFault = tlsFault
  }

  /** Rejects only for invalid options (`ip` is not an address, `ehloName` is empty or has a control character). */
  static async open(options: OpenOptions): Promise<OpenResult> {
    if (isIP(options.ip) === 0) throw new TypeError('ip is not an IP address')
    if (CONTROL.test(options.ehloName) || options.ehloName === '') throw new TypeError('ehloName is not a name')
    const startedMs = options.clock.monotonicMs()
    const recorder = new DialogueRecorder(() => options.clock.monotonicMs() - startedMs)
    const { tls, withoutTls = 'plain' } = options
    if (tls === 'opportunistic' && typeof withoutTls === 'object') {
      recorder.note('connecting without TLS, which failed there')
      return plainly(options, recorder, withoutTls.why, [])
    }
    const first = await openStream(options, recorder, tls !== 'off')
    if ('stream' in first) return { kind: 'open', connection: new SmtpConnection(first, first.tlsFault, []) }
    const handshakeFailed = first.kind === 'failed' && first.phase === 'tls' && first.fault.code !== 'aborted'
    if (tls !== 'opportunistic' || withoutTls === 'close' || !handshakeFailed) return first
    recorder.note('connecting again without TLS')
    return plainly(options, recorder, first.fault.message, first.dialogue.slice(-KEPT_OF_FIRST))
  }

  /** Whether another message may be sent. */
  get usable(): boolean {
    return !this.#stream.disturbed
  }

  get capabilities(): Capabilities {
    return this.#can
  }

  /**
   * Sends one message to its recipients. One call at a time.
   *
   * @throws TypeError for a control character in an address; never for what the server does
   */
  async send(transaction: Transaction): Promise<SendResult> {
    for (const address of [transaction.from, ...transaction.recipients]) {
      if (CONTROL.test(address)) throw new TypeError('a control character in an address')
    }
    const outcomes: (Outcome | null)[] = transaction.recipients.map((recipient) =>
      this.#missing(transaction, recipient),
    )
    const open = outcomes.flatMap((outcome, index) => (outcome === null ? [index] : []))
    const fresh = !this.#used
    this.#used = true
    const progress = new Progress(outcomes, open)
    if (open.length > 0) {
      if (this.#stream.disturbed) {
        await this.#disturbed(progress)
      } else await this.#transact(transaction, progress)
    }
    const stale = !fresh && open.length > 0 && !progress.answered && progress.lost
    const result = {
      recipients: progress.finish(),
      reply: progress.finalReply,
      stale,
      pipeliningSuspect: progress.suspect,
    }
    return { ...result, dialogue: this.#recorder.take() }
  }

  /**
   * Asks whether the server accepts mail for an address, by default from the null sender (`MAIL FROM:<>`), and never sends any:
   * there is no DATA. Each probe is its own transaction, which RSET ends at the start of the next one. One call at a time.
   *
   * @throws TypeError for a control character in an address; never for what the server does
   */
  async probe(recipient: string, from = ''): Promise<ProbeAnswer> {
    if (CONTROL.test(recipient + from)) throw new TypeError('a control character in an address')
    const utf8 = NON_ASCII.test(recipient)
    if (utf8 && !this.#can.smtpUtf8) {
      return unsupported(553, NO_SMTPUTF8, 'rcpt')
    }
    this.#used = true
    const commands: [phase: 'mail' | 'rcpt', line: string][] = [
      ['mail', `MAIL FROM:<${from}>${utf8 ? ' SMTPUTF8' : ''}`],
      ['rcpt', `RCPT TO:<${recipient}>`],
    ]
    if (this.#unfinished) commands.unshift(['mail', 'RSET'])
    this.#unfinished = true
    for (const [phase, line] of commands) {
      this.#command(line)
      const reply = await this.#stream.readReply(this.#timeouts[phase])
      if (isFault(reply)) return failed(phase, reply)
      this.#recorder.server(reply)
      if (reply.code === 421) this.#drop()
      if (line.startsWith('RCPT') || !positive(reply)) return { kind: 'replied', reply, command: phase }
    }
    return failed('rcpt', { code: 'other', message: 'nothing was asked' })
  }

  /** Sends QUIT and closes; waits for the reply no longer than `timeouts.quit`. Never rejects. */
  async quit(): Promise<void> {
    if (this.#stream.fault === null) {
      this.#stream.write('QUIT\r\n')
      await this.#stream.readReply(this.#timeouts.quit)
    }
    this.#drop()
  }

  /** Closes at once. */
  destroy(): void {
    this.#drop()
  }

  /** What the server cannot do for this recipient; null when nothing is missing. */
  #missing({ from, message, smtpUtf8, eightBit }: Transaction, recipient: string): Unsupported | null {
    const can = this.#can
    if (!can.smtpUtf8 && (NON_ASCII.test(from) || NON_ASCII.test(recipient)))
      return unsupported(553, NO_SMTPUTF8, 'rcpt')
    if (!can.smtpUtf8 && smtpUtf8 === true) {
      return unsupported(553, `${NO_SMTPUTF8}, which an address in the message's header needs`, 'rcpt')
    }
    if (can.maxSizeBytes > 0 && message.length > can.maxSizeBytes) {
      const text = `5.3.4 The message of ${message.length} bytes exceeds the receiving server's limit of ${can.maxSizeBytes}`
      return unsupported(552, text, 'mail')
    }
    if (eightBit === true && !can.eightBitMime) {
      return unsupported(554, '5.6.3 The receiving server does not support 8-bit messages (8BITMIME)', 'mail')
    }
    return null
  }

  #mailCommand({ from, recipients, message, smtpUtf8, eightBit }: Transaction): string {
    let command = `MAIL FROM:<${from}>`
    if (this.#can.size) command += ` SIZE=${message.length}`
    const utf8 =
      this.#can.smtpUtf8 && (smtpUtf8 === true || NON_ASCII.test(from) || recipients.some((to) => NON_ASCII.test(to)))
    if (utf8) command += ' SMTPUTF8'
    if ((eightBit === true || utf8) && this.#can.eightBitMime) command += ' BODY=8BITMIME'
    return command
  }

  /** Handles a server that sent something or closed between two messages, usually `421 idle too long`. */
  async #disturbed(progress: Progress): Promise<void> {
    const reply = await this.#stream.readReply(0)
    progress.lost = true
    if (isFault(reply)) progress.end(failed('mail', reply))
    else {
      this.#recorder.server(reply)
      progress.end(reply.code === 421 ? refusal('mail', reply) : failed('mail', unasked(reply)))
    }
    this.#drop()
  }

  async #transact(transaction: Transaction, progress: Progress): Promise<void> {
    const mail = this.#mailCommand(transaction)
    const recipients = progress.open.map((index) => `RCPT TO:<${transaction.recipients[index]}>`)
    const pipelined = this.#can.pipelining
    if (this.#unfinished) this.#recorder.client('RSET')
    const reset = this.#unfinished ? 'RSET\r\n' : ''
    this.#recorder.client(mail)
    if (pipelined) {
      for (const line of recipients) this.#recorder.client(line)
      this.#recorder.client('DATA')
      this.#stream.write(`${reset}${mail}\r\n${recipients.join('\r\n')}\r\nDATA\r\n`)
    } else this.#stream.write(`${reset}${mail}\r\n`)
    if (reset !== '') {
      const undone = await this.#readReply('mail', progress)
      if (undone === null) return
      if (!positive(undone)) {
        // The server would still count the next commands to the previous transaction.
        progress.lost = true
        progress.end(failed('mail', unasked(undone)))
        return this.#drop()
      }
    }
    this.#unfinished = true
    const accepted = await this.#envelope(recipients, pipelined, progress)
    if (accepted === null) return
    if (!pipelined) {
      if (accepted === 0) return
      this.#command('DATA')
    }
    const data = await this.#readReply('data', progress)
    if (data === null) return
    const go = data.code >= 300 && data.code < 400
    if (go && accepted > 0) return this.#body(transaction, progress)
    if (go) {
      // Only an empty message would end DATA properly, and someone might receive it.
      this.#recorder.note('DATA was accepted though no recipient was: closing')
      this.#drop()
    } else {
      progress.end(refusal('data', data))
      if (positive(data)) this.#drop()
    }
  }

  /** Reads the replies to MAIL and RCPT. @returns the number of accepted recipients; null when the transaction has ended */
  async #envelope(commands: readonly string[], pipelined: boolean, progress: Progress): Promise<number | null> {
    const mail = await this.#readReply('mail', progress)
    if (mail === null) return null
    if (this.delivered > 0 && mail.code >= 400 && mail.code < 500) {
      // The server may refuse another message on this connection ("one message each") rather than this mail.
      progress.lost = true
      progress.end(refusal('mail', mail))
      this.#drop()
      return null
    }
    progress.answered = true
    if (!positive(mail)) progress.end(refusal('mail', mail))
    if (!positive(mail) && !pipelined) return null
    let accepted = 0
    for (const [position, command] of commands.entries()) {
      if (!pipelined) this.#command(command)
      const reply = await this.#readReply('rcpt', progress, pipelined)
      if (reply === null) return null
      const index = progress.open[position] ?? 0
      if (!positive(mail)) continue
      if (positive(reply)) accepted++
      else progress.outcomes[index] = refusal('rcpt', reply)
    }
    return accepted
  }

  async #body({ message, beforeDot }: Transaction, progress: Progress): Promise<void> {
    if (this.#stream.disturbed) return this.#spokeEarly(progress)
    this.#recorder.client(`(${message.length} bytes)`)
    const { block: blockTimeoutMs, bytesPerSecond } = this.#timeouts
    const written = await this.#stream.writeMessage(
      wireParts(message),
      { blockTimeoutMs, bytesPerSecond },
      async () => {
        progress.held = beforeDot !== undefined && !(await beforeDot())
        // Anything the server said meanwhile cannot be the reply to a dot that it has not received.
        progress.dotSent = !progress.held && !this.#stream.disturbed
        return progress.dotSent
      },
    )
    if (progress.held) {
      progress.end(failed('dot', { code: 'aborted', message: 'the message was held back' }))
      return this.#drop()
    }
    if (!written && !progress.dotSent) return this.#spokeEarly(progress)
    const reply = await this.#readReply('dot', progress)
    if (reply === null) return
    if (reply.code >= 300 && reply.code < 400) {
      progress.end(failed('dot', unasked(reply), true))
      this.#drop()
      return
    }
    this.#unfinished = false
    progress.finalReply = reply
    if (positive(reply)) this.delivered++
    progress.end({ kind: 'replied', reply, command: 'data' })
  }

  /** The server replied before it had the whole message; the order cannot be restored. */
  async #spokeEarly(progress: Progress): Promise<void> {
    const reply = await this.#readReply('data', progress)
    if (reply === null) return
    progress.end(refusal('data', reply))
    this.#drop()
  }

  #command(line: string): void {
    this.#recorder.client(line)
    this.#stream.write(`${line}\r\n`)
  }

  /** @returns null when there was no reply, or a 421; `run` then has all outcomes */
  async #readReply(
    phase: 'mail' | 'rcpt' | 'data' | 'dot',
    progress: Progress,
    pipelined = false,
  ): Promise<Reply | null> {
    const reply = await this.#stream.readReply(this.#timeouts[phase])
    if (isFault(reply)) {
      this.#recorder.note(reply.message)
      progress.lost = true
      progress.suspect = pipelined && (reply.code === 'timeout' || reply.code === 'protocol')
      progress.end(failed(phase, reply, progress.dotSent))
      return null
    }
    this.#recorder.server(reply)
    if (reply.code !== 421) return reply
    // RFC 5321 section 3.8: the server is closing. The reply applies to every recipient without one of its own.
    progress.lost = true
    progress.end({ kind: 'replied', reply, command: phase === 'dot' ? 'data' : phase })
    if (phase === 'dot') progress.finalReply = reply
    this.#drop()
    return null
  }

  #drop(): void {
    this.#stream.destroy()
  }
}

/** The state of one transaction. */
class Progress {
  readonly outcomes: (Outcome | null)[]
  /** Indexes of the recipients that are offered to the server. */
  readonly open: readonly number[]
  answered = false
  lost = false
  dotSent = false
  held = false
  suspect = false
  finalReply: Reply | null = null

  constructor(outcomes: (Outcome | null)[], open: readonly number[]) {
    this.outcomes = outcomes
    this.open = open
  }

  /** Assigns `outcome` to every recipient that has none yet. */
  end(outcome: Outcome): void {
    for (const index of this.open) this.outcomes[index] ??= outcome
  }

  finish(): Outcome[] {
    const gap = failed('data', { code: 'other', message: 'the transaction ended without an answer' })
    return this.outcomes.map((outcome) => outcome ?? gap)
  }
}

function unasked(reply: Reply): Fault {
  return {
    code: 'protocol',
    message: `an answer that does not belong here: ${reply.text.slice(0, 200).toWellFormed()}`,
  }
}

/** Before the final dot, a reply that neither accepts nor refuses is a protocol fault: only there is a `Replied` 2xx. */
function refusal(command: 'mail' | 'rcpt' | 'data', reply: Reply): Outcome {
  return reply.code >= 400 ? { kind: 'replied', reply, command } : failed(command, unasked(reply))
}

function unsupported(code: number, text: string, command: 'mail' | 'rcpt'): Unsupported {
  return { kind: 'unsupported', reply: replyOf(code, [text]), command }
}

/** @param before the dialogue of the connection that this one replaces */
async function plainly(
  options: OpenOptions,
  recorder: DialogueRecorder,
  why: string,
  before: Dialogue,
): Promise<OpenResult> {
  const opened = await openStream(options, recorder, false)
  if (!('stream' in opened)) return { ...opened, dialogue: [...before, ...opened.dialogue], tlsFault: why }
  // A server whose TLS failed before this connection may no longer offer it.
  const tlsFault = before.length > 0 || opened.can.startTls ? why : null
  return { kind: 'open', connection: new SmtpConnection(opened, tlsFault, before) }
}
