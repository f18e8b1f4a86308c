// Tokens in the links of mails. Each holds everything needed to answer the link, encrypted and authenticated, so a redirect
// needs no database. Each is made from its content alone, so a mail has the same bytes on every try.
//
//   base64url( key number (1) | nonce (12) | ciphertext | tag (16) )        AES-256-GCM
//   content: account id (16) | email id (16) | flags (1) | domain id (16), when a flag says so | extra by purpose
//
// A link works for longer than anything else about its mail is kept. So the token holds what consumers of the event log ask
// first: account, domain and stream. Older tokens hold no domain. A token with a flag that this release does not know comes from
// a later one beside it, and is not read: an address cut out of it at the wrong place would be unsubscribed.
//
// The nonce is a MAC of the content under its own key (a synthetic nonce, as in SIV modes: equal nonces mean equal contents).
// Each purpose has its own keys, so a click token is invalid at the unsubscribe page. Key numbers let the instance start new
// keys while old links keep working, until the operator retires the old keys. An email's tokens use the key that was current
// when the email was accepted, on every try.
// Malformed, foreign and outdated tokens all read as null.

import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { MAX_TOKEN_CHARS } from '../../platform/http/endpoint.ts'
import { bytesOfId, ID_BYTES, idOfBytes } from '../../platform/ids.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Stream } from '../events/index.ts'

export interface MailRef {
  readonly accountId: string
  readonly emailId: string
  /** Null: the mail had none, or the token is too old to hold it. */
  readonly domainId: string | null
  readonly stream: Stream
  readonly sandbox: boolean
}

export interface OpenToken extends MailRef {
  readonly purpose: 'open'
}
export interface ClickToken extends MailRef {
  readonly purpose: 'click'
  readonly linkIndex: number
  readonly hidden: boolean
  readonly url: string
}
export interface UnsubscribeToken extends MailRef {
  readonly purpose: 'unsubscribe'
  /** The suppression key of the recipient. */
  readonly recipient: string
}
export type Token = OpenToken | ClickToken | UnsubscribeToken
export type Purpose = Token['purpose']

export interface Tokens {
  /** @param acceptedAt when the mail was accepted */
  write(token: Token, acceptedAt: Date): string
  /** @returns null for any text that is not a valid token of this purpose */
  read<P extends Purpose>(purpose: P, text: string): Extract<Token, { purpose: P }> | null
}

export interface TokenKey {
  readonly number: number
  readonly since: Date
  /** Number of the instance's secret that the key is derived from. */
  readonly secret: number
}

/** Key 1 always exists. */
export interface TokenKeys {
  /** All keys, oldest first. A token is written with the latest that had begun when its mail was accepted. */
  readonly begun: readonly TokenKey[]
  /** Tokens under smaller key numbers are rejected. */
  readonly oldest: number
}

export const FIRST_KEYS: TokenKeys = { begun: [{ number: 1, since: new Date(0), secret: 1 }], oldest: 1 }
export const MAX_KEY = 255

const NONCE_BYTES = 12
const TAG_BYTES = 16
const FLAGS_AT = 2 * ID_BYTES
const HEAD_BYTES = FLAGS_AT + 1
const LEAST_BYTES = 1 + NONCE_BYTES + HEAD_BYTES + TAG_BYTES
const TOKEN = /^[A-Za-z0-9_-]+$/
// Each token has one spelling: the unused bits of its last character are zero. Indexed by length modulo 4.
const LAST_CHARS: readonly (RegExp | undefined)[] = [/./, undefined, /[AQgw]/, /[AEIMQUYcgkosw048]/]
const SANDBOX = 1
const HIDDEN = 2
const OF_DOMAIN = 4
const BROADCAST = 8
const KNOWN_FLAGS = SANDBOX | HIDDEN | OF_DOMAIN | BROADCAST

/** Prepared once. Raw bytes would be prepared again for every token, which takes five times as long. */
interface Keys {
  readonly cipher: KeyObject
  readonly nonce: KeyObject
}

