// The instance's certificate: the operator's, or a self-signed one made at the first start and kept in the data
// directory. It is written in DER by hand, so no external program is called (RFC 5280). It is made again when the host
// name has changed or when it is about to expire. Key and certificate share one file, so a crash cannot separate them.

import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import { replaceFile } from '../files/data-folder.ts'

/** Both in PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

export interface InstanceCertificateOptions {
  readonly certFile: string | null
  readonly keyFile: string | null
  readonly dataDir: string
  /** Names of a self-signed certificate, the main one first. */
  readonly names: readonly string[]
  readonly now: Date
  /** The one in use, which goes on when the file of the self-signed one is missing: the folder may be unmounted for a while. */
  readonly present?: Certificate | null
  /** False: a newly made self-signed certificate is not stored, for callers that only look. Default: true. */
  readonly keeps?: boolean
}

const SELF_SIGNED_FILE = 'self-signed.pem'
const SELF_SIGNED_MS = 10 * 365 * 86_400_000
const RENEW_BEFORE_MS = 30 * 86_400_000
const A_DAY_MS = 86_400_000

/**
 * @returns null when the operator has set no files
 * @throws Error naming the setting whose file cannot be read, or holds no certificate or another one's key
 */
export async function operatorCertificate({
  certFile,
  keyFile,
}: Pick<InstanceCertificateOptions, 'certFile' | 'keyFile'>): Promise<Certificate | null> {
  if (certFile === null && keyFile === null) return null
  if (certFile === null || keyFile === null)
    throw new Error('set both POSTHORN_TLS_CERT_FILE and POSTHORN_TLS_KEY_FILE: a certificate needs its key')
  // One after the other: when neither can be read, the certificate is always the one named.
  const cert = await readFile(certFile, 'utf8').catch(blame('POSTHORN_TLS_CERT_FILE', 'cannot be read'))
  const key = await readFile(keyFile, 'utf8').catch(blame('POSTHORN_TLS_KEY_FILE', 'cannot be read'))
  assertPair({ cert, key })
  return { cert, key }
}

/** @throws the errors of `operatorCertificate` */
export async function instanceCertificate(options: InstanceCertificateOptions): Promise<Certificate> {
  const { dataDir, names, now, present = null, keeps = true } = options
  const given = await operatorCertificate(options)
  if (given !== null) return given
  const file = path.join(dataDir, SELF_SIGNED_FILE)
  const known = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return null
    // A new one in its place would be another for everyone who trusts it.
    throw new Error('the self-signed certificate cannot be read', { cause })
  })
  const kept = known === null ? present : bothIn(known)
  if (kept !== null && isGood(kept, names, now)) return kept
  const made = selfSigned({
    names,
    notBefore: new Date(now.getTime() - A_DAY_MS),
    notAfter: new Date(now.getTime() + SELF_SIGNED_MS),
  })
  if (!keeps) return made
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await replaceFile(file, made.cert + made.key)
  return made
}

/** @throws Error naming the setting that is at fault */
export function assertPair({ cert, key }: Certificate): void {
  const certificate = parsed(() => new X509Certificate(cert), 'POSTHORN_TLS_CERT_FILE', 'contains no PEM certificate')
  const secret = privateKey(key)
  if (!certificate.checkPrivateKey(secret))
    throw new Error('POSTHORN_TLS_KEY_FILE: the key does not match the certificate')
  // The TLS library refuses more than that: a key that is too small, a digest that is too weak.
  parsed(
    () => createSecureContext({ cert, key }),
    'POSTHORN_TLS_CERT_FILE',
    'contains a certificate that is too weak for TLS',
  )
}

function privateKey(key: string): KeyObject {
  try {
    return createPrivateKey(key)
  } catch (cause) {
    // Checked by its label: OpenSSL only says that it got no passphrase, worded differently in each version.
    const isEncrypted = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key)
    const fault = isEncrypted ? 'contains an encrypted key: remove its passphrase' : 'contains no PEM private key'
    return blame('POSTHORN_TLS_KEY_FILE', fault)(cause)
  }
}

function parsed<T>(parse: () => T, setting: string, fault: string): T {
  try {
    return parse()
  } catch (cause) {
    return blame(setting, fault)(cause)
  }
}

function blame(setting: string, fault: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(`${setting}: the file ${fault}`, { cause })
  }
}

function bothIn(pem: string): Certificate | null {
  const cert = /-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----\n/.exec(pem)?.[0]
  const key = /-----BEGIN PRIVATE KEY-----[^]+?-----END PRIVATE KEY-----\n/.exec(pem)?.[0]
  return cert === undefined || key === undefined ? null : { cert, key }
}

function isGood({ cert }: Certificate, names: readonly string[], now: Date): boolean {
  const read = new X509Certificate(cert)
  const fresh = read.validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS
  return fresh && names.every((name) => read.checkHost(name) !== undefined)
}

export interface CertificateOptions {
  readonly names?: readonly string[]
  /** Default: 2020 to 2049. */
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** An ECDSA P-256 certificate for `names`, signed by itself. */
export function selfSigned({ names = ['localhost'], notBefore, notAfter }: CertificateOptions = {}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'))
  const name = sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(names[0] ?? 'localhost')))))
  const validity = sequence(utcTime(notBefore ?? new Date('2020-01-01')), utcTime(notAfter ?? new Date('2049-01-01')))
  const alternativeNames = sequence(...names.map((dns) => tag(0x82, Buffer.from(dns))))
  const extensions = tag(0xa3, sequence(sequence(oid('551d11'), tag(0x04, alternativeNames))))
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  )
  const signature = sign('sha256', body, privateKey)
  const der = sequence(body, ecdsaSha256, tag(0x03, Buffer.from([0]), signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  }
}

function tag(number: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([number, ...length]), content])
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tag(0x30, ...contents)
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: Buffer): Buffer {
  return tag(0x02, value)
}

function utcTime(at: Date): Buffer {
  return tag(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`))
}
