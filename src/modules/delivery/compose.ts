// From a letter to the bytes that go out: composed, treated, signed. The same letter gives the same bytes on every try,
// since Date, boundaries, tokens and the time of the signature derive from what was stored at acceptance.
//
// A content that goes to many recipients is encoded once: the last prepared contents are kept, within a bound.

import type { EmailAddress } from '../../mail/address.ts'
import { createSigner, type Signer, sign } from '../../mail/dkim.ts'
import { textHeader, tokenHeader } from '../../mail/headers.ts'
import {
  compose,
  type ListUnsubscribe,
  type MailboxInput,
  needsEncoding,
  type Prepared,
  prepare,
  textFromHtml,
} from '../../mail/mime.ts'
import { returnPath, type VerpMac } from '../../mail/verp.ts'
import {
  type ComposedContent,
  decodeContent,
  type Letter,
  type Person,
  type SubmittedContent,
} from '../outbox/index.ts'
import type { Outgoing, SigningKey, Tracking } from './types.ts'

export interface ComposerOptions {
  readonly hostname: string
  readonly verpMac: VerpMac
  readonly tracking: Tracking | null
}

export interface Composer {
  /** @param key null: the mail is not signed (sandbox mail from a domain that is not the account's) */
  compose(letter: Letter, body: Buffer, key: SigningKey | null): Promise<Outgoing>
}

/** Longer than the 72 hours that a message may wait. */
const SIGNATURE_HOLDS_SECONDS = 7 * 86_400
const MAX_PREPARED = 128
const MAX_PREPARED_BYTES = 16 * 1_048_576
const PLACEHOLDER = '{{unsubscribe}}'

