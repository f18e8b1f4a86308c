// CPU of the SMTP client alone: messages of 10 KB over persistent connections to a receiver in another process.
//
//   node bench/smtp-client.ts [messages] [connections] [ip:port of another receiver, smtp-sink for example]

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { SmtpConnection } from '../src/mail/smtp/client.ts'
import { systemClock } from '../src/platform/clock.ts'
import { startReceiver } from '../test/world/receiver.ts'

const MESSAGE_BYTES = 10_240

async function bench(messages: number, connections: number, ip: string, port: number): Promise<void> {
  const message = Buffer.alloc(MESSAGE_BYTES, `${'x'.repeat(70)}\r\n`)
  let left = messages
  const startedMs = performance.now()
  const before = process.cpuUsage()
  const work = async (): Promise<void> => {
    const options = { host: 'mx.test', ip, port, ehloName: 'bench.test', tls: 'off', clock: systemClock() } as const
    const opened = await SmtpConnection.open(options)
    if (opened.kind !== 'open') throw new Error(JSON.stringify(opened))
    while (left-- > 0) {
      const { recipients } = await opened.connection.send({ from: 'a@a.test', recipients: ['b@b.test'], message })
      if (recipients[0]?.kind !== 'replied' || recipients[0].reply.code !== 250) throw new Error('not delivered')
    }
    await opened.connection.quit()
  }
  await Promise.all(Array.from({ length: connections }, work))
  const seconds = (performance.now() - startedMs) / 1_000
  const { user, system } = process.cpuUsage(before)
  const perThousand = (micros: number): string => (micros / 1e6 / (messages / 1_000)).toFixed(4)
  console.log(
    `${messages} messages, ${connections} connections: ${Math.round(messages / seconds)}/s, CPU-s per 1,000: ` +
      `${perThousand(user + system)} (user ${perThousand(user)}, system ${perThousand(system)})`,
  )
}

const [messages = '20000', connections = '10', target] = process.argv.slice(2)
if (messages === 'receive') {
  const { port } = await startReceiver({ keep: false })
  process.send?.(port)
} else if (target === undefined) {
  const receiver = fork(import.meta.filename, ['receive'])
  const [port] = (await once(receiver, 'message')) as [number]
  await bench(Number(messages), Number(connections), '127.0.0.1', port)
  receiver.kill()
} else {
  const [ip = '', port] = target.split(':')
  await bench(Number(messages), Number(connections), ip, Number(port))
}
