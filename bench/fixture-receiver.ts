// A receiving server with latency, on the port given as argument: it answers all lines of a chunk together, after the
// milliseconds of the last `XDELAY n` (initially none). It prints its count of messages as `mesg=N` on standard output. It does
// not parse beyond line ends.

import net from 'node:net'

const TELL_EVERY_MS = 50
let delayMs = 0
let messages = 0
let told = 0

/** The answer to a line, and whether a message follows. */
function answerTo(line: string): readonly [string, boolean] {
  switch (line.slice(0, 4).toUpperCase()) {
    case 'EHLO':
      return ['250-receiver\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 50000000\r\n', false]
    case 'XDEL':
      delayMs = Number(line.split(' ')[1])
      return ['250 ok\r\n', false]
    case 'DATA':
      return ['354 go on\r\n', true]
    case 'QUIT':
      return ['221 bye\r\n', false]
    default:
      return ['250 ok\r\n', false]
  }
}

net
  .createServer({ noDelay: true }, (socket) => {
    let inMessage = false
    let tail = ''
    const say = (text: string): void => {
      if (delayMs === 0) socket.write(text)
      else setTimeout(() => socket.writable && socket.write(text), delayMs)
    }
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      if (inMessage) {
        tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - 5))).slice(-5)
        if (tail !== '\r\n.\r\n') return
        inMessage = false
        tail = ''
        messages++
        say('250 taken\r\n')
        return
      }
      const lines = (tail + chunk.toString('latin1')).split('\r\n')
      tail = lines.pop() ?? ''
      let said = ''
      for (const line of lines) {
        const [answer, follows] = answerTo(line)
        said += answer
        inMessage = follows
      }
      if (said !== '') say(said)
    })
    say('220 receiver\r\n')
  })
  .listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))

setInterval(() => {
  if (messages === told) return
  told = messages
  process.stdout.write(`mesg=${messages}\n`)
}, TELL_EVERY_MS)
