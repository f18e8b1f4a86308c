// Signed zones, and Debian's unbound, which validates them from one trust anchor.

import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, freePort, type Running, run, start, waitFor } from './fixture.ts'

export interface ZoneKey {
  /** The DNSKEY record with its zone name: a trust anchor. */
  readonly anchor: string
  /** The DS records for the parent zone, with absolute names. */
  readonly ds: readonly string[]
  /** Signs the zone file in place. @param dates `-s` and `-e` of dnssec-signzone, for signatures of another time */
  sign(file: string, dates?: readonly string[]): Promise<void>
}

/** Makes the only key of a zone. */
export async function zoneKey(folder: string, zone: string): Promise<ZoneKey> {
  const name = (await run('dnssec-keygen', ['-q', '-K', folder, '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone])).trim()
  const file = path.join(folder, name)
  const anchor = (await readFile(`${file}.key`, 'utf8')).split('\n').find((line) => /^[^;]/.test(line)) ?? ''
  return {
    anchor,
    ds: (await run('dnssec-dsfromkey', ['-2', file])).trim().split('\n'),
    sign: async (zoneFile, dates = []) => {
      const signed = `${zoneFile}.signed`
      // One key for everything (-z), found by its name (-S), without verification afterwards (-P).
      const args = ['-z', '-S', '-P', '-K', folder, '-d', folder, '-o', zone, ...dates, '-f', signed, zoneFile]
      await run('dnssec-signzone', args)
      await rename(signed, zoneFile)
    },
  }
}

export interface Unbound extends AsyncDisposable {
  /** `host:port`, as for POSTHORN_DNSSEC_SERVERS. */
  readonly server: string
}

export interface UnboundOptions {
  readonly folder: string
  /** Port of the server of the zones. */
  readonly authority: number
  readonly zones: readonly string[]
  readonly anchors: readonly string[]
}

/** A validating resolver that asks only this authority, runs as its own user, and caches failures for a second. */
export async function startUnbound({ folder, authority, zones, anchors }: UnboundOptions): Promise<Unbound> {
  const port = await freePort()
  const anchorFile = path.join(folder, 'anchors')
  await writeFile(anchorFile, `${anchors.join('\n')}\n`)
  const conf = path.join(folder, 'unbound.conf')
  const stubs = zones.map((zone) => `stub-zone:\n  name: "${zone}."\n  stub-addr: 127.0.0.1@${authority}\n`)
  await writeFile(
    conf,
    `server:
  interface: 127.0.0.1
  port: ${port}
  username: "unbound"
  chroot: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  do-daemonize: no
  do-ip6: no
  num-threads: 1
  do-not-query-localhost: no
  local-zone: "test." nodefault
  module-config: "validator iterator"
  trust-anchor-file: "${anchorFile}"
  trust-anchor-signaling: no
  val-log-level: 2
  val-bogus-ttl: 1
  cache-max-ttl: 1
  cache-max-negative-ttl: 1
remote-control:
  control-enable: no
${stubs.join('')}`,
  )
  const unbound: Running = start('unbound', ['-d', '-c', conf])
  await waitFor('unbound', async () => {
    if (unbound.child.exitCode !== null) throw new Error(unbound.said())
    return accepts(port)
  })
  return { server: `127.0.0.1:${port}`, [Symbol.asyncDispose]: () => unbound[Symbol.asyncDispose]() }
}
