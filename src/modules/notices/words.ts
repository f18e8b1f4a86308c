// What notices say. Pure.

import type { AccountUsage } from '../accounts/index.ts'
import type { EventType, FollowedEvent } from '../events/index.ts'

export interface Notice {
  /** Null: for the operator. */
  readonly accountId: string | null
  /** Stands for one fact for ever. */
  readonly key: string
  readonly kind: string
  readonly subject: string
  readonly text: string
}

export interface DisabledEndpoint {
  readonly accountId: string
  readonly id: string
  readonly name: string
  readonly url: string
  readonly reason: 'gone' | 'failing'
}

export interface MovedAccount {
  readonly accountId: string
  readonly before: string
  readonly after: string
}

const GRADES = ['A+', 'A', 'B+', 'B', 'C+', 'C', 'D', 'F']
const POOR = ['D', 'F']
const SHOWN_CHARS = 80
const QUOTA_LEVELS = [100, 80]
const RESOURCES: Readonly<Record<string, string>> = {
  emails: 'emails',
  validations: 'address validations',
  content_checks: 'content checks',
  risk_previews: 'risk previews',
}

/** @param text one line each; names and addresses that somebody else chose come in here */
function written(lines: readonly string[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these have no place in a mail's text
  return `${lines.map((line) => line.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')).join('\n')}\n`
}

/**
 * What a customer chose, in a mail under the operator's name: one line of bounded length, in which no reader's program makes a
 * link of an address.
 */
function shown(text: string): string {
  const plain = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\//gi, '')
    .replaceAll(/\bwww\./gi, '')
    .replaceAll(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, '[.]')
    .replaceAll('@', '[at]')
  return plain.length > SHOWN_CHARS ? `${plain.slice(0, SHOWN_CHARS - 1).toWellFormed()}…` : plain
}

export function disabledNotice({ accountId, id, name, url, reason }: DisabledEndpoint, at: Date, key: string): Notice {
  const why =
    reason === 'gone'
      ? 'It answered 410 Gone, which says that it wants no further events.'
      : 'Every delivery to it failed for five days.'
  return {
    accountId,
    key,
    kind: 'webhook_disabled',
    subject: 'A webhook endpoint was switched off',
    text: written([
      `A webhook endpoint of account ${accountId} was switched off at ${at.toISOString()}.`,
      '',
      `Id:      ${id}`,
      `Name:    ${shown(name)}`,
      `Address: ${shown(url)}`,
      '',
      `${why} What waited for it was dropped, and nothing more is told to it.`,
      '',
      'When the receiver works again, set is_active to true with',
      `PUT /api/v1/customer/webhooks/${id}. What it missed can be told again with`,
      `POST /api/v1/customer/webhooks/${id}/replay.`,
    ]),
  }
}

export function formerAddressNotice({ accountId, after }: MovedAccount, at: Date, key: string): Notice {
  return {
    accountId,
    key,
    kind: 'email_changed',
    subject: 'The address of your account was changed',
    text: written([
      `The address of account ${accountId} was changed at ${at.toISOString()}. Its notices go to the new one from now on:`,
      '',
      `New address: ${shown(after)}`,
      '',
      'If this was not you, somebody has a key of the account or a session of the dashboard: revoke its keys, end its',
      'sessions, choose a new password, and set the address with PATCH /api/v1/customer/profile.',
      'Who cannot sign in any more turns to the operator of this service.',
    ]),
  }
}

/** What an event of the log is worth telling. */
/** The events that are told of. */
export const NOTICED: readonly EventType[] = ['health.grade_changed', 'domain.verification_failed']

export function noticesOf({ type, eventId, accountId, at, data }: FollowedEvent): readonly Notice[] {
  if (type === 'health.grade_changed') return gradeNotices(eventId, accountId, at, data)
  if (type === 'domain.verification_failed') return [domainNotice(eventId, accountId, at, data)]
  return []
}

function gradeNotices(
  eventId: string,
  accountId: string,
  at: Date,
  { previous_grade: before, grade, score }: Readonly<Record<string, unknown>>,
): readonly Notice[] {
  const fell = GRADES.indexOf(String(grade)) > GRADES.indexOf(String(before))
  const own: Notice = {
    accountId,
    key: `event ${eventId}`,
    kind: 'grade_changed',
    subject: `Your sending health ${fell ? 'fell' : 'rose'} from ${before} to ${grade}`,
    text: written([
      `The health grade of account ${accountId} changed from ${before} to ${grade} at ${at.toISOString()}.`,
      `The score is ${score} of 100, from the mail of the last 30 days.`,
      '',
      'GET /api/v1/customer/health-score shows its parts, what was found, and the evidence.',
      ...(fell ? ['', 'Receivers treat mail from senders with many bounces and complaints worse, and late.'] : []),
    ]),
  }
  if (!fell || !POOR.includes(String(grade))) return [own]
  const operators: Notice = {
    accountId: null,
    key: `event ${eventId} operator`,
    kind: 'account_health',
    subject: `Account ${accountId}: sending health fell to ${grade}`,
    text: written([
      `The health grade of account ${accountId} fell from ${before} to ${grade} (score ${score}) at ${at.toISOString()}.`,
      '',
      `posthorn account suspend ${accountId} stops its mail.`,
    ]),
  }
  return [own, operators]
}

function domainNotice(
  eventId: string,
  accountId: string,
  at: Date,
  { domain, domain_id: id, verification_status: status, checks }: Readonly<Record<string, unknown>>,
): Notice {
  const parts = Object.entries((checks ?? {}) as Record<string, { status?: string } | null>)
  return {
    accountId,
    key: `event ${eventId}`,
    kind: 'domain_failed',
    subject: 'The DNS records of a domain are not as they should be',
    text: written([
      `The check of ${shown(String(domain))} of account ${accountId} failed at ${at.toISOString()}; its status is ${status}.`,
      '',
      ...parts.map(([name, check]) => `${name}: ${check?.status ?? 'unknown'}`),
      '',
      status === 'temporary_failure'
        ? 'Mail from it still goes out, for 72 hours from now at the most.'
        : 'No mail from it goes out.',
      `GET /api/v1/customer/domains/${id}/dns shows the records to publish.`,
    ]),
  }
}

/** @returns null below the first level; of the levels reached, the highest */
export function quotaNotice(
  { account_id: accountId, resource, used }: AccountUsage,
  limit: number | null,
  month: string,
): Notice | null {
  if (limit === null || limit === 0) return null
  const level = QUOTA_LEVELS.find((percent) => used * 100 >= limit * percent)
  if (level === undefined) return null
  const what = RESOURCES[resource] ?? resource
  const period = month.slice(0, 7)
  return {
    accountId,
    key: `quota ${accountId} ${resource} ${period} ${level}`,
    kind: 'quota',
    subject:
      level === 100 ? `Your ${what} of ${period} are used up` : `${level} % of your ${what} of ${period} are used`,
    text: written([
      `Account ${accountId} has used ${used} of the ${limit} ${what} of ${period}.`,
      '',
      level === 100
        ? 'Further ones are refused with 429 quota_exceeded until the month ends (UTC).'
        : 'When all are used, further ones are refused with 429 quota_exceeded until the month ends (UTC).',
    ]),
  }
}

export function diskNotice(at: Date): Notice {
  const day = at.toISOString().slice(0, 10)
  return {
    accountId: null,
    key: `disk ${day}`,
    kind: 'disk_full',
    subject: 'The disk is nearly full: mail is refused',
    text: written([
      `At ${at.toISOString()} the data directory's disk had no room left for mail.`,
      'Senders are answered 503 by the API and 452 by SMTP until there is room again; nothing is lost.',
    ]),
  }
}

export function standstillNotice(names: readonly string[], at: Date): Notice {
  const day = at.toISOString().slice(0, 10)
  return {
    accountId: null,
    key: `followers ${names.join(' ')} ${day}`,
    kind: 'followers_behind',
    subject: 'The log is not being followed',
    text: written([
      `At ${at.toISOString()} these followers of the log lay more than 15 minutes behind: ${names.join(', ')}.`,
      'Statistics, webhooks and notices come late; nothing is lost. A transaction that somebody left open in the',
      'database is the usual reason: see pg_stat_activity, the oldest xact_start.',
    ]),
  }
}
