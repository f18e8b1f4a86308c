// A webhook receiver on a real loopback socket: it keeps what it receives and answers as its test says.

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape
  readonly body: any
  readonly atMs: number
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string
  readonly received: Received[]
  /** Highest number of simultaneous requests. */
  readonly mostAtOnce: () => number
  /** Handles each request that follows. */
  answer: (received: Received, reply: ServerResponse) => void | Promise<void>
  /** Resolves once `enough` holds; rejects after 60 s. */
  until(enough: (received: readonly Received[]) => boolean): Promise<void>
}

export async function webhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  let underWay = 0
  let most = 0
  const server: Server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    most = Math.max(most, ++underWay)
    reply.once('close', () => void underWay--)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        bytes,
        body: bytes.length === 0 ? null : JSON.parse(bytes.toString()),
        atMs: performance.now(),
      }
      received.push(one)
      void receiver.answer(one, reply)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    mostAtOnce: () => most,
    answer: (_, reply) => void reply.end('ok'),
    until: async (enough) => {
      for (let waited = 0; !enough(received); waited += 20) {
        if (waited > 60_000) throw new Error(`the receiver heard ${received.length} requests and still waits`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
