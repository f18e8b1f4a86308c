// Self-signed certificates for test servers, written in DER by hand so that no program is called (RFC 5280).

import { generateKeyPairSync, sign } from 'node:crypto'

export interface TestCertificate {
  readonly key: string
  readonly cert: string
}

export interface CertificateOptions {
  readonly names?: readonly string[]
  /** Default: 2020 to 2049. */
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** An ECDSA P-256 certificate for `names`, its own issuer. */
export function selfSigned({ names = ['localhost'], notBefore, notAfter }: CertificateOptions = {}): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'))
  const name = sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(names[0] ?? 'localhost')))))
  const validity = sequence(utcTime(notBefore ?? new Date('2020-01-01')), utcTime(notAfter ?? new Date('2049-01-01')))
  const alternativeNames = sequence(...names.map((dns) => tag(0x82, Buffer.from(dns))))
  const extensions = tag(0xa3, sequence(sequence(oid('551d11'), tag(0x04, alternativeNames))))
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1])),
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
