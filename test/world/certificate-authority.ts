// A certificate authority that issues nothing, and a world that orders from it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { statement } from '../../src/platform/db.ts'
import { startWorld, type World } from './world.ts'

export const PATH = '/api/v1/customer/tracking-domains'
export const HOST = 'mail.posthorn.test'

/** The certificate of the public URL's host: $1 its name, $2 the chain, $3 the sealed key, $4 its end and when it is due. */
export const OWN = statement(
  'test_own_certificate',
  'update own_certificate set certificate = $2, private_key = $3, expires_at = $4, due_at = $4, error = null where name = $1',
)

export function certifiedWorld(directory: string): Promise<World> {
  return startWorld({
    settings: {
      POSTHORN_PUBLIC_URL: `https://${HOST}`,
      POSTHORN_HTTPS_PORT: '0',
      POSTHORN_ACME_DIRECTORY: directory,
    },
  })
}

export async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  for (let turn = 0; turn < 600; turn++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('not within a minute')
}

export async function verified(world: World, domain: string, { api } = world.account): Promise<string> {
  const made = await api.post(PATH, { domain })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  world.zones.declare({ [domain]: { CNAME: [made.body.cname_target] } })
  const answer = await api.post(`${PATH}/${made.body.id}/verify`)
  assert.equal(answer.body.verified, true)
  return made.body.id
}

export interface Authority extends AsyncDisposable {
  readonly directory: string
  /** The requested paths; an order is followed by its name. */
  readonly asked: string[]
  /** The certificates that orders were to replace (RFC 9773); null: none was named. */
  readonly replaced: (string | null)[]
  /** What its directory has besides. */
  offers: Readonly<Record<string, string>>
  /** Returns true when it has sent the answer itself. */
  says: (response: ServerResponse, asked: string) => boolean
}

/** Accepts every account, and refuses orders only as `says` tells it to. */
export async function startAuthority(): Promise<Authority> {
  const asked: string[] = []
  const replaced: (string | null)[] = []
  const server = createServer()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { port } = server.address() as AddressInfo
    const at = (name: string): string => `http://127.0.0.1:${port}/${name}`
    const { payload = '' } =
      request.method === 'POST' ? JSON.parse(Buffer.concat(await request.toArray()).toString()) : {}
    const order = Buffer.from(payload, 'base64url').toString()
    const [name = ''] = /(?<="value":")[^"]+/.exec(order) ?? []
    if (request.url === '/order') replaced.push(/(?<="replaces":")[^"]+/.exec(order)?.[0] ?? null)
    const what = `${request.url ?? ''} ${name}`.trim()
    asked.push(what)
    response.setHeader('replay-nonce', 'bm9uY2U')
    response.setHeader('content-type', 'application/json')
    response.setHeader('location', at('account'))
    if (authority.says(response, what)) return
    if (request.url === '/directory')
      response.end(
        JSON.stringify({
          newNonce: at('nonce'),
          newAccount: at('account'),
          newOrder: at('order'),
          ...authority.offers,
        }),
      )
    else if (request.url !== '/order') response.end('{}')
    else response.writeHead(403).end(JSON.stringify({ detail: 'no order today' }))
  }
  server.on('request', (request, response) => void answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const authority: Authority = {
    directory: `http://127.0.0.1:${(server.address() as AddressInfo).port}/directory`,
    asked,
    replaced,
    offers: {},
    says: () => false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return authority
}
