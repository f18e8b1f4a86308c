// Return paths that identify the email a report is about: `b+<token>@<host>` (VERP). Anyone can write to such an address, so
// the token is signed: email id (16 bytes) | first 12 bytes of the account id | MAC (10 bytes), in base32. Receivers fold
// case, so reading does too. The local part has 63 of the 64 characters that RFC 5321 section 4.5.3.1.1 allows. That is why
// it has only a prefix of the account id: 48 bits of time and 42 random bits, which select a range of the primary key.
//
// `fbl+<name>.<MAC>@<host>` receives the complaints of one provider. Nobody else knows the address, so mail to it comes from
// that provider.
//
// `u+<token>@<host>` is the same for unsubscribe mail; its MAC uses a separate key.

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const RETURN = 'b+'
const UNSUBSCRIBE = 'u+'
const FEEDBACK = 'fbl+'
/** Longer than the data that a token signs, so that no signature is valid for both. */
const FEEDBACK_SIGNED = 'the address of a feedback loop: '
const FEEDBACK_NAME = /^[a-z0-9][a-z0-9-]{0,29}$/
const EMAIL_BYTES = 16
const ACCOUNT_BYTES = 12
const MAC_BYTES = 10
const TOKEN_BYTES = EMAIL_BYTES + ACCOUNT_BYTES + MAC_BYTES

/** HMAC-SHA-256 with the key for this purpose; at least 10 bytes. */
export interface VerpMac {
  (text: Buffer): Buffer
  /** One MAC for every key that may have signed addresses. Absent when there is only one key. */
  all?(text: Buffer): readonly Buffer[]
}

export interface VerpIds {
  readonly emailId: string
  /** The account id lies between these two, inclusive. */
  readonly firstAccountId: string
  readonly lastAccountId: string
}

/** @returns `b+<token>@<host>` */
export function returnPath(mac: VerpMac, emailId: string, accountId: string, host: string): string {
  return `${RETURN}${tokenOf(mac, emailId, accountId)}@${host}`
}

/** @returns `u+<token>@<host>`, which requests no more mail when written to */
export function unsubscribeAddress(mac: VerpMac, emailId: string, accountId: string, host: string): string {
  return `${UNSUBSCRIBE}${tokenOf(mac, emailId, accountId)}@${host}`
}

/**
 * @param name of the provider: 1 to 30 of a-z, 0-9 and hyphens, not beginning with a hyphen
 * @returns `fbl+<name>.<MAC>@<host>`; null when the name is not valid
 */
export function feedbackAddress(mac: VerpMac, name: string, host: string): string | null {
  return FEEDBACK_NAME.test(name) ? `${FEEDBACK}${name}.${feedbackMac(mac, name)}@${host}` : null
}

/** @returns the provider that the address belongs to; null when it is not one of ours */
export function readFeedbackAddress(mac: VerpMac, localPart: string): string | null {
  const folded = localPart.toLowerCase()
  const dot = folded.lastIndexOf('.')
  const name = folded.slice(FEEDBACK.length, Math.max(0, dot))
  if (!folded.startsWith(FEEDBACK) || !FEEDBACK_NAME.test(name)) return null
  const given = Buffer.from(folded.slice(dot + 1))
  const macs = allOf(mac, Buffer.from(FEEDBACK_SIGNED + name))
  return macs.some((one) => equal(Buffer.from(feedbackText(one)), given)) ? name : null
}

function feedbackMac(mac: VerpMac, name: string): string {
  return feedbackText(mac(Buffer.from(FEEDBACK_SIGNED + name)))
}

function feedbackText(mac: Buffer): string {
  return base32(mac.subarray(0, MAC_BYTES))
}

function allOf(mac: VerpMac, text: Buffer): readonly Buffer[] {
  return mac.all?.(text) ?? [mac(text)]
}

function tokenOf(mac: VerpMac, emailId: string, accountId: string): string {
  const named = Buffer.concat([bytesOf(emailId), bytesOf(accountId).subarray(0, ACCOUNT_BYTES)])
  return base32(Buffer.concat([named, mac(named).subarray(0, MAC_BYTES)]))
}

/**
 * @param localPart the part before the `@`, in any case
 * @returns null when it is not one of ours
 */
export function readReturnPath(mac: VerpMac, localPart: string): VerpIds | null {
  return readToken(mac, RETURN, localPart)
}

/** Like `readReturnPath`, for the addresses of `unsubscribeAddress`. */
export function readUnsubscribeAddress(mac: VerpMac, localPart: string): VerpIds | null {
  return readToken(mac, UNSUBSCRIBE, localPart)
}

function readToken(mac: VerpMac, prefix: string, localPart: string): VerpIds | null {
  const folded = localPart.toLowerCase()
  const token = folded.startsWith(prefix) ? fromBase32(folded.slice(prefix.length)) : null
  if (token === null) return null
  const named = token.subarray(0, EMAIL_BYTES + ACCOUNT_BYTES)
  const given = token.subarray(EMAIL_BYTES + ACCOUNT_BYTES)
  if (!allOf(mac, named).some((one) => equal(one.subarray(0, MAC_BYTES), given))) return null
  const account = named.toString('hex', EMAIL_BYTES)
  return {
    emailId: dashed(named.toString('hex', 0, EMAIL_BYTES)),
    firstAccountId: dashed(account.padEnd(32, '0')),
    lastAccountId: dashed(account.padEnd(32, 'f')),
  }
}

/** Compares in constant time, wherever the two differ. */
function equal(a: Buffer, b: Buffer): boolean {
  let differing = a.length ^ b.length
  for (const [index, byte] of a.entries()) differing |= byte ^ (b[index] ?? 0)
  return differing === 0
}

function bytesOf(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex')
  if (bytes.length !== EMAIL_BYTES) throw new TypeError('not a UUID')
  return bytes
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function base32(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((value >> bits) & 31)
    }
  }
  return bits === 0 ? text : text + ALPHABET.charAt((value << (5 - bits)) & 31)
}

const TOKEN_CHARS = Math.ceil((TOKEN_BYTES * 8) / 5)

function fromBase32(text: string): Buffer | null {
  if (text.length !== TOKEN_CHARS) return null
  const bytes = Buffer.alloc(TOKEN_BYTES)
  let length = 0
  let bits = 0
  let value = 0
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter)
    if (digit === -1) return null
    value = ((value << 5) | digit) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = (value >> bits) & 0xff
  }
  // Unused bits must be zero, so that each token has exactly one spelling.
  return (value & ((1 << bits) - 1)) === 0 ? bytes : null
}
