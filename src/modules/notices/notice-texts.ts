// What notices say. Pure.

import type { AccountUsage } from '../accounts/index.ts'
import { imitationOf } from '../content/index.ts'
import type { EventType, FollowedEvent } from '../events/index.ts'

export interface Notice {
  /** Null: for the operator. */
  readonly accountId: string | null
  /** Identifies one fact for ever. */
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
const FAILURE_CHARS = 300
const QUOTA_LEVELS = [100, 80]
const CERTIFICATE_MS = 14 * 86_400_000
const RESOURCES: Readonly<Record<string, string>> = {
  emails: 'emails',
  validations: 'address validations',
  content_checks: 'content checks',
  risk_previews: 'risk previews',
}

/** @param lines one string per line; may contain names and addresses chosen by others */
function written(lines: readonly string[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these have no place in a mail's text
  return `${lines.map((line) => line.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')).join('\n')}\n`
}

/**
 * A text chosen by a customer, for a mail under the operator's name: one line of bounded length, in which no mail client turns an
 * address into a link.
 */
function shown(text: string, most = SHOWN_CHARS): string {
  const plain = text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[a-z][a-z0-9+.-]*:\/\//gi, '')
    .replaceAll(/\bwww\./gi, '')
    .replaceAll(/(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu, '[.]')
    .replaceAll('@', '[at]')
  return plain.length > most ? `${plain.slice(0, most - 1).toWellFormed()}…` : plain
}

export function disabledNotice({ accountId, id, name, url, reason }: DisabledEndpoint, at: Date, key: string): Notice {
  const why =
    reason === 'gone'
      ? 'It answered 410 Gone, which means that it wants no more events.'
      : 'All deliveries to it failed for five days.'
  return {
    accountId,
    key,
    kind: 'webhook_disabled',
    subject: 'A webhook endpoint was disabled',
    text: written([
      `A webhook endpoint of account ${accountId} was disabled at ${at.toISOString()}.`,
      '',
      `ID:      ${id}`,
      `Name:    ${shown(name)}`,
      `URL:     ${shown(url)}`,
      '',
      `${why} Pending deliveries were dropped, and no further events are sent to it.`,
      '',
      'Once the endpoint works again, set is_active to true:',
      `PUT /api/v1/customer/webhooks/${id}`,
      'Then replay the events that it missed:',
      `POST /api/v1/customer/webhooks/${id}/replay`,
    ]),
  }
}

export function formerAddressNotice({ accountId, after }: MovedAccount, at: Date, key: string): Notice {
  return {
    accountId,
    key,
    kind: 'email_changed',
    subject: 'The email address of your account was changed',
    text: written([
      `The email address of account ${accountId} was changed at ${at.toISOString()}. Notices now go to the new address:`,
      '',
      `New address: ${shown(after)}`,
      '',
      'If you did not make this change, someone else has an API key or a dashboard session of the account. Revoke its API',
      'keys, end its sessions, choose a new password, and set the address again with PATCH /api/v1/customer/profile.',
      'If you can no longer sign in, contact the operator of this service.',
    ]),
  }
}

/** The event types that lead to notices. */
export const NOTICED: readonly EventType[] = ['health.grade_changed', 'domain.verified', 'domain.verification_failed']

export function noticesOf({ type, eventId, accountId, at, data }: FollowedEvent): readonly Notice[] {
  if (type === 'health.grade_changed') return gradeNotices(eventId, accountId, at, data)
  if (type === 'domain.verified') return imitationNotices(accountId, at, data)
  if (type === 'domain.verification_failed') return [domainNotice(eventId, accountId, at, data)]
  return []
}

function gradeNotices(
  eventId: string,
  accountId: string,
  at: Date,
  { previous_grade: before, grade, score }: Readonly<Record<string, unknown>>,
): readonly Notice[] {
  // It is reported only when it is poor.
  const isFirst = typeof before !== 'string'
  const fell = isFirst || GRADES.indexOf(String(grade)) > GRADES.indexOf(before)
  const changed = `${fell ? 'fell' : 'rose'} from ${before} to ${grade}`
  const ofAccount = isFirst
    ? `The first health grade of account ${accountId} is ${grade}`
    : `The health grade of account ${accountId} ${changed}`
  const own: Notice = {
    accountId,
    key: `event ${eventId}`,
    kind: 'grade_changed',
    subject: isFirst ? `Your sending health is ${grade}` : `Your sending health ${changed}`,
    text: written([
      `${ofAccount}, at ${at.toISOString()}.`,
      `The score is ${score} out of 100, based on the mail of the last 30 days.`,
      '',
      'GET /api/v1/customer/health-score shows how the score is made up, what was found, and the evidence.',
      ...(fell
        ? ['', 'Mailbox providers delay mail from senders with many bounces and complaints, or treat it as spam.']
        : []),
    ]),
  }
  if (!fell || !POOR.includes(String(grade))) return [own]
  const operators: Notice = {
    accountId: null,
    key: `event ${eventId} operator`,
    kind: 'account_health',
    subject: `Account ${accountId}: sending health ${isFirst ? 'is' : 'fell to'} ${grade}`,
    text: written([
      `${ofAccount} (score ${score}), at ${at.toISOString()}.`,
      '',
      `To stop its mail, run: posthorn account suspend ${accountId}`,
    ]),
  }
  return [own, operators]
}

/** For the operator, whose addresses all accounts send from. Once for each domain of an account. */
function imitationNotices(
  accountId: string,
  at: Date,
  { domain }: Readonly<Record<string, unknown>>,
): readonly Notice[] {
  const imitation = imitationOf(String(domain))
  if (imitation === null) return []
  return [
    {
      accountId: null,
      key: `imitation ${accountId} ${domain}`,
      kind: 'imitating_domain',
      subject: `Account ${accountId} can send from a domain that looks like another's`,
      text: written([
        `Account ${accountId} verified ${shown(String(domain))} at ${at.toISOString()}.`,
        imitation.kind === 'letters'
          ? `Its letters look like others: ${shown(imitation.seen)}`
          : `It bears the name of ${imitation.brand} and is none of the domains known as theirs.`,
        '',
        'It may deceive recipients, unless the account sends for the owner of that name. Its mail is sent as before.',
        `To stop its mail, run: posthorn account suspend ${accountId}`,
      ]),
    },
  ]
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
    subject: 'A domain failed its DNS check',
    text: written([
      `The DNS check of ${shown(String(domain))} (account ${accountId}) failed at ${at.toISOString()}. Its status is ${status}.`,
      '',
      ...parts.map(([name, check]) => `${name}: ${check?.status ?? 'unknown'}`),
      '',
      status === 'temporary_failure'
        ? 'Mail from this domain is still sent, for at most 72 hours from now.'
        : 'No mail from this domain is sent.',
      `To see the records to publish: GET /api/v1/customer/domains/${id}/dns`,
    ]),
  }
}

/** @returns the notice for the highest level reached; null below the first level */
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
      level === 100
        ? `Your quota of ${what} for ${period} is used up`
        : `${level}% of your quota of ${what} for ${period} is used`,
    text: written([
      `Account ${accountId} has used ${used} of its ${limit} ${what} for ${period}.`,
      '',
      level === 100
        ? 'Further requests are refused with 429 quota_exceeded until the month ends (UTC).'
        : 'Once all are used, further requests are refused with 429 quota_exceeded until the month ends (UTC).',
    ]),
  }
}

