import { spawn } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import { setImmediate } from 'node:timers/promises'

/**
 * A port in front of a stopped process, with so many connections waiting that no more are accepted. From outside it looks
 * like a machine that is gone.
 *
 * @param port 0 for any
 */
export async function unmanned(host = '127.0.0.1', port = 0): Promise<AsyncDisposable & { readonly port: number }> {
  const listen = `require('net').createServer().listen({ port: ${port}, host: '${host}', backlog: 1 }, function () {
    console.log(this.address().port)
  })`
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  const found = Number(said)
  child.kill('SIGSTOP')
  const fillers: net.Socket[] = []
  for (let taken = true; taken; ) {
    const filler = net.connect(found, host).on('error', () => undefined)
    fillers.push(filler)
    await once(filler, 'connect', { signal: AbortSignal.timeout(500) }).catch(() => setImmediate())
    taken = !filler.connecting
  }
  return {
    port: found,
    [Symbol.asyncDispose]: async () => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}
