// Turns an email into the bytes that go out: composes, applies the treatment, signs. The same email gives the same bytes on
// every try: Date, boundaries, tokens and the signature time derive from what was stored at acceptance, or at a retry by hand.
// A submitted message keeps its bytes, except for the parts in which something is replaced (mail/mime/message-parts.ts) and, when
// it was scheduled, its Date.

import { isAscii } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import type { EmailAddress } from '../../mail/address.ts'
import { localPart } from '../../mail/address-parts.ts'
import { createSigner, type Signer, sign } from '../../mail/authentication/dkim.ts'
import type { Replacements } from '../../mail/html/links.ts'
import { compose, type ListUnsubscribe, type MailboxInput } from '../../mail/mime/compose.ts'
import { headerNeedsSmtpUtf8 } from '../../mail/mime/field-encoding.ts'
import { formatDate, parseHeaderBlock, textHeader, tokenHeader } from '../../mail/mime/headers.ts'
import { returnPath, type VerpMac } from '../../mail/verp.ts'
import {
  type ComposedContent,
  EMAIL_LIFE_MS,
  type Person,
  type QueuedEmail,
  type SubmittedContent,
} from '../outbox/index.ts'
import type { HtmlReader } from './html-reader.ts'
import { contentsOf, type Entry } from './prepared-contents.ts'
import { dueSince } from './results.ts'
import type { Outgoing, SigningKey, Tracking } from './types.ts'

export interface ComposerOptions {
  readonly hostname: string
  readonly verpMac: VerpMac
  readonly tracking: Tracking | null
  readonly html: HtmlReader
  /** The key that signs all mail beside the domain's own. Null or absent: none does. */
  readonly instanceKey?: (() => Promise<SigningKey | null>) | null
}

export interface Composer {
  /** @param key null: the mail is not signed (sandbox mail from a domain that does not belong to the account) */
  compose(email: QueuedEmail, body: Buffer, key: SigningKey | null): Promise<Outgoing>
}

/** Longer than the 72 hours that a message may wait. */
const SIGNATURE_HOLDS_SECONDS = 7 * 86_400

export function composerOf({ hostname, verpMac, tracking, html, instanceKey }: ComposerOptions): Composer {
  const contents = contentsOf(html, tracking !== null)
  const signers = new WeakMap<object, Signer>()
  const signerOf = (domain: string, selector: string, key: KeyObject | null): Signer => {
    if (key === null) throw new Error(`the signing key of ${domain} cannot be read`)
    let signer = signers.get(key)
    if (signer === undefined) {
      signer = createSigner({ domain, selector, key })
      signers.set(key, signer)
    }
    return signer
  }
  const signersOf = ({ domain, selector, privateKey, ed25519 }: SigningKey): Signer[] => [
    signerOf(domain, selector, privateKey),
    ...(ed25519 ? [signerOf(domain, ed25519.selector, ed25519.privateKey)] : []),
  ]
  const withInstance = (own: Signer[], key: SigningKey | null, instance: SigningKey | null): Signer[] =>
    instance === null || instance.domain === key?.domain
      ? own
      : [...own, signerOf(instance.domain, instance.selector, instance.privateKey)]
  return {
    compose: async (email, body, key) => {
      const reportsTo = returnPath(verpMac, email.id, email.accountId, hostname)
      const { message, smtpUtf8, eightBit } = await written(email, body, reportsTo)
      const signedAt = signedAtOf(email)
      const own = key === null ? [] : signersOf(key)
      const signers = instanceKey ? withInstance(own, key, await instanceKey()) : own
      return {
        message:
          signers.length === 0
            ? message
            : Buffer.concat([
                await sign(message, signers, { signedAt, expiresAfterSeconds: SIGNATURE_HOLDS_SECONDS }),
                message,
              ]),
        // The token alone identifies the email of a report, whichever host the report comes to.
        returnPath: key?.returnPathHost
          ? returnPath(verpMac, email.id, email.accountId, key.returnPathHost)
          : reportsTo,
        recipient: email.recipient,
        smtpUtf8,
        eightBit,
      }
    },
  }

  async function written(
    email: QueuedEmail,
    body: Buffer,
    reportsTo: string,
  ): Promise<Pick<Outgoing, 'message' | 'smtpUtf8' | 'eightBit'>> {
    const entry = await contents.get(email, body)
    const { content } = entry
    const wanted = wantsLinks(content, email)
    const links = wanted || entry.placeholder ? (tracking?.unsubscribeLinks(email) ?? null) : null
    const replacements = replacementsOf(entry, email, links)
    if (entry.kind === 'submitted') {
      const own = complaintFields(reportsTo, hostname)
        .map(([name, value]) => textHeader(name, value))
        .join('')
      const filled = withOwnFields(dated(entry.filled(replacements), email), email, wanted ? links : null)
      const message = Buffer.concat([Buffer.from(own), filled])
      return { message, smtpUtf8: headerNeedsSmtpUtf8(filled), eightBit: !isAscii(message) }
    }
    const { from, to, cc, replyTo, subject, headers } = entry.content
    // Composed mail is encoded in seven bits, except for internationalized addresses.
    const { message, smtpUtf8 } = compose(entry.filled(replacements), {
      id: email.id,
      messageId: email.messageId,
      date: email.scheduledAt ?? email.createdAt,
      from: mailbox(from),
      to: to.map(mailbox),
      cc: cc.map(mailbox),
      replyTo: replyTo.map(mailbox),
      subject,
      headers: [...withFeedbackId(headers, email), ...complaintFields(reportsTo, hostname)],
      listUnsubscribe: wanted ? links : null,
    })
    return { message, smtpUtf8, eightBit: smtpUtf8 }
  }

  /** @returns null: the content is sent unchanged */
  function replacementsOf(entry: Entry, email: QueuedEmail, links: ListUnsubscribe | null): Replacements | null {
    const tracks = entry.tracks && tracking !== null
    if (!tracks && !entry.placeholder) return null
    const { link, pixel } = tracks ? tracking.replacements(entry.content.treatment, email) : { link: null, pixel: null }
    return { link, pixel, unsubscribe: links?.https ?? null }
  }
}

