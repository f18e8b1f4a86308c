// The readers of the mail. They follow the receivers' ledger, open some mails, click their link, and unsubscribe the
// recipients whose address starts with `leave-`. Each fetch has a unique name in its User-Agent, which identifies its event.
// A reader does not repeat an open or a click without an answer, but repeats an unsubscribe until it succeeds.
//
// Ledger: `hit` before the fetch, `answered` with its status after it.

import { openSync, readSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { act } from './actor.ts'
import { chanceOf } from './chance.ts'
import type { Line } from './ledger.ts'

interface Settings {
  readonly ledger: string
  readonly farm: string
  /** `http://host:port` */
  readonly url: string
  readonly seed: number
  /** Share of mails that are read. */
  readonly share: number
}

const LOOK_EVERY_MS = 100
const LEAVE_AGAIN_MS = 300
const ANSWER_WITHIN_MS = 10_000
const MOST_AT_ONCE = 20

await act<Settings>(async ({ farm, url, seed, share }, ledger) => {
  const chance = chanceOf(seed)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 })
  const stopped = new AbortController()
  const left = new Set<string>()
  let hits = 0
  let underWay = 0

  const ask = (method: string, path: string, name: string): Promise<number | null> =>
    new Promise((resolve) => {
      const form = 'List-Unsubscribe=One-Click'
      const request = http.request(`${url}${path}`, {
        agent,
        method,
        timeout: ANSWER_WITHIN_MS,
        headers: {
          'user-agent': `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${name}`,
          ...(method === 'POST' && {
            'content-type': 'application/x-www-form-urlencoded',
            'content-length': form.length,
          }),
        },
      })
      request.on('error', () => resolve(null))
      request.on('timeout', () => request.destroy())
      request.on('response', (reply) => {
        reply.resume()
        reply.on('end', () => resolve(reply.statusCode ?? null))
        reply.on('error', () => resolve(null))
      })
      request.end(method === 'POST' ? form : undefined)
    })

  const hit = async (kind: string, mail: Line, path: string): Promise<number | null> => {
    const name = `reader-${seed}-${++hits}`
    await ledger.write({ k: 'hit', name, kind, id: mail['id'], to: mail['to'] })
    const status = await ask(kind === 'leave' ? 'POST' : 'GET', path, name)
    await ledger.write({ k: 'answered', name, kind, id: mail['id'], to: mail['to'], status })
    return status
  }

  const read = async (mail: Line): Promise<void> => {
    await delay(chance.whole(50, 1_500))
    const { o, c, u } = mail['links'] as { o: string[]; c: string[]; u: string[] }
    const leaver = (mail['to'] as string[]).find((address) => address.startsWith('leave-'))
    if (leaver !== undefined && u[0] !== undefined && !left.has(leaver)) {
      left.add(leaver)
      while (!stopped.signal.aborted && (await hit('leave', mail, u[0])) !== 200) await delay(LEAVE_AGAIN_MS)
      return
    }
    if (o[0] !== undefined) await hit('open', mail, o[0])
    if (c[0] !== undefined) await hit('click', mail, c[0])
  }

  const follow = async (): Promise<void> => {
    let fd: number | null = null
    let at = 0
    let rest = ''
    const chunk = Buffer.alloc(1 << 20)
    while (!stopped.signal.aborted) {
      fd ??= openSync(farm, 'r')
      const bytes: number = readSync(fd, chunk, 0, chunk.length, at)
      if (bytes === 0) {
        await delay(LOOK_EVERY_MS)
        continue
      }
      at += bytes
      const lines = (rest + chunk.toString('latin1', 0, bytes)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const mail = JSON.parse(line) as Line
        if (mail.k !== 'dot') continue
        const leaves = (mail['to'] as string[]).some((address) => address.startsWith('leave-'))
        if (!leaves && (chance.next() >= share || underWay >= MOST_AT_ONCE)) continue
        underWay++
        void read(mail).finally(() => underWay--)
      }
    }
  }
  const following = follow()
  return {
    stop: async () => {
      stopped.abort()
      await following
      while (underWay > 0) await delay(20)
      agent.destroy()
    },
  }
})
