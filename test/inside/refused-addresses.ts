// Runs in its own network namespace, where every address of the list below is local and has a listener. Sends a request to
// each, in every spelling, through the connector. Prints as JSON the answers and the number of connections at each address.

import { execFileSync } from 'node:child_process'
import net from 'node:net'
import { connector } from '../../src/platform/network/connect.ts'
import { declaredZones } from '../world/zones.ts'

const PUBLIC = ['93.184.216.34', '2606:2800:220:1::1']
const OWN_PUBLIC = '185.199.108.153'
const REFUSED = [
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.254',
  '192.0.0.192',
  '192.0.2.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '240.0.0.1',
  'fc00::1',
  'fd00:ec2::254',
  '64:ff9b::7f00:1',
  '2002:7f00:1::1',
  '2001::1',
  '2001:db8::1',
  '5f00::1',
  'fec0::1',
]
/** Other spellings and names of the addresses above or of loopback. */
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.8.8.8',
  '0177.0.0.1',
  '2130706433',
  '0x7f000001',
  '①②⑦.⓪.⓪.①',
  '0',
  'localhost',
  'localhost.',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '10.66051',
  'metadata.google.internal',
  'private.test',
  'private6.test',
  'mixed.test',
  'alias.test',
]

const sh = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] })
sh('link', 'set', 'lo', 'up')
for (const address of [...REFUSED, ...PUBLIC, OWN_PUBLIC]) {
  sh(
    'addr',
    'add',
    `${address}/${address.includes(':') ? 128 : 32}`,
    'dev',
    'lo',
    ...(address.includes(':') ? ['nodad'] : []),
  )
}

const heard = new Map<string, number>()
for (const port of [443, 8443]) {
  const server = net.createServer((socket) => {
    const local = (socket.localAddress ?? '').replace(/^::ffff:/, '')
    heard.set(local, (heard.get(local) ?? 0) + 1)
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => server.listen(port, '::', resolve))
}

let turn = 0
const zones = {
  'metadata.google.internal': { A: ['169.254.169.254'] },
  'private.test': { A: ['10.1.2.3'] },
  'private6.test': { AAAA: ['::1'] },
  'mixed.test': { A: ['93.184.216.34', '10.1.2.3'] },
  'alias.test': { CNAME: ['private.test'] },
  // Public for one request, loopback for the next; each request looks up both address families.
  'rebinding.test': () => ({ A: [Math.floor(turn++ / 2) % 2 === 0 ? '93.184.216.34' : '127.0.0.1'], ttl: 0 }),
  'own.test': { A: [OWN_PUBLIC] },
}
const made = connector({
  resolver: declaredZones(zones),
  allowPrivate: false,
  own: { hosts: ['own.test'], addresses: () => [] },
})
const ask = async (host: string): Promise<string> => {
  const outcome = await made.request({
    method: 'POST',
    url: `https://${host}/`,
    headers: {},
    body: Buffer.from('{}'),
    timeoutMs: 3_000,
    tenant: 'a',
  })
  return outcome.kind === 'failed' ? outcome.failure : 'answered'
}
const answers: Record<string, string> = {}
const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address)
for (const host of [...REFUSED.map(bracketed), ...SPELLINGS, 'own.test', OWN_PUBLIC]) {
  answers[host] = await ask(host)
  answers[`${host}:8443`] = await ask(`${host}:8443`)
}
const whenRefused = Object.fromEntries(heard)
for (let i = 0; i < 6; i++) answers[`rebinding ${i}`] = await ask('rebinding.test')
const whenRebinding = Object.fromEntries(heard)
for (const address of PUBLIC) answers[`public ${address}`] = await ask(bracketed(address))
await made.close()
console.log(JSON.stringify({ answers, whenRefused, whenRebinding, heard: Object.fromEntries(heard) }))
process.exit(0)