export function composerOf({ hostname, verpMac, tracking }: ComposerOptions): Composer {
  const known = preparedContents()
  const complaintFields = complaintFieldsOf(verpMac, hostname)
  const signers = new WeakMap<object, Signer>()
  const signerOf = (domain: string, selector: string, key: SigningKey['privateKey']): Signer => {
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
  return {
    compose: async (letter, body, key) => {
      const { message, smtpUtf8 } = written(letter, body)
      const signedAt = letter.scheduledAt ?? letter.createdAt
      const signatures =
        key === null
          ? []
          : [await sign(message, signersOf(key), { signedAt, expiresAfterSeconds: SIGNATURE_HOLDS_SECONDS })]
      return {
        message: signatures.length === 0 ? message : Buffer.concat([...signatures, message]),
        returnPath: returnPath(verpMac, letter.id, letter.accountId, hostname),
        recipient: letter.recipient,
        smtpUtf8,
        eightBit: smtpUtf8 || needsEncoding(message),
      }
    },
  }

  function written(letter: Letter, body: Buffer): { readonly message: Buffer; readonly smtpUtf8: boolean } {
    const entry = known.get(letter, body)
    const { content } = entry
    const links = wantsLinks(content, letter) ? (tracking?.unsubscribeLinks(content, letter) ?? null) : null
    if (content.kind === 'submitted') {
      const own = complaintFields(letter)
        .map(([name, value]) => textHeader(name, value))
        .join('')
      return { message: Buffer.concat([Buffer.from(own), submitted(content, letter, links)]), smtpUtf8: false }
    }
    const treated = tracking?.treat(content, letter) ?? null
    const prepared = treated === null ? entry.prepared() : prepare({ ...content, ...treated })
    return compose(prepared, {
      id: letter.id,
      messageId: letter.messageId,
      date: letter.scheduledAt ?? letter.createdAt,
      from: mailbox(content.from),
      to: content.to.map(mailbox),
      cc: content.cc.map(mailbox),
      replyTo: content.replyTo.map(mailbox),
      subject: content.subject,
      headers: [...withFeedbackId(content.headers, letter), ...complaintFields(letter)],
      listUnsubscribe: links,
    })
  }
}

/** Where complaints go, and the signed id by which they are matched when they come (RFC 9477). */
function complaintFieldsOf(mac: VerpMac, hostname: string): (letter: Letter) => [name: string, value: string][] {
  return ({ id, accountId }) => {
    const [token = ''] = returnPath(mac, id, accountId, hostname).split('@', 1)
    return [
      ['CFBL-Address', `fbl@${hostname}; report=arf`],
      ['CFBL-Feedback-ID', token],
    ]
  }
}

// RFC 8058; always on broadcast mail (contract section 5).
function wantsLinks({ treatment }: ComposedContent | SubmittedContent, letter: Letter): boolean {
  return treatment.unsubscribeHeader || letter.stream === 'broadcast'
}

function mailbox({ name, address }: Person): MailboxInput {
  // Stored addresses come from the one parser.
  return { name, address: { address: address as EmailAddress, smtpUtf8: /[^\0-\x7f]/.test(address) } }
}

/** Campaign, customer, stream, sender: what Gmail's feedback loop groups complaints by. */
function feedbackId({ tag, accountId, stream }: Letter): string {
  const campaign = (tag ?? '').replaceAll(/[^A-Za-z0-9._-]/g, '_').slice(0, 64)
  return `${campaign}:${accountId}:${stream}:posthorn`
}

function withFeedbackId(headers: ComposedContent['headers'], letter: Letter): ComposedContent['headers'] {
  if (headers.some(([name]) => name.toLowerCase() === 'feedback-id')) return headers
  return [...headers, ['Feedback-ID', feedbackId(letter)]]
}

/** A submitted message keeps its bytes; what is ours goes before them. */
function submitted({ message }: SubmittedContent, letter: Letter, links: ListUnsubscribe | null): Buffer {
  const end = message.indexOf('\r\n\r\n')
  const head = `\r\n${message.toString('latin1', 0, end === -1 ? message.length : end)}`
  const has = (name: string): boolean => new RegExp(`\\r\\n${name}[ \\t]*:`, 'i').test(head)
  let own = has('feedback-id') ? '' : textHeader('Feedback-ID', feedbackId(letter))
  if (links !== null && !has('list-unsubscribe')) {
    const uris = [links.https, links.mailto].filter((uri) => uri !== null).map((uri) => `<${uri}>`)
    if (uris.length > 0)
      own += tokenHeader(
        'List-Unsubscribe',
        uris.map((uri, at) => (at < uris.length - 1 ? `${uri},` : uri)),
      )
    if (links.https !== null) own += 'List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n'
  }
  return own === '' ? message : Buffer.concat([Buffer.from(own, 'latin1'), message])
}

interface Entry {
  readonly content: ComposedContent | SubmittedContent
  readonly prepared: () => Prepared
}

/** Decoded and encoded contents by their id; the oldest goes first. */
function preparedContents(): { get(letter: Letter, body: Buffer): Entry } {
  const entries = new Map<string, Entry & { readonly bytes: number }>()
  let bytes = 0
  const make = (body: Buffer): Entry => {
    const content = withText(decodeContent(body))
    let made: Prepared | null = null
    const prepared = (): Prepared => {
      if (content.kind !== 'composed') throw new Error('a submitted message is not composed')
      made ??= prepare(withoutPlaceholder(content))
      return made
    }
    return { content, prepared }
  }
  return {
    get: (letter, body) => {
      const known = entries.get(letter.bodyId)
      if (known !== undefined) return known
      const entry = { ...make(body), bytes: body.length * 3 }
      if (entry.bytes > MAX_PREPARED_BYTES / 4) return entry
      entries.set(letter.bodyId, entry)
      bytes += entry.bytes
      for (const [id, oldest] of entries) {
        if (entries.size <= MAX_PREPARED && bytes <= MAX_PREPARED_BYTES) break
        entries.delete(id)
        bytes -= oldest.bytes
      }
      return entry
    },
  }
}

/** A mail with html alone gets a text made from it. */
function withText(content: ComposedContent | SubmittedContent): ComposedContent | SubmittedContent {
  if (content.kind === 'submitted' || content.text !== null || content.html === null) return content
  return { ...content, text: textFromHtml(content.html) }
}

/** Without tracking there is no link to put there. */
function withoutPlaceholder(content: ComposedContent): ComposedContent {
  const { html, text } = content
  if (html?.includes(PLACEHOLDER) !== true && text?.includes(PLACEHOLDER) !== true) return content
  return {
    ...content,
    html: html?.replaceAll(PLACEHOLDER, '') ?? null,
    text: text?.replaceAll(PLACEHOLDER, '') ?? null,
  }
}
