import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../../test/world/receiver.ts'
import { isFault, SmtpStream } from './stream.ts'

const LIMIT = 1_048_576

/** What a stream hears if it reads only after the server has sent everything. */
async function heardOf(said: string): Promise<{ chars: number; count: number; fault: string }> {
  await using mx = await startReceiver({ banner: { raw: said, then: 'close' } })
  const stream = await SmtpStream.open({ ip: mx.ip, port: mx.port }, 2_000)
  assert.ok(stream instanceof SmtpStream)
  while (stream.fault === null) await new Promise(setImmediate)
  let chars = 0
  for (let count = 0; ; count++) {
    const heard = await stream.readReply(2_000)
    if (isFault(heard)) return { chars, count, fault: `${heard.code} ${heard.message}` }
    chars += heard.text.length
  }
}

test('unsolicited replies are kept up to a megabyte, then the connection is closed', async () => {
  const { chars, fault } = await heardOf(`250 ${'x'.repeat(4_000)}\r\n`.repeat(5_000))
  assert.equal(fault, 'protocol replies without end')
  assert.ok(chars > LIMIT / 2 && chars < LIMIT * 1.1, `${chars} characters`)
})

test('lines without text count too', async () => {
  const { count, fault } = await heardOf(`${'250-\r\n'.repeat(999)}250 \r\n`.repeat(500))
  assert.equal(fault, 'protocol replies without end')
  assert.ok(count < 100, `${count} replies of 1,000 lines`)
})

test('a thousand requested replies are kept until read, repeatedly on one connection', async () => {
  const replies = (index: number): string => `250 ${index} ${'x'.repeat(200)}\r\n`.repeat(1_000)
  await using mx = await startReceiver({ banner: { raw: replies(0) }, rset: { raw: replies(1) } })
  const stream = await SmtpStream.open({ ip: mx.ip, port: mx.port }, 2_000)
  assert.ok(stream instanceof SmtpStream)
  for (let round = 0; round < 10; round++) {
    for (let index = 0; index < 1_000; index++) {
      const heard = await stream.readReply(2_000)
      assert.ok(!isFault(heard) && heard.code === 250, JSON.stringify(heard))
    }
    stream.write('RSET\r\n')
  }
  stream.destroy()
})

test('a connection that cannot be made or breaks is told in words, not as an error of the system', async () => {
  const mx = await startReceiver({ banner: { then: 'reset' } })
  const { ip, port } = mx
  const said = async (sourceIp: string | null = null): Promise<string> => {
    const opened = await SmtpStream.open({ ip, port, sourceIp }, 2_000)
    const fault = opened instanceof SmtpStream ? await opened.readReply(2_000) : opened
    return isFault(fault) ? `${fault.code}: ${fault.message}` : fault.text
  }
  assert.equal(await said(), 'reset: the server reset the connection')
  assert.equal(await said('192.0.2.9'), 'unreachable: the source address 192.0.2.9 is not on this machine')
  await mx.close()
  assert.equal(await said(), `refused: ${ip} port ${port} refused the connection`)
})
