// What a scripted SMTP receiver (receiver.ts) is told to do, and what it shows.

import type { TestCertificate } from './certificate.ts'

/**
 * What the receiver does at a step. A string is a reply, with its lines separated by `\n` (each needs its own code); `raw` is
 * written as it is. `stall`: say nothing and keep reading; `close`: end the connection, after `reply` if there is one;
 * `reset`: TCP reset. `afterMs` delays all of it, `after` until it is resolved. The string `default`: do what an ordinary receiver does.
 */
export type Answer =
  | string
  | {
      readonly reply?: string
      readonly raw?: string | Buffer
      readonly then?: 'close' | 'reset' | 'stall'
      readonly afterMs?: number
      readonly after?: Promise<unknown>
    }

export interface Envelope {
  readonly from: string
  readonly mailParameters: readonly string[]
  readonly recipients: readonly string[]
}

export interface ReceivedMessage extends Envelope {
  /** Exactly the bytes before the final dot, with doubled dots undone. */
  readonly data: Buffer
  readonly tls: boolean
  /** Counted from 1. */
  readonly connection: number
  /** The address that the connection comes from. */
  readonly client: string
  /** The reply to the final dot was 2xx. */
  readonly accepted: boolean
  readonly authenticatedAs: string | null
  readonly serverName: string | null
}

export interface SessionView {
  readonly connection: number
  /** The address that the connection comes from. */
  readonly client: string
  readonly tls: boolean
  readonly envelope: Envelope
}

export type Scripted<Argument> = Answer | ((argument: Argument, session: SessionView) => Answer)

export interface ReceiverScript {
  readonly host?: string
  readonly port?: number
  readonly banner?: Scripted<number>
  readonly ehlo?: Scripted<string>
  readonly helo?: Scripted<string>
  readonly starttls?: Scripted<string>
  /** Replaces the handshake after STARTTLS. */
  readonly handshake?: Answer
  readonly auth?: Scripted<string>
  readonly mail?: Scripted<string>
  /** For all recipients, by address (`*` for the rest), or by function. */
  readonly rcpt?:
    | Answer
    | Readonly<Record<`${string}@${string}` | '*', Answer>>
    | ((address: string, session: SessionView) => Answer)
  readonly data?: Scripted<string>
  readonly dot?: Scripted<Omit<ReceivedMessage, 'accepted'>>
  readonly rset?: Scripted<string>
  readonly quit?: Scripted<string>
  /** Default true. `broken`: offered, but commands that follow another in the same packet are dropped. */
  readonly pipelining?: boolean | 'broken'
  readonly eightBitMime?: boolean
  readonly smtpUtf8?: boolean
  /** The offered limit; default 52,428,800; null: SIZE is not offered. */
  readonly size?: number | null
  /** Offers STARTTLS, with the given certificate if there is one; `implicit`: TLS from the start. */
  readonly tls?: boolean | TestCertificate | 'implicit'
  readonly maxTlsVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2'
  readonly login?: { readonly username: string; readonly password: string; readonly mechanisms?: string }
  /** Gives the answer once this many bytes of the body have arrived. */
  readonly midBody?: { readonly bytes: number; readonly answer: Answer }
  /** From this many bytes of the body on, pauses for `ms` after each chunk. */
  readonly rests?: { readonly fromBytes: number; readonly ms: number }
  /** false: messages are counted and dropped. */
  readonly keep?: boolean
}

export interface Receiver extends AsyncDisposable {
  readonly ip: string
  readonly port: number
  readonly messages: readonly ReceivedMessage[]
  /** Messages whose final dot arrived, kept or not. */
  readonly messageCount: number
  readonly connectionCount: number
  readonly openCount: number
  /** `C: ...` and `S: ...` of all connections, without bodies. */
  readonly dialogue: readonly string[]
  /** Changes the script for what comes next. */
  script(change: Partial<ReceiverScript>): void
  /** Resolves once at least `count` messages are accepted; rejects after `timeoutMs`. */
  received(count: number, timeoutMs?: number): Promise<readonly ReceivedMessage[]>
  close(): Promise<void>
}