/** @param keys called for each token, so that a rotation takes effect without a restart */
export function tokensOf(secrets: Secrets, keys: () => TokenKeys = () => FIRST_KEYS): Tokens {
  const known: Record<Purpose, Map<number, Keys>> = { open: new Map(), click: new Map(), unsubscribe: new Map() }
  const keysOf = (purpose: Purpose, number: number): Keys => {
    let found = known[purpose].get(number)
    if (found === undefined) {
      const secret = keys().begun.find((key) => key.number === number)?.secret ?? 1
      const name = `tracking ${purpose} ${number}`
      found = {
        cipher: createSecretKey(secrets.key(name, secret)),
        nonce: createSecretKey(secrets.key(`${name} nonce`, secret)),
      }
      known[purpose].set(number, found)
    }
    return found
  }
  return {
    write: (token, acceptedAt) => {
      const { begun, oldest } = keys()
      const number = Math.max(oldest, begun.findLast(({ since }) => since <= acceptedAt)?.number ?? 1)
      const { cipher, nonce: nonceKey } = keysOf(token.purpose, number)
      const plain = contentOf(token)
      const nonce = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, NONCE_BYTES)
      const aes = createCipheriv('aes-256-gcm', cipher, nonce)
      const sealed = aes.update(plain)
      aes.final()
      return Buffer.concat([Buffer.of(number), nonce, sealed, aes.getAuthTag()]).toString('base64url')
    },
    read: (purpose, text) => {
      if (text.length > MAX_TOKEN_CHARS || !TOKEN.test(text)) return null
      if (!LAST_CHARS[text.length % 4]?.test(text.slice(-1))) return null
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length < LEAST_BYTES) return null
      const number = bytes[0] ?? 0
      const { begun, oldest } = keys()
      if (number < oldest || number > (begun.at(-1)?.number ?? 1)) return null
      const plain = decrypted(bytes, keysOf(purpose, number).cipher)
      if (plain === null || ((plain[FLAGS_AT] ?? 0) & ~KNOWN_FLAGS) !== 0) return null
      return tokenOf(purpose, plain) as Extract<Token, { purpose: typeof purpose }>
    },
  }
}

function decrypted(bytes: Buffer, key: KeyObject): Buffer | null {
  const aes = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES), { authTagLength: TAG_BYTES })
  aes.setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = aes.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES))
  try {
    aes.final()
    return plain
  } catch {
    return null
  }
}

function contentOf(token: Token): Buffer {
  const { accountId, emailId, domainId, stream, sandbox } = token
  const hidden = token.purpose === 'click' && token.hidden
  const ofDomain = domainId === null ? 0 : OF_DOMAIN
  const flags = (sandbox ? SANDBOX : 0) | (hidden ? HIDDEN : 0) | ofDomain | (stream === 'broadcast' ? BROADCAST : 0)
  const domain = domainId === null ? [] : [bytesOfId(domainId)]
  return Buffer.concat([bytesOfId(accountId), bytesOfId(emailId), Buffer.of(flags), ...domain, extraOf(token)])
}

function extraOf(token: Token): Buffer {
  switch (token.purpose) {
    case 'open':
      return Buffer.alloc(0)
    case 'click': {
      const index = Buffer.alloc(2)
      index.writeUInt16BE(Math.min(token.linkIndex, 0xffff))
      return Buffer.concat([index, Buffer.from(token.url)])
    }
    case 'unsubscribe':
      return Buffer.from(token.recipient)
  }
}

function tokenOf(purpose: Purpose, plain: Buffer): Token {
  const flags = plain[FLAGS_AT] ?? 0
  const ofDomain = (flags & OF_DOMAIN) !== 0
  const mail: MailRef = {
    accountId: idOfBytes(plain, 0),
    emailId: idOfBytes(plain, ID_BYTES),
    domainId: ofDomain ? idOfBytes(plain, HEAD_BYTES) : null,
    stream: (flags & BROADCAST) === 0 ? 'transactional' : 'broadcast',
    sandbox: (flags & SANDBOX) !== 0,
  }
  const rest = ofDomain ? HEAD_BYTES + ID_BYTES : HEAD_BYTES
  switch (purpose) {
    case 'open':
      return { purpose, ...mail }
    case 'click':
      return {
        purpose,
        ...mail,
        linkIndex: plain.readUInt16BE(rest),
        hidden: (flags & HIDDEN) !== 0,
        url: plain.toString('utf8', rest + 2),
      }
    case 'unsubscribe':
      return { purpose, ...mail, recipient: plain.toString('utf8', rest) }
  }
}
