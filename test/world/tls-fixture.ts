// Shared by the tests of TLS towards receivers: a domain with a policy, nodes that honour it, and a declared validating
// resolver.

import { createHash, X509Certificate } from 'node:crypto'
import type { Delivery } from '../../src/modules/delivery/index.ts'
import { type Transport, transportOf } from '../../src/modules/transport/index.ts'
import { statement } from '../../src/platform/db.ts'
import type { SecureAnswer, SecureResolver, Tlsa } from '../../src/platform/dns/secure.ts'
import type { Connector } from '../../src/platform/network/connect.ts'
import { selfSigned, type TestCertificate } from './certificate.ts'
import type { Fixture } from './delivery-fixture.ts'

export const DAY_MS = 86_400_000
export const RESULTS = statement('test_session_results', 'select result from transport_session')

export function certificate(names: readonly string[], fromMs = -DAY_MS, toMs = DAY_MS): TestCertificate {
  const now = Date.now()
  return selfSigned({ names, notBefore: new Date(now + fromMs), notAfter: new Date(now + toMs) })
}

export const ZONE = {
  'sts.test': { MX: ['10 mx.sts.test'] },
  'mx.sts.test': { A: ['127.0.0.2'] },
  '_mta-sts.sts.test': { TXT: ['v=STSv1; id=1'] },
  '_smtp._tls.sts.test': { TXT: ['v=TLSRPTv1; rua=mailto:tls@sts.test'] },
}
export const policy = (mode: string, mx = 'mx.sts.test'): string =>
  `version: STSv1\r\nmode: ${mode}\r\nmx: ${mx}\r\nmax_age: 86400\r\n`

export interface Guarded {
  readonly delivery: Delivery
  readonly transport: Transport
}

/** A node that honours receivers' TLS policies. It shares knowledge with other nodes only through the database. */
export function guarded(h: Fixture, connector: Connector, secure: SecureResolver | null = null): Guarded {
  const { database, clock, zones, options } = h
  const onError = (error: unknown): void => void h.logged.push(String(error))
  const common = { database, clock, resolver: zones, connector, onError }
  const transport = transportOf({ ...common, secure, port: options.smtpPort })
  return { transport, delivery: h.another({ transport }) }
}

export type Answers = Readonly<Record<string, SecureAnswer<unknown>>>

function validating(answers: Answers): SecureResolver {
  const of = async (key: string): Promise<SecureAnswer<never>> =>
    (answers[key] ?? { kind: 'none', secure: true }) as SecureAnswer<never>
  return {
    mx: (name) => of(`MX ${name}`),
    addresses: (name) => of(`A ${name}`),
    tlsa: (name) => of(`TLSA ${name}`),
    cname: (name) => of(`CNAME ${name}`),
  }
}

export function keyOf({ cert }: TestCertificate): Tlsa {
  const key = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return { usage: 3, selector: 1, matching: 1, data: createHash('sha256').update(key).digest() }
}

export function signed(h: Fixture, records: readonly Tlsa[], more: Answers = {}): SecureResolver {
  const found = <T>(list: readonly T[], name: string): SecureAnswer<T> => ({
    kind: 'found',
    records: list,
    secure: true,
    name,
  })
  return validating({
    'MX sts.test': found(['mx.sts.test'], 'sts.test'),
    'A mx.sts.test': found(['127.0.0.2'], 'mx.sts.test'),
    [`TLSA _${h.options.smtpPort}._tcp.mx.sts.test`]:
      records.length === 0 ? { kind: 'none', secure: true } : found(records, ''),
    ...more,
  })
}
