// Opens and redirects beside nginx in the same run: durable opens against `empty_gif`, redirects against `return 302`.
//
// The load is wrk's, over addresses of many mails; both servers may use every core. wrk and nginx-light are installed when
// they are missing. An open or a click is answered when it is synced on disk. Then: how long what came takes until it is in
// the database, and how long answers take at a steady 2,000 a second, with all that follows under way. (That each answered hit is there as one event is shown by test/peers/tracking-outage.)

import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, run, scratch, start, waitFor } from '../test/peers/ground.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { needPrograms } from './ground-packages.ts'

const SECONDS = Number(process.argv[2] ?? 8)
const CONNECTIONS = 256
/** Until what came in is in the database. */
const HANDED_ON_WITHIN_MS = 180_000
const MAILS = 500
const STEADY = 2_000
const STEADY_SECONDS = 10
const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'

needPrograms({ wrk: 'wrk', nginx: 'nginx-light' })
await using stack = new AsyncDisposableStack()
const folder = stack.use(await scratch('bench-tracking')).path

const nginxPort = await freePort()
const conf = path.join(folder, 'nginx.conf')
await writeFile(
  conf,
  `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log; worker_processes auto;
   events { worker_connections 1024; }
   http { access_log off; client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
     uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
     server { listen 127.0.0.1:${nginxPort}; keepalive_requests 1000000;
       location /track/o/ { empty_gif; } location /track/c/ { return 302 https://target.test/; } } }\n`,
)
stack.use(start('nginx', ['-c', conf, '-p', folder]))

const port = await freePort()
const settings = {
  POSTHORN_HTTP_PORT: String(port),
  POSTHORN_RATE_LIMITS: 'off',
  POSTHORN_LOG_LEVEL: 'error',
}
const posthorn = stack.use(await startPosthorn(folder, settings))
const { test_api_key: key } = await posthorn.account()

const messages = Array.from({ length: MAILS }, (_, i) => ({
  from: 'news@shop.test',
  to: `reader${i}@dest.test`,
  subject: 's',
  html: `<body><a href="https://target.test/offers/${i}?utm_source=newsletter&utm_campaign=autumn">x</a></body>`,
  tracking_enabled: true,
}))
await posthorn.call(key, 'POST', '/api/v1/send/batch', { messages })
const inbox = await waitFor('deliveries', async () => {
  const { body } = await posthorn.call(key, 'GET', '/api/v1/inbox?limit=1000')
  return body.data.length === MAILS ? (body.data as { id: string }[]) : null
})
const pages: string[] = []
for (const { id } of inbox) {
  const { body } = await posthorn.call(key, 'GET', `/api/v1/inbox/${id}`)
  pages.push((body.data ?? body).html)
}
const pathsOf = (kind: 'o' | 'c'): string[] =>
  pages.map((html) => new RegExp(`/track/${kind}/[\\w-]+`).exec(html)?.[0] ?? '')
await delay(2_500)

interface Measured {
  readonly perSecond: number
  readonly p99Ms: number
  readonly requests: number
  readonly errors: number
}

async function measured(to: number, paths: readonly string[], seconds = SECONDS): Promise<Measured> {
  const script = path.join(folder, 'paths.lua')
  await writeFile(
    script,
    `local paths = {${paths.map((one) => `"${one}"`).join(',')}}
     local made, i = {}, 0
     init = function() for n, p in ipairs(paths) do made[n] = wrk.format("GET", p, {["User-Agent"] = "${DESKTOP}", ["Host"] = "127.0.0.1"}) end end
     request = function() i = i % #made + 1; return made[i] end
     done = function(s, l, r) io.write(string.format("RESULT %d %d %f %d\\n", s.requests, s.duration, l:percentile(99), s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout)) end\n`,
  )
  const said = await run('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-s', script, `http://127.0.0.1:${to}`])
  const [, requests = '0', micros = '1', p99 = '0', errors = '0'] = /RESULT (\d+) (\d+) ([\d.]+) (\d+)/.exec(said) ?? []
  return {
    requests: Number(requests),
    perSecond: (Number(requests) / Number(micros)) * 1e6,
    p99Ms: Number(p99) / 1_000,
    errors: Number(errors),
  }
}

/** Milliseconds of each answer at a steady pace, by the clock of who asks. */
async function steady(paths: readonly string[]): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const times: Promise<number>[] = []
  const began = performance.now()
  const ask = (where: string): Promise<number> =>
    new Promise((done, fail) => {
      const asked = performance.now()
      const headers = { 'user-agent': DESKTOP }
      const call = request({ host: '127.0.0.1', port, path: where, agent, headers }, (reply) => {
        reply.resume().on('end', () => done(performance.now() - asked))
      })
      call.on('error', fail)
      call.end()
    })
  while (performance.now() - began < STEADY_SECONDS * 1_000) {
    while (times.length < ((performance.now() - began) * STEADY) / 1_000)
      times.push(ask(paths[times.length % paths.length] ?? ''))
    await delay(2)
  }
  const all = await Promise.all(times)
  agent.destroy()
  return all.toSorted((a, b) => a - b)
}

const opens = pathsOf('o')
const clicks = pathsOf('c')
await measured(port, opens, 3)
const rows: [string, Measured][] = []
for (const [what, to, paths] of [
  ['nginx empty_gif', nginxPort, opens],
  ['posthorn opens, durable', port, opens],
  ['nginx return 302', nginxPort, clicks],
  ['posthorn redirects, durable', port, clicks],
] as const) {
  const found = await measured(to, paths)
  rows.push([what, found])
  console.log(
    `${what.padEnd(30)} ${found.perSecond.toFixed(0).padStart(8)}/s  p99 ${found.p99Ms.toFixed(1)} ms  errors ${found.errors}`,
  )
}
const share = (ours: number, theirs: number): number =>
  (rows[ours]?.[1].perSecond ?? 0) / (rows[theirs]?.[1].perSecond ?? 1)
console.log(
  `opens ${(share(1, 0) * 100).toFixed(0)} %, redirects ${(share(3, 2) * 100).toFixed(0)} % of nginx (bar: 33 %)`,
)
const burstEnded = performance.now()
const journal = path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'tracking', 'hits')
await waitFor('the journal to be handed on', async () => readdirSync(journal).length === 0 || null, HANDED_ON_WITHIN_MS)
console.log(`all handed on ${((performance.now() - burstEnded) / 1_000).toFixed(0)} s after the last answer`)
for (const [what, paths] of [
  ['opens', opens],
  ['redirects', clicks],
] as const) {
  const times = await steady(paths)
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
  console.log(
    `${what} at ${STEADY}/s: ${times.length} answered, p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(0.99999)} ms (bar: p99 25 ms)`,
  )
}
console.log(JSON.stringify(Object.fromEntries(rows)))
