// A DNS server over UDP and TCP by RFC 1035, for the zone of zone.ts. A name without any entry does not exist. Values: an
// address for `A`, `10 host` for `MX`, the text for `TXT`, a name for `CNAME`.

import dgram from 'node:dgram'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { act } from './actor.ts'
import { type Zone, zoneOf } from './zone.ts'

interface Settings {
  readonly ledger: string
  readonly zone: string
  readonly host?: string
  readonly port?: number
}

const TYPES: Readonly<Record<number, string>> = {
  1: 'A',
  2: 'NS',
  5: 'CNAME',
  6: 'SOA',
  15: 'MX',
  16: 'TXT',
  28: 'AAAA',
}
const LATE_MS = 8_000
const MAX_UDP_BYTES = 1_200
const [NO_ERROR, SERVFAIL, NXDOMAIN] = [0, 2, 3]

function nameBytes(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])
}

function dataBytes(type: number, value: string): Buffer {
  switch (TYPES[type] ?? '') {
    case 'A':
      return Buffer.from(value.split('.').map(Number))
    case 'MX': {
      const [preference = '0', host = ''] = value.split(' ')
      return Buffer.concat([Buffer.from([Number(preference) >> 8, Number(preference) & 255]), nameBytes(host)])
    }
    case 'TXT': {
      const strings = value.match(/.{1,255}/gs) ?? ['']
      return Buffer.concat(strings.flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]))
    }
    default:
      return nameBytes(value)
  }
}

interface Question {
  readonly id: Buffer
  readonly name: string
  readonly type: number
  readonly bytes: Buffer
}

function questionOf(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    id: query.subarray(0, 2),
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(12, at + 5),
  }
}

function answerTo({ id, name, type, bytes }: Question, zone: Zone, mostBytes: number): Buffer {
  const typeName = TYPES[type] ?? String(type)
  const own = (asked: string, what: string): readonly string[] => {
    const found = zone[`${asked} ${what}`]
    return Array.isArray(found) ? found : []
  }
  const records: Buffer[] = []
  let at = name
  const add = (owner: string, kind: number, value: string): void => {
    const data = dataBytes(kind, value)
    const head = Buffer.alloc(10)
    head.writeUInt16BE(kind, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(1, 4)
    head.writeUInt16BE(data.length, 8)
    records.push(nameBytes(owner), head, data)
  }
  let count = 0
  for (let hops = 0; hops < 5 && typeName !== 'CNAME'; hops++) {
    const [target] = own(at, 'CNAME')
    if (target === undefined) break
    add(at, 5, target)
    count++
    at = target
  }
  for (const value of own(at, typeName)) {
    add(at, type, value)
    count++
  }
  const exists = Object.keys(zone).some((key) => key.startsWith(`${at} `) || key.split(' ')[0]?.endsWith(`.${at}`))
  const code = zone[name] === 'servfail' ? SERVFAIL : exists || count > 0 ? NO_ERROR : NXDOMAIN
  const whole = Buffer.concat(records)
  const cut = whole.length + bytes.length + 12 > mostBytes
  const flags = Buffer.from([0x84 | (cut ? 2 : 0), 0x80 | (code ?? 0)])
  const counts = Buffer.from([0, 1, 0, cut ? 0 : count, 0, 0, 0, 0])
  return Buffer.concat([id, flags, counts, bytes, ...(cut ? [] : [whole])])
}

await act<Settings>(async ({ zone: file, host = '127.0.0.1', port: wanted = 0 }, ledger) => {
  const reply = (query: Buffer, mostBytes: number, send: (answer: Buffer) => void): void => {
    const question = questionOf(query)
    const zone = zoneOf(file)
    const fault = zone[question.name]
    void ledger.write({ k: 'asked', name: question.name, type: TYPES[question.type] ?? question.type })
    if (fault === 'silent') return
    const answer = answerTo(question, zone, mostBytes)
    if (fault === 'late') setTimeout(() => send(answer), LATE_MS)
    else send(answer)
  }
  const tcp = net.createServer((socket) => {
    let input = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      input = Buffer.concat([input, chunk])
      while (input.length >= 2 && input.length >= 2 + input.readUInt16BE(0)) {
        const end = 2 + input.readUInt16BE(0)
        reply(input.subarray(2, end), 65_535, (answer) => {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(answer.length)
          if (!socket.destroyed) socket.write(Buffer.concat([length, answer]))
        })
        input = input.subarray(end)
      }
    })
  })
  tcp.listen(wanted, host)
  await once(tcp, 'listening')
  const { port } = tcp.address() as AddressInfo
  const udp = dgram.createSocket('udp4')
  udp.on('message', (query, from) => {
    reply(query, MAX_UDP_BYTES, (answer) => udp.send(answer, from.port, from.address))
  })
  udp.bind(port, host)
  await once(udp, 'listening')
  return {
    told: { server: `${host}:${port}` },
    stop: async () => {
      udp.close()
      tcp.close()
    },
  }
})
