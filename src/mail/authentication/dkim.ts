// DKIM signatures (RFC 6376, RFC 8301, RFC 8463): relaxed/relaxed, RSA-2048 with SHA-256, Ed25519 as a second signature.
//
// h= lists each name below once more than the message has it, so that a field added later breaks the signature (RFC 6376
// section 8.15). The names include List-Unsubscribe and List-Unsubscribe-Post, as RFC 8058 asks. A signature never has `l=`,
// which would let anyone append to the body, and always has `t=` and `x=`. All signatures of a message share one body hash,
// and none covers another.
//
// RSA runs in the thread pool (asynchronous `crypto.sign` with a key object parsed once): it is nearly all of the cost of a
// message.

import { createHash, createPublicKey, generateKeyPair, type KeyObject, sign as signBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { parseHeaderBlock, type RawField } from '../mime/headers.ts'

const OVERSIGNED = [
  'From',
  'To',
  'Cc',
  'Subject',
  'Date',
  'Message-ID',
  'Reply-To',
  'In-Reply-To',
  'References',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'Feedback-ID',
  'CFBL-Address',
  'CFBL-Feedback-ID',
].map((name) => ({ name, key: name.toLowerCase() }))

const LINE = 78
const SP = 0x20
const TAB = 0x09
const CR = 0x0d
const LF = 0x0a

export interface Signer {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256'
}

export interface SignOptions {
  readonly signedAt: Date
  /** Exceeds the longest time a message waits in the queue. */
  readonly expiresAfterSeconds: number
}

/**
 * @param options.domain A-labels
 * @throws TypeError when the key is neither RSA of at least 1024 bits (RFC 8301 section 3.2) nor Ed25519
 */
export function createSigner(options: {
  readonly domain: string
  readonly selector: string
  readonly key: KeyObject
}): Signer {
  const { domain, selector, key } = options
  const type = key.type === 'private' ? key.asymmetricKeyType : undefined
  if (type === 'ed25519') return { domain, selector, key, algorithm: 'ed25519-sha256' }
  if (type !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 1_024) {
    throw new TypeError('a DKIM key is a private RSA key of at least 1024 bits or a private Ed25519 key')
  }
  return { domain, selector, key, algorithm: 'rsa-sha256' }
}

/**
 * Signs a message once for each signer.
 *
 * @param message CRLF line ends, as it will be sent
 * @returns the DKIM-Signature fields, each ended by CRLF, to prepend to the message
 */
export async function sign(message: Buffer, signers: readonly Signer[], options: SignOptions): Promise<Buffer> {
  const { fields, bodyStart } = parseHeaderBlock(message)
  const bodyHash = hashBody(message.subarray(bodyStart))
  const signed = { ...options, ...signedHeaders(message, fields), bodyHash }
  const signatures = await Promise.all(signers.map((signer) => signatureField(signer, signed)))
  return Buffer.from(signatures.join(''), 'latin1')
}

interface Signed extends SignOptions {
  readonly names: readonly string[]
  /** The relaxed fields, in the order of `names`. */
  readonly headers: Buffer
  readonly bodyHash: string
}

async function signatureField(signer: Signer, signed: Signed): Promise<string> {
  const at = Math.floor(signed.signedAt.getTime() / 1_000)
  const lastName = signed.names.length - 1
  const { folded, relaxed } = foldTags([
    'v=1;',
    `a=${signer.algorithm};`,
    'c=relaxed/relaxed;',
    `d=${signer.domain};`,
    `s=${signer.selector};`,
    `t=${at};`,
    `x=${at + signed.expiresAfterSeconds};`,
    ...signed.names.map((name, index) => `${index === 0 ? 'h=' : ''}${name}${index === lastName ? ';' : ':'}`),
    `bh=${signed.bodyHash};`,
    'b=',
  ])
  // RFC 6376 section 3.7: the signature field itself is hashed last, with an empty b= and without its line end.
  const signature = await signBuffer(signer, Buffer.concat([signed.headers, Buffer.from(relaxed, 'latin1')]))
  return `${folded}${foldSignature(signature, folded.length - folded.lastIndexOf('\n') - 1)}\r\n`
}

function signBuffer({ key, algorithm }: Signer, bytes: Buffer): Promise<string> {
  // RFC 8463 section 3: Ed25519 signs the SHA-256 of the text, not the text.
  const [digest, data] =
    algorithm === 'ed25519-sha256' ? [null, createHash('sha256').update(bytes).digest()] : ['sha256', bytes]
  return new Promise((resolve, reject) => {
    signBytes(digest, data, key, (error, signature) => {
      if (error === null) resolve(signature.toString('base64'))
      else reject(error)
    })
  })
}

/** @returns the field folded, and as it is signed: relaxed, with its name in lower case */
function foldTags(tags: readonly string[]): { readonly folded: string; readonly relaxed: string } {
  let folded = 'DKIM-Signature:'
  let relaxed = 'dkim-signature:'
  let column = folded.length
  let inNames = false
  let isFirst = true
  for (const tag of tags) {
    // The names in h= have no blanks between them; a line may be folded after each colon.
    const blank = inNames && column + tag.length <= LINE ? '' : ' '
    if (column + blank.length + tag.length > LINE) {
      folded += '\r\n'
      column = 0
    }
    folded += blank + tag
    relaxed += isFirst ? tag : blank + tag
    column += blank.length + tag.length
    inNames = tag.endsWith(':')
    isFirst = false
  }
  return { folded, relaxed }
}

function foldSignature(signature: string, column: number): string {
  let out = signature.slice(0, LINE - column)
  for (let at = LINE - column; at < signature.length; at += LINE - 1) {
    out += `\r\n ${signature.slice(at, at + LINE - 1)}`
  }
  return out
}

/** RFC 6376 section 5.4.2: among fields of the same name, the last is signed first. */
function signedHeaders(message: Buffer, fields: readonly RawField[]): Pick<Signed, 'names' | 'headers'> {
  const names: string[] = []
  // Relaxing only adds a CR where a line ends in a bare LF.
  const out = Buffer.allocUnsafe((fields.at(-1)?.end ?? 0) + 2 * fields.length)
  let at = 0
  for (const { name, key } of OVERSIGNED) {
    for (let index = fields.length - 1; index >= 0; index--) {
      const field = fields[index]
      if (field === undefined || field.key !== key) continue
      names.push(name)
      at = writeRelaxed(message, field, out, at)
    }
    names.push(name)
  }
  return { names, headers: out.subarray(0, at) }
}

/**
 * Writes a field in relaxed form (RFC 6376 section 3.4.2): the name in lower case, the value unfolded, its blanks collapsed to
 * one space and stripped at both ends.
 *
 * @returns where `out` goes on
 */
function writeRelaxed(message: Buffer, { key, valueStart, end }: RawField, out: Buffer, start: number): number {
  let to = start + out.write(`${key}:`, start, 'latin1')
  let isBlankDue = false
  const first = to
  for (let at = valueStart; at < end; at++) {
    const byte = message[at] as number
    if (byte === SP || byte === TAB) isBlankDue = to > first
    else if (byte !== LF && !(byte === CR && message[at + 1] === LF)) {
      if (isBlankDue) out[to++] = SP
      isBlankDue = false
      out[to++] = byte
    }
  }
  out[to++] = CR
  out[to++] = LF
  return to
}

/**
 * The body hash: SHA-256 of the relaxed body (RFC 6376 section 3.4.4), in base64.
 *
 * A body that is already relaxed is hashed as it is; any other is first copied in relaxed form, in one pass.
 */
export function hashBody(body: Buffer): string {
  const hash = createHash('sha256')
  const end = contentEnd(body)
  if (end > 0) {
    if (isRelaxed(body, end)) hash.update(body.subarray(0, end))
    else hash.update(relaxBody(body, end))
    hash.update('\r\n')
  }
  return hash.digest('base64')
}

/** End of the last non-empty line, without trailing blanks and line ends; 0 for a body without one. */
function contentEnd(body: Buffer): number {
  let end = body.length
  for (;;) {
    const byte = body[end - 1]
    if (byte === SP || byte === TAB) end--
    else if (byte === LF && body[end - 2] === CR) end -= 2
    else return end
  }
}

/** Most bodies need no change, which three native searches establish. */
function isRelaxed(body: Buffer, end: number): boolean {
  const text = body.subarray(0, end)
  return !text.includes(TAB) && !text.includes('  ', 0, 'latin1') && !text.includes(' \r\n', 0, 'latin1')
}

function relaxBody(body: Buffer, end: number): Buffer {
  const out = Buffer.allocUnsafe(end)
  let to = 0
  for (let at = 0; at < end; at++) {
    const byte = body[at] as number
    if (byte !== SP && byte !== TAB) {
      out[to++] = byte
      continue
    }
    while (body[at + 1] === SP || body[at + 1] === TAB) at++
    if (body[at + 1] !== CR || body[at + 2] !== LF) out[to++] = SP
  }
  return out.subarray(0, to)
}

export interface DkimKeys {
  /** PKCS#8 PEM. */
  readonly privateKey: string
  /** The value of the record's `p=`. */
  readonly publicKey: string
}

const makeKeyPair = promisify(generateKeyPair)

/** Generates a key pair: RSA-2048 (about 100 ms in the thread pool) or Ed25519. */
export async function generateDkimKeys(type: 'rsa' | 'ed25519' = 'rsa'): Promise<DkimKeys> {
  const { privateKey } =
    type === 'rsa' ? await makeKeyPair('rsa', { modulusLength: 2_048 }) : await makeKeyPair('ed25519')
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: publicKeyOf(privateKey),
  }
}

/** The value of `p=` for a key: SubjectPublicKeyInfo for RSA (common practice), the bare 32 bytes for Ed25519. */
export function publicKeyOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return (key.asymmetricKeyType === 'ed25519' ? der.subarray(-32) : der).toString('base64')
}