export function diskNotice(at: Date): Notice {
  const day = at.toISOString().slice(0, 10)
  return {
    accountId: null,
    key: `disk ${day}`,
    kind: 'disk_full',
    subject: 'Disk nearly full: new mail is refused',
    text: written([
      `At ${at.toISOString()} a disk of the instance had too little free space to accept mail, or could not be read.`,
      'The API answers 503 and SMTP 452 until space is freed; with a database on another machine, only to mails over a megabyte.',
      'No accepted mail is lost.',
    ]),
  }
}

/** A TLS certificate that does not renew itself, or whose renewal fails. */
export interface EndingCertificate {
  readonly host: string
  readonly until: Date
  /** Where a CA issues it: why the last order failed. Null: the operator's own files. */
  readonly failure: string | null
}

/** The certificate of an account's tracking domain, whose renewal fails. */
export interface EndingTrackingCertificate {
  readonly accountId: string
  readonly id: string
  readonly host: string
  readonly until: Date
  readonly failure: string
}

/** The nearest of two moments: two weeks before a certificate ends, and its end. @returns null before both */
function momentOf(until: Date, at: Date): { readonly name: 'soon' | 'over'; readonly words: string } | null {
  if (until <= at) return { name: 'over', words: 'has expired' }
  if (until.getTime() - at.getTime() > CERTIFICATE_MS) return null
  return { name: 'soon', words: `expires on ${until.toISOString().slice(0, 10)}` }
}

