// Settings that contradict one another, or miss the half without which they mean nothing.

import { isIP } from 'node:net'
import { canonicalAddress } from './platform/addresses.ts'

export interface Halves {
  readonly tlsCertFile: string | null
  readonly tlsKeyFile: string | null
  readonly relayUser: string | null
  readonly relayPassword: string | null
  readonly sourceIps: readonly string[]
  readonly bulkSourceIps: readonly string[]
  readonly warmUpIps: readonly NewAddress[]
}

/** A source address without a reputation, and the first day of its warm-up (`YYYY-MM-DD`). */
export interface NewAddress {
  readonly address: string
  readonly day: string
}

export interface Listening {
  readonly bind: string
  readonly httpHost: string | null
  readonly httpPort: number
  readonly httpsPort: number | null
  readonly submissionPorts: readonly number[]
  readonly submissionTlsPorts: readonly number[]
  readonly mxPort: number
  readonly roles: readonly string[]
}

/** Settings that are given without the other half that they need. */
export function missingHalves(settings: Halves): readonly string[] {
  const { tlsCertFile, tlsKeyFile, relayUser, relayPassword, sourceIps, bulkSourceIps } = settings
  const pairs = [
    ['POSTHORN_TLS_CERT_FILE', tlsCertFile, 'POSTHORN_TLS_KEY_FILE', tlsKeyFile],
    ['POSTHORN_RELAY_USER', relayUser, 'POSTHORN_RELAY_PASSWORD', relayPassword],
  ] as const
  const halves = pairs.flatMap(([one, first, other, second]) => {
    if ((first === null) === (second === null)) return []
    return [first === null ? `${other} needs ${one}` : `${one} needs ${other}`]
  })
  // The system could choose an address of the bulk mail for other mail.
  if (bulkSourceIps.length === 0 || sourceIps.length > 0) return halves
  return [...halves, 'POSTHORN_BULK_SOURCE_IPS needs POSTHORN_SOURCE_IPS']
}

/** Addresses that would carry both kinds of mail although they are listed apart. */
export function sharedAddresses({ sourceIps, bulkSourceIps }: Halves): readonly string[] {
  const both = sourceIps.filter((address) =>
    bulkSourceIps.some((other) => canonicalAddress(other) === canonicalAddress(address)),
  )
  return both.map((address) => `POSTHORN_SOURCE_IPS and POSTHORN_BULK_SOURCE_IPS both have ${address}`)
}

/** New source addresses that are not listed, and lists without another address of the family, to which mail could go meanwhile. */
export function warmUpFaults({ sourceIps, bulkSourceIps, warmUpIps }: Halves): readonly string[] {
  const fresh = new Set(warmUpIps.map(({ address }) => canonicalAddress(address)))
  const isNew = (address: string): boolean => fresh.has(canonicalAddress(address))
  const lists = [
    ['POSTHORN_SOURCE_IPS', sourceIps],
    ['POSTHORN_BULK_SOURCE_IPS', bulkSourceIps],
  ] as const
  const listed = new Set([...sourceIps, ...bulkSourceIps].map(canonicalAddress))
  const absent = [...fresh].filter((address) => !listed.has(address))
  const alone = lists.flatMap(([name, list]) =>
    [4, 6].flatMap((family) => {
      const of = list.filter((address) => isIP(address) === family)
      return of.length > 0 && of.every(isNew) ? [`${name} has no IPv${family} address but new ones`] : []
    }),
  )
  return [
    ...absent.map((address) => `POSTHORN_WARM_UP_IPS has ${address}, which is in no list of source addresses`),
    ...alone.map((fault) => `${fault} (POSTHORN_WARM_UP_IPS): another must carry what they may not yet`),
  ]
}

/** Pairs of listeners of the active roles that share an address and port. */
export function sharedPorts(settings: Listening): readonly string[] {
  const { bind, httpHost, httpPort, httpsPort } = settings
  const has = (...wanted: readonly string[]): boolean => wanted.some((role) => settings.roles.includes(role))
  const web = httpHost ?? bind
  const isReached = has('api', 'tracking')
  const listeners: readonly (readonly [setting: string, host: string, ports: readonly (number | null)[]])[] = [
    // A process that serves only health does without the port when it is taken.
    ['POSTHORN_HTTP_PORT', web, isReached ? [httpPort] : []],
    ['POSTHORN_HTTPS_PORT', web, isReached ? [httpsPort] : []],
    ['POSTHORN_SUBMISSION_PORT', bind, has('submission') ? settings.submissionPorts : []],
    ['POSTHORN_SUBMISSION_TLS_PORT', bind, has('submission') ? settings.submissionTlsPorts : []],
    ['POSTHORN_MX_PORT', bind, has('mx') ? [settings.mxPort] : []],
  ]
  return listeners.flatMap(([setting, at, ports], index) =>
    listeners.slice(index + 1).flatMap(([other, otherAt, others]) => {
      const port = overlap(at, otherAt) ? ports.find((one) => one && others.includes(one)) : null
      return port == null ? [] : [`${setting} and ${other} are both ${port}`]
    }),
  )
}

/** Whether listeners at these hosts cannot have the same port. `::` takes IPv4 as well. */
function overlap(host: string, other: string): boolean {
  const has = (wildcard: string, one: string): boolean =>
    wildcard === '::' || (wildcard === '0.0.0.0' && (isIP(one) === 4 || one === '::'))
  return host === other || has(host, other) || has(other, host)
}
