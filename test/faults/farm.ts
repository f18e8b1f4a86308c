// A farm of receiving mail servers: one SMTP server on several addresses. The first word of a recipient decides its result:
//   ok    accepted                          hard  550 5.1.1 at RCPT
//   slow  accepted, with a 400 ms delay     later 451 at the first attempt, accepted after that
//   leave accepted; its reader unsubscribes
//
// Ledger: `rcpt` for each recipient with its reply code; `dot` for a complete message, written before the reply to it;
// `said` for that reply, written before its bytes leave. `links` are the paths that a reader can open and click.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { act } from './actor.ts'
import type { Ledger } from './ledger.ts'
import { zoneOf } from './zone.ts'

interface Settings {
  readonly ledger: string
  readonly zone: string
  readonly hosts: readonly string[]
  readonly port?: number
}

const SLOW_MS = 400
const VERIFY_EVERY = 8
/** The submitted text, between its marks. */
const MARKED = /BEGIN ([\w-]+)\r?\n([\s\S]*?)\r?\nEND \1/

export interface Seen {
  readonly id: string | null
  readonly account: string | null
  readonly sum: string | null
  readonly messageId: string | null
  readonly bodyHash: string | null
  readonly claimedBodyHash: string | null
  readonly links: { readonly o: readonly string[]; readonly c: readonly string[]; readonly u: readonly string[] }
}

const sha = (text: string | Buffer): string => createHash('sha256').update(text).digest('base64')

/** RFC 6376, relaxed: removes white space at line ends and empty lines at the end; other runs become one space. */
function relaxedBody(body: string): string {
  const text = body
    .replace(/[ \t]+/g, ' ')
    .replace(/ \r\n/g, '\r\n')
    .replace(/(\r\n)*$/, '')
  return text === '' ? '' : `${text}\r\n`
}

export function look(raw: Buffer): Seen {
  const text = raw.toString('latin1')
  const split = text.indexOf('\r\n\r\n')
  const head = text.slice(0, split + 2).replace(/\r\n[ \t]+/g, ' ')
  const body = text.slice(split + 4)
  const header = (name: string): string | null => new RegExp(`^${name}: *(.*?)\\r$`, 'im').exec(head)?.[1] ?? null
  const plain = body.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const marked = MARKED.exec(plain)
  const all = (kind: string): string[] => [
    ...new Set([...`${head}\n${plain}`.matchAll(new RegExp(`/track/${kind}/[\\w-]+`, 'g'))].map(([path]) => path)),
  ]
  return {
    id: marked?.[1] ?? null,
    account: /@([\w-]+)\./.exec(header('From') ?? '')?.[1] ?? null,
    sum: marked?.[2] === undefined ? null : sha(marked[2].replaceAll('\r\n', '\n')),
    messageId: header('Message-ID'),
    bodyHash: sha(Buffer.from(relaxedBody(body), 'latin1')),
    claimedBodyHash: /\bbh=([\w+/=]+)/.exec(header('DKIM-Signature')?.replaceAll(' ', '') ?? '')?.[1] ?? null,
    links: { o: all('o'), c: all('c'), u: all('u') },
  }
}

class Session {
  #input = Buffer.alloc(0)
  #body: Buffer[] | null = null
  #from = ''
  #to: string[] = []
  #chain: Promise<void> = Promise.resolve()
  readonly #socket: Socket
  readonly #ledger: Ledger
  readonly #farm: Farm
  readonly #number: number

