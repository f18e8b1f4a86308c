// A BIND on loopback. Its zones can be changed while it runs.

import dgram from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { accepts, freePort, type Running, start, waitFor } from './fixture.ts'

export interface Bind extends AsyncDisposable {
  /** `host:port`, as for POSTHORN_DNS_SERVERS. */
  readonly server: string
  readonly port: number
  /** Replaces the records of a zone. A record is a line such as `www A 127.0.0.1`. */
  publish(zone: string, records: readonly string[]): Promise<void>
}

/** @param finish processes a zone's file before it is served, for example signs it */
export async function startBind(
  folder: string,
  zones: Readonly<Record<string, readonly string[]>>,
  finish: (zone: string, file: string) => Promise<void> = async () => undefined,
): Promise<Bind> {
  const port = await freePort()
  const control = await freePort()
  let serial = 1
  const write = async (zone: string, records: readonly string[]): Promise<void> => {
    const file = path.join(folder, `${zone}.zone`)
    await writeFile(
      file,
      [
        '$TTL 1',
        `@ SOA ns.${zone}. hostmaster.${zone}. ${serial++} 60 60 60 1`,
        '@ NS ns',
        'ns A 127.0.0.1',
        ...records,
        '',
      ].join('\n'),
    )
    await finish(zone, file)
  }
  for (const [zone, records] of Object.entries(zones)) await write(zone, records)
  const conf = path.join(folder, 'named.conf')
  await writeFile(
    conf,
    `options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; pid-file none;
       session-keyfile none; recursion no; allow-query { any; }; dnssec-validation no; minimal-responses yes; };
     controls { inet 127.0.0.1 port ${control} allow { none; }; };
     ${Object.keys(zones)
       .map((zone) => `zone "${zone}" { type master; file "${zone}.zone"; };`)
       .join('\n')}\n`,
  )
  const named: Running = start('named', ['-g', '-c', conf])
  await waitFor('BIND', async () => {
    if (named.child.exitCode !== null) throw new Error(named.said())
    return (await accepts(port)) && answers(port)
  })
  return {
    server: `127.0.0.1:${port}`,
    port,
    publish: async (zone, records) => {
      await write(zone, records)
      const before = named.said().length
      named.child.kill('SIGHUP')
      await waitFor(
        'the zone',
        async () =>
          named.said().slice(before).includes('all zones loaded') || named.said().slice(before).includes('running'),
      )
    },
    [Symbol.asyncDispose]: () => named[Symbol.asyncDispose](),
  }
}

/** Any reply shows that BIND's UDP socket is up. */
async function answers(port: number): Promise<boolean> {
  const socket = dgram.createSocket('udp4')
  try {
    const query = Buffer.from('000100000001000000000000026e73047465737400000100', 'hex')
    return await new Promise<boolean>((resolve) => {
      socket.once('message', () => resolve(true))
      socket.once('error', () => resolve(false))
      setTimeout(() => resolve(false), 300).unref()
      socket.send(Buffer.concat([query, Buffer.from([1])]).subarray(0, 25), port, '127.0.0.1')
    })
  } finally {
    socket.close()
  }
}

/** A TXT record of any length in zone file format: strings of at most 255 bytes. */
export function txt(host: string, value: string): string {
  const strings = value.match(/.{1,255}/gs) ?? ['']
  return `${host} TXT ${strings.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(' ')}`
}