/** The email's start, or the time of a retry by hand: the first signature may have expired by then. */
function signedAtOf(email: QueuedEmail): Date {
  return new Date(Math.max(dueSince(email).getTime(), email.expiresAt.getTime() - EMAIL_LIFE_MS))
}

/** The address for complaints, and the signed id that matches them to the email (RFC 9477). */
function complaintFields(reportsTo: string, hostname: string): [name: string, value: string][] {
  return [
    ['CFBL-Address', `fbl@${hostname}; report=arf`],
    ['CFBL-Feedback-ID', localPart(reportsTo)],
  ]
}

// RFC 8058; always on broadcast mail (contract section 5).
function wantsLinks({ treatment }: ComposedContent | SubmittedContent, email: QueuedEmail): boolean {
  return treatment.unsubscribeHeader || email.stream === 'broadcast'
}

function mailbox({ name, address }: Person): MailboxInput {
  // Stored addresses have passed parseAddress.
  return { name, address: { address: address as EmailAddress, smtpUtf8: /[^\0-\x7f]/.test(address) } }
}

/** Campaign, customer, stream, sender: the groups of complaints in Gmail's feedback loop. */
function feedbackId({ tag, accountId, stream }: QueuedEmail): string {
  const campaign = (tag ?? '').replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 64)
  return `${campaign}:${accountId}:${stream}:posthorn`
}

function withFeedbackId(headers: ComposedContent['headers'], email: QueuedEmail): ComposedContent['headers'] {
  if (headers.some(([name]) => name.toLowerCase() === 'feedback-id')) return headers
  return [...headers, ['Feedback-ID', feedbackId(email)]]
}

/**
 * Sets the Date of a scheduled mail to its due time, as for composed mail. With the Date of the hand-over, weeks earlier,
 * mail clients sort it among old mail, and SpamAssassin takes it for spam (DATE_IN_PAST_96_XX).
 */
function dated(message: Buffer, { scheduledAt }: QueuedEmail): Buffer {
  if (scheduledAt === null) return message
  const field = parseHeaderBlock(message).fields.find(({ key }) => key === 'date')
  if (field === undefined) return message
  const date = Buffer.from(`Date: ${formatDate(scheduledAt)}\r\n`)
  return Buffer.concat([message.subarray(0, field.start), date, message.subarray(field.end)])
}

/** Puts our own fields before a submitted message. */
function withOwnFields(message: Buffer, email: QueuedEmail, links: ListUnsubscribe | null): Buffer {
  const end = message.indexOf('\r\n\r\n')
  const head = `\r\n${message.toString('latin1', 0, end === -1 ? message.length : end)}`
  const has = (name: string): boolean => new RegExp(`\\r\\n${name}[ \\t]*:`, 'i').test(head)
  let own = has('feedback-id') ? '' : textHeader('Feedback-ID', feedbackId(email))
  if (links !== null && !has('list-unsubscribe')) {
    const uris = [links.https, links.mailto].filter((uri) => uri !== null).map((uri) => `<${uri}>`)
    if (uris.length > 0)
      own += tokenHeader(
        'List-Unsubscribe',
        uris.map((uri, at) => (at < uris.length - 1 ? `${uri},` : uri)),
      )
    if (links.https !== null && !has('list-unsubscribe-post'))
      own += 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  }
  return own === '' ? message : Buffer.concat([Buffer.from(own, 'latin1'), message])
}
