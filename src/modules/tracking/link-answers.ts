// The answers of pixels and links, both ahead of the framework and through it. The token and memory hold all they need.

import type { Clock } from '../../platform/clock.ts'
import type { Answer, PlainAnswer } from '../../platform/http/endpoint.ts'
import { LINK_HEADERS } from '../../platform/http/pages.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Logger } from '../../platform/log.ts'
import { type Hit, type HitKind, storableAgent, storableIp } from './hits.ts'
import type { MailRef, Tokens } from './tokens.ts'

export interface LinkOptions {
  readonly tokens: Pick<Tokens, 'read'>
  /** `take` resolves when the hit is durable; hits that arrive together may share one promise. */
  readonly intake: { take(hit: Hit): Promise<unknown> }
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Pick<Logger, 'error'>
  /** From memory: the account is suspended, or the target is blocked. */
  readonly isStopped: (accountId: string, url: string) => boolean
  /** From memory: the host of the request is a name that another account has proven. */
  readonly isOfAnother: (host: string | undefined, accountId: string) => boolean
}

export interface LinkVisitor {
  readonly method: string
  readonly host: string | undefined
  readonly userAgent: string | undefined
  readonly prefetch: boolean
  readonly ip: string
}

/**
 * Why a link leads nowhere: the token is not ours, or came under another account's name; its account is suspended, or its target
 * blocked.
 */
export type LinkRefusal = 'unknown' | 'stopped'

export interface LinkAnswers {
  opened(text: string, reader: LinkVisitor): PlainAnswer
  clicked(text: string, reader: LinkVisitor): PlainAnswer | LinkRefusal
}

export const OPEN_PATH = '/track/o/{token}'
export const CLICK_PATH = '/track/c/{token}'
/** A transparent pixel: GIF89a, 43 bytes. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')
const FOUND_ANSWER: Answer = { status: 302, body: '', headers: LINK_HEADERS }
const PIXEL_ANSWER: Answer = { status: 200, body: PIXEL, headers: { ...LINK_HEADERS, 'content-type': 'image/gif' } }

const NO_CLICK = { linkIndex: null, url: null, hidden: false } as const
const ASCII = /^[\x20-\x7e]*$/
const PIXEL_AT_ONCE: PlainAnswer = { answer: PIXEL_ANSWER, location: null, after: null, requestId: null }

export function linkAnswers(options: LinkOptions): LinkAnswers {
  const { tokens, intake, isStopped, isOfAnother } = options
  const calmed = calming(options.log)
  const noted = (hit: Hit, answer: Answer, location: string | null): PlainAnswer => ({
    answer,
    location,
    after: calmed(intake.take(hit), hit),
    requestId: hit.id,
  })
  const opened = (text: string, reader: LinkVisitor): PlainAnswer => {
    const token = tokens.read('open', text)
    if (token === null || isOfAnother(reader.host, token.accountId)) return PIXEL_AT_ONCE
    return noted(hitOf(options, reader, 'open', token), PIXEL_ANSWER, null)
  }
  const clicked = (text: string, reader: LinkVisitor): PlainAnswer | LinkRefusal => {
    const token = tokens.read('click', text)
    if (token === null || isOfAnother(reader.host, token.accountId)) return 'unknown'
    const { url, linkIndex, hidden, accountId } = token
    if (isStopped(accountId, url)) return 'stopped'
    const hit = hitOf(options, reader, 'click', token, { url, linkIndex, hidden })
    return noted(hit, FOUND_ANSWER, headerOf(url))
  }
  return { opened, clicked }
}

/** Logs a failed write instead of rejecting: the reader gets the picture or the target even when the hit is lost. */
function calming(log: LinkOptions['log']): (taken: Promise<unknown>, hit: Hit) => Promise<unknown> {
  // Hits that arrive together share one promise, and get one shared promise back.
  let last: Promise<unknown> | null = null
  let calm: Promise<unknown> = Promise.resolve()
  let emails: string[] = []
  return (taken, { emailId }) => {
    if (taken !== last) {
      const lost: string[] = []
      last = taken
      emails = lost
      calm = taken.catch((err) => log.error({ err, email_ids: lost }, 'hits were lost'))
    }
    emails.push(emailId)
    return calm
  }
}

export function hitOf(
  { ids, clock }: Pick<LinkOptions, 'ids' | 'clock'>,
  reader: LinkVisitor,
  kind: HitKind,
  mail: MailRef,
  click: Pick<Hit, 'linkIndex' | 'url' | 'hidden'> = NO_CLICK,
): Hit {
  return {
    id: ids.next(),
    kind,
    at: clock.now(),
    accountId: mail.accountId,
    emailId: mail.emailId,
    domainId: mail.domainId,
    stream: mail.stream,
    sandbox: mail.sandbox,
    head: reader.method === 'HEAD',
    prefetch: reader.prefetch,
    userAgent: storableAgent(reader.userAgent),
    ip: storableIp(reader.ip),
    linkIndex: click.linkIndex,
    url: click.url,
    hidden: click.hidden,
    recipient: null,
  }
}

/** The answer for the framework to send. */
export function wholeAnswer({ answer, location }: PlainAnswer): Answer {
  return location === null ? answer : { ...answer, headers: { ...answer.headers, location } }
}

/** Headers are bytes, and Node writes each character of the value as one byte. */
function headerOf(url: string): string {
  return ASCII.test(url) ? url : Buffer.from(url).toString('latin1')
}
