// What a pixel and a link answer, ahead of the framework and by it. All that it needs is in the token and in
// memory.

import type { Clock } from '../../platform/clock.ts'
import type { Answer, PlainCall } from '../../platform/http/endpoint.ts'
import { LINK_HEADERS } from '../../platform/http/pages.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { type Hit, type HitKind, storableAgent, storableIp } from './hits.ts'
import type { MailRef, Tokens } from './tokens.ts'

export interface LinkOptions {
  readonly tokens: Pick<Tokens, 'read'>
  /** `take` resolves when the hit is durable. */
  readonly intake: { take(hit: Hit): Promise<unknown> }
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Pick<Logger, 'error'>
  /** From memory: the account is suspended, or the target is blocked. */
  readonly isStopped: (accountId: string, url: string) => boolean
}

export interface Reader {
  readonly method: string
  readonly userAgent: string | undefined
  readonly ip: string
}

/** Why a link leads nowhere: no token of ours, or its account or target is blocked. */
export type Stopped = 'unknown' | 'stopped'

export interface LinkAnswers {
  opened(text: string, reader: Reader): Promise<Answer>
  clicked(text: string, reader: Reader): Promise<Answer> | Stopped
}

export const OPEN_PATH = '/track/o/{token}'
export const CLICK_PATH = '/track/c/{token}'
/** A transparent pixel: GIF89a, 43 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const PIXEL_ANSWER: Answer = { status: 200, body: PIXEL, headers: { ...LINK_HEADERS, 'content-type': 'image/gif' } }

export function linkAnswers(options: LinkOptions): LinkAnswers {
  const { tokens, intake, isStopped, log } = options
  // The reader gets an answer even when nothing can be written: the picture or the target is why they came.
  const noted = (hit: Hit, answer: Answer): Promise<Answer> =>
    intake.take(hit).then(
      () => answer,
      (err) => {
        log.error({ err, email_id: hit.emailId }, 'a hit was lost')
        return answer
      },
    )
  const opened = (text: string, reader: Reader): Promise<Answer> => {
    const token = tokens.read('open', text)
    return token === null ? Promise.resolve(PIXEL_ANSWER) : noted(hitOf(options, reader, 'open', token), PIXEL_ANSWER)
  }
  const clicked = (text: string, reader: Reader): Promise<Answer> | Stopped => {
    const token = tokens.read('click', text)
    if (token === null) return 'unknown'
    const { url, linkIndex, hidden, accountId } = token
    if (isStopped(accountId, url)) return 'stopped'
    const hit = { ...hitOf(options, reader, 'click', token), url, linkIndex, hidden }
    return noted(hit, redirectTo(url))
  }
  return { opened, clicked }
}

/** The two that are asked most, for the quick lane (platform/http/lane.ts). */
export function plainLinks({ opened, clicked }: LinkAnswers): readonly {
  readonly path: string
  readonly plainly: (call: PlainCall) => Promise<Answer> | null
}[] {
  return [
    { path: OPEN_PATH, plainly: ({ name, ...from }) => opened(name, { method: 'GET', ...from }) },
    {
      path: CLICK_PATH,
      plainly: ({ name, ...from }) => {
        const answer = clicked(name, { method: 'GET', ...from })
        return typeof answer === 'string' ? null : answer
      },
    },
  ]
}

export function hitOf(
  { ids, clock }: Pick<LinkOptions, 'ids' | 'clock'>,
  reader: Reader,
  kind: HitKind,
  mail: MailRef,
): Hit {
  return {
    id: ids.next(),
    kind,
    at: clock.now(),
    accountId: mail.accountId,
    emailId: mail.emailId,
    sandbox: mail.sandbox,
    head: reader.method === 'HEAD',
    userAgent: storableAgent(reader.userAgent),
    ip: storableIp(reader.ip),
    linkIndex: null,
    url: null,
    hidden: false,
    recipient: null,
  }
}

/** Headers are bytes: Node writes each character of the value as one. */
function redirectTo(url: string): Answer {
  const location = Buffer.from(url).toString('latin1')
  return { status: 302, body: '', headers: { ...LINK_HEADERS, location } }
}
