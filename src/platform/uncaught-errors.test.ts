import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const HERE = import.meta.dirname

/** Runs a process that handles uncaught errors and does `what` once it is up. @returns its exit code and its output, in order */
function run(what: string, isUp = true): { readonly code: number | null; readonly said: readonly string[] } {
  const script = `import { once } from 'node:events'
    import { connect, createServer } from 'node:net'
    import { handleUncaughtErrors } from ${JSON.stringify(path.join(HERE, 'uncaught-errors.ts'))}
    import { systemClock } from ${JSON.stringify(path.join(HERE, 'clock.ts'))}
    const up = handleUncaughtErrors({
      clock: systemClock(),
      report: (error, kind) => console.log(kind, error.message),
      giveUp: () => { console.log('gives up'); process.exit(3) },
    })
    ${isUp ? 'up()' : ''}
    ${what}`
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return { code: status, said: stdout.trim().split('\n') }
}

test('an error in the listener of one connection is reported, and the next connection is served', () => {
  const { code, said } = run(`
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => { if (String(chunk) === 'bad') throw new Error('met a bug'); socket.end('served') })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address()
    const bad = connect(port, '127.0.0.1')
    bad.end('bad')
    bad.resume()
    bad.on('error', () => undefined)
    await once(process, 'uncaughtException')
    const good = connect(port, '127.0.0.1')
    good.end('good')
    const [chunk] = await once(good, 'data')
    console.log(String(chunk))
    process.exit(0)`)
  assert.deepEqual([code, said], [0, ['exception met a bug', 'served']])
})

test('unhandled rejections are reported, however many there are', () => {
  const { code, said } = run(`
    for (let n = 0; n < 20; n++) void Promise.reject(new Error('r'))
    setTimeout(() => console.log('there'), 20)`)
  assert.deepEqual([code, said], [0, [...Array.from({ length: 20 }, () => 'rejection r'), 'there']])
})

test('repeated errors end the process, and so does one during its start', () => {
  const again = run(`for (let n = 0; n < 20; n++) setImmediate(() => { throw new Error('e') })`)
  assert.deepEqual([again.code, again.said.length, again.said.at(-1)], [3, 12, 'gives up'])
  const early = run(`setImmediate(() => { throw new Error('e') })`, false)
  assert.deepEqual([early.code, early.said], [3, ['exception e', 'gives up']])
})