/** @returns null before both moments */
export function certificateNotice({ host, until, failure }: EndingCertificate, at: Date): Notice | null {
  const moment = momentOf(until, at)
  if (moment === null) return null
  const isOver = moment.name === 'over'
  return {
    accountId: null,
    key: `certificate ${host} ${until.toISOString()} ${moment.name}`,
    kind: 'certificate',
    subject: `The certificate of ${host} ${moment.words}`,
    text: written([
      `The TLS certificate of ${host} ${isOver ? 'expired' : 'expires'} at ${until.toISOString()}.`,
      'From then on, browsers and mail programs that verify certificates refuse to connect.',
      '',
      ...(failure === null
        ? [
            'Renew the files of POSTHORN_TLS_CERT_FILE and POSTHORN_TLS_KEY_FILE. They are read again without a restart.',
          ]
        : [
            `Its renewal fails: ${failure}`,
            `Port 80 of ${host} must reach POSTHORN_HTTP_PORT, and this machine must reach the certificate authority.`,
          ]),
      'posthorn doctor shows the state.',
    ]),
  }
}

/** @returns as certificateNotice */
export function trackingCertificateNotice(ending: EndingTrackingCertificate, at: Date): Notice | null {
  const { accountId, id, host, until, failure } = ending
  const moment = momentOf(until, at)
  if (moment === null) return null
  const isOver = moment.name === 'over'
  return {
    accountId,
    key: `tracking certificate ${id} ${until.toISOString()} ${moment.name}`,
    kind: 'tracking_certificate',
    subject: `The certificate of a tracking domain ${moment.words}`,
    text: written([
      `The TLS certificate of tracking domain ${shown(host)} (account ${accountId}) ${isOver ? 'expired' : 'expires'} at ${until.toISOString()}.`,
      isOver
        ? 'Browsers refuse the links in mails sent before. New mails have links to this service instead.'
        : 'From then on, browsers refuse the links in mails sent before, and new mails have links to this service instead.',
      '',
      `Its renewal fails: ${shown(failure, FAILURE_CHARS)}`,
      'Check that the CNAME record is in place, and that no CAA record of the domain excludes the certificate authority.',
      'Renewal is tried again on its own, and at once when the tracking domain is verified again.',
    ]),
  }
}

/** A tracking domain whose CNAME no longer leads here. */
export interface LostTrackingDomain {
  readonly accountId: string
  readonly id: string
  readonly name: string
  /** What was found in place of the CNAME. */
  readonly error: string
}

export function lostTrackingNotice({ accountId, id, name, error }: LostTrackingDomain, at: Date, key: string): Notice {
  return {
    accountId,
    key,
    kind: 'tracking_domain_lost',
    subject: 'A tracking domain no longer leads here',
    text: written([
      `The CNAME record of tracking domain ${shown(name)} (account ${accountId}) was not in place at ${at.toISOString()}: ${shown(error, FAILURE_CHARS)}.`,
      'Until it is, links in mails sent before do not lead here, and new mails have links to this service instead.',
      '',
      `To see the record to publish: GET /api/v1/customer/tracking-domains/${id}`,
      'It is looked for every hour. Nothing else needs to be done.',
    ]),
  }
}

/** A domain whose recipients complain. */
export interface ComplainedDomain {
  readonly accountId: string
  readonly id: string
  readonly name: string
  /** Of the last FIGURE_DAYS days, today included. */
  readonly delivered: number
  readonly complained: number
}

/** Notices of figures are about so many days (UTC), today included. */
export const FIGURE_DAYS = 7
/** Gmail and Yahoo ask senders to stay below the first, and take measures from the second on. */
const [LOW_RATE, HIGH_RATE] = [0.001, 0.003]
/** A single complaint among a hundred says nothing. */
export const COMPLAINT_FLOOR = { complained: 3, delivered: 100, rate: LOW_RATE }

