// The webhook endpoint of the accounts. It checks both signatures with its own implementation of the guide, writes the event
// into its ledger, and only then answers 200. Path: `/ACCOUNT`. The accounts' secrets are in a JSON file.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { act } from './actor.ts'

interface Settings {
  readonly ledger: string
  readonly secrets: string
  readonly host?: string
  readonly port?: number
}

await act<Settings>(async ({ secrets, host = '127.0.0.1', port: wanted = 0 }, ledger) => {
  const secretOf = (account: string): string =>
    (JSON.parse(readFileSync(secrets, 'utf8')) as Record<string, string>)[account] ?? ''
  const known = new Map<string, string>()
  const genuine = (account: string, body: Buffer, headers: http.IncomingHttpHeaders): boolean => {
    const secret = known.get(account) ?? secretOf(account)
    known.set(account, secret)
    const plain = createHmac('sha256', secret).update(body).digest('hex')
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const standard = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    return headers['x-webhook-signature'] === plain && headers['webhook-signature'] === standard
  }
  const server = http.createServer((request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    const hear = async (): Promise<void> => {
      const body = Buffer.concat(chunks)
      const account = (request.url ?? '').slice(1)
      const told = JSON.parse(body.toString())
      await ledger.write({
        k: 'hook',
        account,
        event: told.event_id,
        header: request.headers['webhook-id'],
        type: told.event,
        email: told.email_id ?? null,
        to: told.data?.recipient ?? null,
        good: genuine(account, body, request.headers),
      })
      reply.end('ok')
    }
    request.on('end', () => void hear())
  })
  server.listen(wanted, host)
  await once(server, 'listening')
  return {
    told: { port: (server.address() as AddressInfo).port },
    stop: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
})
