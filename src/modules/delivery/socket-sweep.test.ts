// The connection to a receiver breaks at the N-th packet, for every N, in both directions, before or after its arrival. The mail
// arrives. A second copy, with the same bytes, is sent only when the first was accepted and its answer lost.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { test } from 'node:test'
import { fixture } from '../../../test/world/delivery-fixture.ts'
import { startReceiver } from '../../../test/world/receiver.ts'
import { reset } from '../../../test/world/reset.ts'

interface Break {
  /** Number of the packet, counted from 1 over both directions. */
  readonly at: number
  readonly mode: 'before' | 'after'
}

interface Way extends AsyncDisposable {
  /** Sets the fault and restarts the packet count. */
  arm(fault: Break | null): void
  said(): number
}

async function wayTo(port: number, host: string, ownPort: number): Promise<Way> {
  let fault: Break | null = null
  let count = 0
  const server = createServer({ noDelay: true }, (client) => {
    const receiver = connect({ port, host: '127.0.0.1', noDelay: true })
    const cut = (): void => {
      reset(client)
      receiver.destroy()
    }
    for (const [from, to] of [
      [client, receiver],
      [receiver, client],
    ] as const) {
      from.on('data', (chunk) => {
        const isIt = ++count === fault?.at
        if (isIt && fault?.mode === 'before') cut()
        // Data written before the break arrives.
        else if (isIt) to.write(chunk, () => (from === client ? setImmediate(cut) : cut()))
        else to.write(chunk)
      })
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
  })
  server.listen(ownPort, host)
  await once(server, 'listening')
  return {
    arm: (next) => {
      fault = next
      count = 0
    },
    said: () => count,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

test('wherever the connection breaks, the mail arrives, and twice only if the answer to the first copy was lost', async () => {
  await using h = await fixture({
    'example.net': { MX: ['10 mx.example.net'] },
    'mx.example.net': { A: ['127.0.0.2'] },
  })
  await using mx = await startReceiver()
  await using way = await wayTo(mx.port, '127.0.0.2', h.options.smtpPort)
  let mails = 0
  const send = async (fault: Break | null): Promise<void> => {
    const to = `r${++mails}@example.net`
    const where = `${fault?.mode} ${fault?.at}`
    const id = await h.put(to)
    way.arm(fault)
    // A new node for each try: no node waits because of what another has learnt about the receiver.
    for (let tries = 0; tries < 4 && (await h.status(id)) !== 'delivered'; tries++) {
      const node = h.another()
      await node.turn()
      await node.stop(AbortSignal.timeout(1_000))
      if (tries === 0 && fault === null) break
      way.arm(null)
      h.clock.advance(30 * 60_000)
    }
    assert.equal(await h.status(id), 'delivered', where)
    const copies = mx.messages.filter(({ recipients: [first] }) => first === to)
    const { attempts } = await h.story(id)
    assert.ok(
      copies.length === 1 || (copies.length === 2 && attempts.length === 2),
      `${where}: ${copies.length} copies`,
    )
    for (const copy of copies) assert.deepEqual(bodyOf(copy.data), bodyOf(copies[0]?.data), where)
    const events = (await h.events(id)).map(({ event }) => event)
    assert.equal(events.filter((event) => event === 'email.delivered').length, 1, where)
    assert.equal(events.filter((event) => event === 'email.deferred').length, attempts.length - 1, where)
  }
  await send(null)
  const most = way.said()
  assert.ok(most >= 5, `${most} packets`)
  for (const mode of ['before', 'after'] as const) {
    for (let at = 1; at <= most; at++) await send({ at, mode })
  }
})

/** The Message-ID and the body with its separator. */
function bodyOf(data: Buffer | undefined): { readonly id: string | undefined; readonly body: string } {
  const text = data?.toString('latin1') ?? ''
  const id = /^Message-ID: (.*)$/im.exec(text)?.[1]
  return { id, body: text.slice(text.indexOf('\r\n\r\n')) }
}
