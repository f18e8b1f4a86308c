// Mail that the system writes itself. It goes the way of every mail: stored and queued in the caller's transaction, then
// delivered, retried and recorded like others. So it is sent once if the transaction commits, and never if it does not. It
// belongs to a system account whose id no customer can have; no quota counts it.
//
// It cannot loop: the envelope sender is a signed return path, mail to that path is read but never answered, and
// `Auto-Submitted: auto-generated` (RFC 3834 section 5) asks autoresponders to stay silent.

import { type Address, type EmailAddress, suppressionKey } from '../../mail/address.ts'
import { domainPart } from '../../mail/address-parts.ts'
import { encodeBase64, encodeQuotedPrintable } from '../../mail/mime/encodings.ts'
import { addressHeader, formatDate, textHeader } from '../../mail/mime/headers.ts'
import { reencode } from '../../mail/mime/reencode.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Ids } from '../../platform/ids.ts'
import { SYSTEM_ACCOUNT_ID } from '../accounts/index.ts'
import { EMAIL_LIFE_MS, encodeContent, enqueue, type SiteIds } from '../outbox/index.ts'
import { mayWeSend } from '../suppression/index.ts'

const SUBJECT_CHARS = 300
/** The tag of TLS reports. The tag of other system mail is the account that it is about. */
const TLS_REPORT = 'tls-report'

type Sent = Readonly<{ accountId: string; tag: string | null }>

export function isTlsReport({ accountId, tag }: Sent): boolean {
  return accountId === SYSTEM_ACCOUNT_ID && tag === TLS_REPORT
}

/** The account whose inbox shows a mail when all mail stays on the server. */
export function inboxOwner(sent: Sent): string {
  const { accountId, tag } = sent
  return accountId === SYSTEM_ACCOUNT_ID && tag !== null && !isTlsReport(sent) ? tag : accountId
}

export interface SystemMail {
  readonly to: Address
  readonly subject: string
  /** Lines end in LF. */
  readonly text: string
  /** Attached after the text: a message or only its header, with CRLF line ends; or a compressed report (RFC 8460). */
  readonly attached:
    | { readonly type: 'message/rfc822' | 'text/rfc822-headers'; readonly content: Buffer }
    | { readonly type: 'application/tlsrpt+gzip'; readonly filename: string; readonly content: Buffer }
    | null
  /** Further header fields, in ASCII. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The account that the mail is about, whose inbox shows it when all mail stays on the server. */
  readonly about?: string | null
}

export interface SystemMailerOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly sites: SiteIds
  /** The sender address. */
  readonly from: string
  readonly hostname: string
  /** The id of the domain of that name that may send and signs the mail; null when there is none. */
  readonly signingDomain: (name: string) => Promise<string | null>
}

export interface SystemMailer {
  /** False for a day after a mail to this address bounced. */
  maySend(db: Db, to: Address): Promise<boolean>
  /** Stores and queues the mail in the caller's transaction; the caller wakes delivery. @returns the id of the email */
  send(db: Db, mail: SystemMail): Promise<string>
}

export function systemMailer(options: SystemMailerOptions): SystemMailer {
  const { clock, ids, sites, from, hostname, signingDomain } = options
  return {
    maySend: async (db, to) => {
      const ask = { accountId: SYSTEM_ACCOUNT_ID, recipient: suppressionKey(to), sandbox: false }
      const [refusal] = await mayWeSend(db, [ask], clock.now())
      return refusal === null
    },
    send: async (db, mail) => {
      const now = clock.now()
      const id = ids.next()
      const messageId = `${id}@${hostname}`
      const message = written(mail, { from, messageId, now })
      const treatment = { trackOpens: false, trackClicks: false, unsubscribeHeader: false }
      const bytes = encodeContent({ kind: 'submitted', message, treatment })
      const site = mail.to.domain.toLowerCase()
      const email = {
        id,
        accountId: SYSTEM_ACCOUNT_ID,
        domainId: await signingDomain(domainPart(from)),
        bodyId: id,
        createdAt: now,
        status: 'queued' as const,
        from: { name: 'Posthorn', address: from },
        recipient: mail.to.address,
        recipientKey: suppressionKey(mail.to),
        cc: [],
        replyTo: [],
        site,
        subject: mail.subject.slice(0, SUBJECT_CHARS),
        messageId,
        stream: 'transactional' as const,
        bulk: false,
        sandbox: false,
        sandboxResult: 'deliver' as const,
        tag: mail.attached?.type === 'application/tlsrpt+gzip' ? TLS_REPORT : (mail.about ?? null),
        metadata: null,
        sizeBytes: message.length,
        scheduledAt: null,
        expiresAt: new Date(now.getTime() + EMAIL_LIFE_MS),
        tlsRequired: false,
        risk: null,
      }
      await enqueue(db, [email], [{ id, accountId: SYSTEM_ACCOUNT_ID, stretches: [bytes] }], await sites.of([site]))
      return id
    },
  }
}

interface Written {
  readonly from: string
  readonly messageId: string
  readonly now: Date
}

/** CRLF and 7-bit. */
function written(mail: SystemMail, { from, messageId, now }: Written): Buffer {
  const boundary = `=_${messageId.slice(0, 36)}`
  const head = [
    `Date: ${formatDate(now)}\r\n`,
    addressHeader('From', [{ name: 'Posthorn', address: { address: from as EmailAddress } }]),
    addressHeader('To', [{ name: '', address: mail.to }]),
    textHeader('Subject', mail.subject.slice(0, SUBJECT_CHARS)),
    `Message-ID: <${messageId}>\r\n`,
    'Auto-Submitted: auto-generated\r\n',
    ...mail.headers.map(([name, value]) => textHeader(name, value)),
    'MIME-Version: 1.0\r\n',
  ].join('')
  const words = encodeQuotedPrintable(Buffer.from(mail.text.replace(/\r?\n/g, '\r\n')))
  const text = `Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${words}`
  const { attached } = mail
  if (attached === null) return Buffer.from(`${head}${text}`)
  const kind =
    attached.type === 'application/tlsrpt+gzip' ? 'multipart/report; report-type="tlsrpt"' : 'multipart/mixed'
  const before = `${head}Content-Type: ${kind}; boundary="${boundary}"\r\n\r\n--${boundary}\r\n${text}\r\n--${boundary}\r\n`
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  if (attached.type === 'application/tlsrpt+gzip') {
    const type = `Content-Type: ${attached.type}\r\nContent-Disposition: attachment; filename="${attached.filename}"\r\nContent-Transfer-Encoding: base64\r\n\r\n`
    return Buffer.concat([Buffer.from(before), Buffer.from(type), encodeBase64(attached.content), end])
  }
  const type = `Content-Type: ${attached.type}\r\nContent-Disposition: ${attached.type === 'message/rfc822' ? 'attachment; filename="message.eml"' : 'inline'}\r\n\r\n`
  const whole = [Buffer.from(before), Buffer.from(type), attached.content, end]
  return reencode(Buffer.concat(whole)).message
}