/** One for the account, and from the higher level on one for the operator: at most once a week for each level. */
export function complaintNotices(domain: ComplainedDomain, at: Date): readonly Notice[] {
  const { accountId, id, name, delivered, complained } = domain
  const rate = complained / delivered
  if (rate < LOW_RATE) return []
  const isHigh = rate >= HIGH_RATE
  const percent = `${(Math.floor((complained * 10_000) / delivered) / 100).toFixed(2)} %`
  const key = `complaints ${id} ${isHigh ? HIGH_RATE : LOW_RATE} ${mondayOf(at)}`
  const figures = `In the last ${FIGURE_DAYS} days, ${complained} of the ${delivered} recipients of ${shown(name)} (account ${accountId}) marked its mail as spam: ${percent}.`
  const own: Notice = {
    accountId,
    key,
    kind: 'complaints',
    subject: `${percent} of the recipients of a domain complained`,
    text: written([
      figures,
      isHigh
        ? 'Gmail and Yahoo treat mail of a domain with 0.3 % and more as spam, or refuse it. Stop mail to lists until it is lower.'
        : 'Gmail and Yahoo ask for less than 0.1 %, and treat mail of a domain with 0.3 % as spam, or refuse it.',
      '',
      'They count only what their own recipients mark, and report few complaints, so their rate may be higher.',
      'Send to those who asked for it, say in each mail why they get it, and make leaving easy.',
      '',
      'Who complained: GET /api/customer/bounces?type=complaint',
    ]),
  }
  if (!isHigh) return [own]
  const operators: Notice = {
    accountId: null,
    key: `${key} operator`,
    kind: 'account_complaints',
    subject: `Account ${accountId}: ${percent} of the recipients of a domain complained`,
    text: written([
      figures,
      'Providers hold this against the addresses of this machine too.',
      '',
      `To stop its mail, run: posthorn account suspend ${accountId}`,
    ]),
  }
  return [own, operators]
}

/** A domain whose mail is opened far more often than it was delivered. */
export interface OpenedDomain {
  readonly accountId: string
  readonly id: string
  readonly name: string
  /** Of the last FIGURE_DAYS days. */
  readonly delivered: number
  /** By people and machines. */
  readonly opened: number
}

/**
 * Far beyond what readers and their providers' proxies come to: somebody sends on what was delivered to them, with its
 * signature (a DKIM replay, RFC 6376 section 8.6).
 */
export const OPENS_FLOOR = { opened: 1_000, perDelivered: 20 }
/** Days after which hardly any mail is opened: what a week's opens are of may have been delivered before the week. */
export const LATE_OPENS_DAYS = 90

/** One for the account and one for the operator, at most once a week. */
export function replayNotices(domain: OpenedDomain, at: Date): readonly Notice[] {
  const { accountId, id, name, delivered, opened } = domain
  const key = `replay ${id} ${mondayOf(at)}`
  const figures = [
    `In the last ${FIGURE_DAYS} days, mail of ${shown(name)} (account ${accountId}) was opened ${opened} times, but ${delivered} were delivered.`,
    'Mail that somebody receives once and sends on to many others looks like this: its DKIM signature stays valid, and what',
    'the others think of it is held against the domain. A mail that is shown on a public page looks like this too.',
    '',
  ]
  return [
    {
      accountId,
      key,
      kind: 'replayed',
      subject: 'Mail of a domain is opened far more often than it was delivered',
      text: written([
        ...figures,
        `Which mail: GET /api/v1/events?event=email.opened&domain_id=${id}`,
        `If it is sent on: renew the key of the domain, POST /api/v1/customer/domains/${id}/dkim/rotate, and once the new key`,
        'signs, remove the old DNS record, which ends the signatures of before.',
      ]),
    },
    {
      accountId: null,
      key: `${key} operator`,
      kind: 'account_replayed',
      subject: `Account ${accountId}: mail is opened far more often than it was delivered`,
      text: written([
        ...figures,
        'New accounts that send one mail to themselves, for its signature, are the usual case.',
        `To stop its mail, run: posthorn account suspend ${accountId}`,
      ]),
    },
  ]
}

/** `YYYY-MM-DD` of the Monday of the week (UTC). */
function mondayOf(at: Date): string {
  const days = (at.getUTCDay() + 6) % 7
  return new Date(at.getTime() - days * 86_400_000).toISOString().slice(0, 10)
}

export function standstillNotice(names: readonly string[], at: Date): Notice {
  const day = at.toISOString().slice(0, 10)
  return {
    accountId: null,
    key: `followers ${names.join(' ')} ${day}`,
    kind: 'followers_behind',
    subject: 'Event processing is behind',
    text: written([
      `At ${at.toISOString()} these followers of the event log were more than 15 minutes behind: ${names.join(', ')}.`,
      'Statistics, webhooks and notices are delayed; nothing is lost. The usual cause is a transaction left open in the',
      'database: look for the oldest xact_start in pg_stat_activity.',
    ]),
  }
}
