// Tokens in the links of confirmation mails: contact and expiry. They are authenticated but not encrypted, and hold no
// address; an altered or invented token is invalid. Nothing about them is stored.
//
//   base64url( 1 (1) | account id (16) | contact id (16) | end in seconds since 1970 (5) | MAC (16) )

import { bytesOfId, ID_BYTES, idOfBytes } from '../../platform/ids.ts'
import { type Secrets, sameSecret } from '../../platform/secrets.ts'

export interface ConfirmationToken {
  readonly accountId: string
  readonly contactId: string
  /** Whole seconds. */
  readonly endsAt: Date
}

export interface ConfirmationTokens {
  write(token: ConfirmationToken): string
  /** Reads expired tokens too. @returns null for anything that is not a token of ours */
  read(text: string): ConfirmationToken | null
}

const VERSION = 1
const END_BYTES = 5
const CONTENT_BYTES = 1 + 2 * ID_BYTES + END_BYTES
const MAC_BYTES = 16
const SHAPE = /^[A-Za-z0-9_-]{72}$/

export function confirmationTokens(secrets: Secrets): ConfirmationTokens {
  const sign = secrets.signer('contact confirmation')
  const isOurs = (content: Buffer, mac: Buffer): boolean =>
    sign.all(content).some((one) => sameSecret(mac, one.subarray(0, MAC_BYTES)))
  return {
    write: ({ accountId, contactId, endsAt }) => {
      const end = Buffer.alloc(END_BYTES)
      end.writeUIntBE(Math.floor(endsAt.getTime() / 1_000), 0, END_BYTES)
      const content = Buffer.concat([Buffer.of(VERSION), bytesOfId(accountId), bytesOfId(contactId), end])
      return Buffer.concat([content, sign(content).subarray(0, MAC_BYTES)]).toString('base64url')
    },
    read: (text) => {
      if (!SHAPE.test(text)) return null
      const bytes = Buffer.from(text, 'base64url')
      const content = bytes.subarray(0, CONTENT_BYTES)
      if (!isOurs(content, bytes.subarray(CONTENT_BYTES)) || content[0] !== VERSION) return null
      return {
        accountId: idOfBytes(content, 1),
        contactId: idOfBytes(content, 1 + ID_BYTES),
        endsAt: new Date(content.readUIntBE(1 + 2 * ID_BYTES, END_BYTES) * 1_000),
      }
    },
  }
}
