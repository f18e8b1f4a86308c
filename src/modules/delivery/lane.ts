// A lane of a route: one connection at a time, over which one message after another is sent.

import type { SendResult, SmtpConnection } from '../../mail/smtp/client.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Target } from './next-hops.ts'
import type { SocketKind } from './sockets.ts'
import type { DeliveryJob } from './types.ts'

export interface Link {
  readonly connection: SmtpConnection
  readonly target: Target
  readonly sourceIp: string | null
  readonly openedMs: number
  /** How long that took. */
  readonly openingMs: number
  /** The only domain whose mail may use the connection; null: any. */
  readonly onlyFor: string | null
  /** As what its socket counts. */
  readonly kind: SocketKind
}

export interface Lane {
  readonly index: number
  link: Link | null
  /** The host to which the lane is connecting. */
  opening: string | null
  messages: number
  close: () => void
  timer: NodeJS.Timeout | null
}

export function newLane(index: number): Lane {
  return { index, link: null, opening: null, messages: 0, close: () => undefined, timer: null }
}

/** Whether a connection can be used for a mail to a target. */
export function isFor({ connection, target, onlyFor }: Link, { ip, terms }: Target, { site }: DeliveryJob): boolean {
  return connection.usable && target.ip === ip && target.terms === terms && (onlyFor === null || onlyFor === site)
}

/** Whether the destination has taken its time: not where a used connection took no more mail, one was lost, or nothing was asked. */
export function isTimed({ stale, recipients: [outcome] }: SendResult): boolean {
  return !stale && outcome?.kind === 'replied'
}

/** How long a mail waits for a place of ours before its final dot, which says nothing about the destination. */
export function ownWait(
  clock: Clock,
  { beforeDot }: Pick<DeliveryJob, 'beforeDot'>,
): { readonly beforeDot: () => Promise<boolean>; readonly ms: () => number } {
  let waitedMs = 0
  return {
    beforeDot: async () => {
      const sinceMs = clock.monotonicMs()
      const mayGoOn = await beforeDot()
      waitedMs += clock.monotonicMs() - sinceMs
      return mayGoOn
    },
    ms: () => waitedMs,
  }
}