  constructor(socket: Socket, ledger: Ledger, farm: Farm) {
    this.#socket = socket
    this.#ledger = ledger
    this.#farm = farm
    this.#number = ++farm.connections
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      this.#input = Buffer.concat([this.#input, chunk])
      this.#chain = this.#chain.then(() => this.#read()).catch(() => void socket.destroy())
    })
    this.#say('220 farm.test ESMTP')
  }

  #say(reply: string): void {
    if (this.#socket.writable) this.#socket.write(`${reply}\r\n`)
  }

  async #read(): Promise<void> {
    for (;;) {
      const end = this.#input.indexOf('\r\n')
      if (end < 0) return
      const line = this.#input.toString('latin1', 0, end)
      const raw = this.#input.subarray(0, end + 2)
      this.#input = this.#input.subarray(end + 2)
      if (this.#body === null) await this.#command(line)
      else if (line !== '.') this.#body.push(line.startsWith('.') ? raw.subarray(1) : raw)
      else await this.#dot(Buffer.concat(this.#body))
    }
  }

  async #command(line: string): Promise<void> {
    const verb = line.slice(0, 4).toUpperCase()
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (verb === 'EHLO')
      this.#say('250-farm.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 SIZE 50000000')
    else if (verb === 'HELO' || verb === 'NOOP') this.#say('250 ok')
    else if (verb === 'RSET') {
      this.#to = []
      this.#say('250 ok')
    } else if (verb === 'MAIL') {
      this.#from = address
      this.#to = []
      this.#say('250 2.1.0 ok')
    } else if (verb === 'RCPT') await this.#recipient(address)
    else if (verb === 'DATA') {
      if (this.#to.length === 0) return this.#say('503 5.5.1 no recipients')
      this.#body = []
      this.#say('354 go on')
    } else if (verb === 'QUIT') {
      this.#say('221 bye')
      this.#socket.end()
    } else this.#say('500 5.5.2 what?')
  }

  async #recipient(address: string): Promise<void> {
    const kind = address.split('-')[0] ?? ''
    const first = !this.#farm.asked.has(address)
    this.#farm.asked.add(address)
    const code = kind === 'hard' ? 550 : kind === 'later' && first ? 451 : 250
    await this.#ledger.write({ k: 'rcpt', c: this.#number, to: address, code })
    if (code === 250) this.#to.push(address)
    this.#say(code === 550 ? '550 5.1.1 no such user' : code === 451 ? '451 4.2.1 not now' : '250 2.1.5 ok')
  }

  async #dot(raw: Buffer): Promise<void> {
    const [from, to] = [this.#from, this.#to]
    this.#body = null
    this.#to = []
    const number = ++this.#farm.messages
    const signed = number % VERIFY_EVERY === 0 ? await this.#farm.verified(raw) : null
    await this.#ledger.write({ k: 'dot', c: this.#number, n: number, from, to, ...look(raw), signed })
    if (to.some((address) => address.startsWith('slow-'))) await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    await this.#ledger.write({ k: 'said', c: this.#number, n: number, code: 250, heard: !this.#socket.destroyed })
    this.#say('250 2.0.0 taken')
  }
}

interface Farm {
  connections: number
  messages: number
  readonly asked: Set<string>
  /** Whether the mail has a DKIM signature and every signature verifies with the keys in the zone. */
  verified(raw: Buffer): Promise<boolean>
}

if (import.meta.main) {
  await act<Settings>(async ({ zone, hosts, port: wanted = 0 }, ledger) => {
    const resolver = async (name: string, type: string): Promise<string[][]> => {
      const found = zoneOf(zone)[`${name.toLowerCase()} ${type}`]
      if (!Array.isArray(found)) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
      return found.map((text: string) => [text])
    }
    const farm: Farm = {
      connections: 0,
      messages: 0,
      asked: new Set(),
      verified: async (raw) => {
        const { results } = await dkimVerify(raw, { resolver })
        return results.length > 0 && results.every(({ status }) => status.result === 'pass')
      },
    }
    let port = wanted
    const servers: net.Server[] = []
    const open = new Set<Socket>()
    for (const host of hosts) {
      const server = net.createServer((socket) => {
        open.add(socket)
        socket.on('close', () => open.delete(socket))
        new Session(socket, ledger, farm)
      })
      server.listen(port, host)
      await once(server, 'listening')
      port = (server.address() as AddressInfo).port
      servers.push(server)
    }
    return {
      told: { port },
      stop: async () => {
        for (const server of servers) server.close()
        for (const socket of open) socket.destroy()
      },
    }
  })
}
