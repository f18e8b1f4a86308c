// Opens and redirects next to nginx in the same run: durable opens against `empty_gif`, redirects against `return 302`.
//
// First, answers at a steady 2,000 a second while all later work goes on (judging, the log, statistics), from a generator in a
// process of its own (fixture-pace.ts), next to a server that only answers. Then wrk's load over the URLs of many emails, in
// interleaved rounds, each with the CPU time of all participants. Both servers may use every core; while nginx is measured,
// Posthorn and its database are stopped, so that their remaining work does not slow it down. wrk and nginx-light are
// installed if they are missing. An open or a click is answered once it is synced to disk. (test/peers/tracking-outage shows
// that each answered hit exists as one event.)
//
//     npm run bench -- tracking [--rounds 5] [--seconds 4] [--steady 10]

import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { descendants, freePort, run, scratch, start, waitFor } from '../test/peers/fixture.ts'
import { startPosthorn } from '../test/peers/posthorn.ts'
import { median, threadSeconds } from './fixture.ts'
import { commandLine } from './fixture-options.ts'
import { ECHO, paced } from './fixture-pace.ts'
import { needPrograms } from './fixture-packages.ts'

const { rounds: ROUNDS, seconds: SECONDS, steady: STEADY_SECONDS } = commandLine({ rounds: 5, seconds: 4, steady: 10 })
const CONNECTIONS = 256
/** Time limit for the recorded hits to reach the database. */
const HANDED_ON_WITHIN_MS = 900_000
const MAILS = 500
const STEADY = 2_000
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
const nginx = stack.use(start('nginx', ['-c', conf, '-p', folder]))

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

type Seconds = ReadonlyMap<string, number>

interface Measured {
  readonly perSecond: number
  readonly p99Ms: number
  readonly errors: number
  /** CPU microseconds per request, by process group. */
  readonly micros: Seconds
}

async function measured(root: number, to: number, paths: readonly string[], seconds = SECONDS): Promise<Measured> {
  const script = path.join(folder, 'paths.lua')
  await writeFile(
    script,
    `local paths = {${paths.map((one) => `"${one}"`).join(',')}}
     local made, i = {}, 0
     init = function() for n, p in ipairs(paths) do made[n] = wrk.format("GET", p, {["User-Agent"] = "${DESKTOP}", ["Host"] = "127.0.0.1"}) end end
     request = function() i = i % #made + 1; return made[i] end
     done = function(s, l, r) io.write(string.format("RESULT %d %d %f %d\\n", s.requests, s.duration, l:percentile(99), s.errors.connect + s.errors.read + s.errors.write + s.errors.status + s.errors.timeout)) end\n`,
  )
  const before = await threadSeconds(root)
  const wrk = `wrk -t1 -c${CONNECTIONS} -d${seconds}s -s ${script} http://127.0.0.1:${to}; times`
  const said = await run('sh', ['-c', wrk])
  const after = await threadSeconds(root)
  const [, requests = '0', micros = '1', p99 = '0', errors = '0'] = /RESULT (\d+) (\d+) ([\d.]+) (\d+)/.exec(said) ?? []
  const [, userM = '0', user = '0', systemM = '0', system = '0'] =
    /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/.exec(said) ?? []
  const spent = new Map([...after].map(([who, total]) => [who, total - (before.get(who) ?? 0)]))
  spent.set('wrk', (Number(userM) + Number(systemM)) * 60 + Number(user) + Number(system))
  return {
    perSecond: (Number(requests) / Number(micros)) * 1e6,
    p99Ms: Number(p99) / 1_000,
    errors: Number(errors),
    micros: new Map([...spent].map(([who, total]) => [who, (total / Number(requests)) * 1e6])),
  }
}

function told(micros: Seconds): string {
  const spent = [...micros].filter(([, each]) => each >= 0.5).toSorted((a, b) => b[1] - a[1])
  return spent.map(([who, each]) => `${who} ${each.toFixed(1)}`).join(', ')
}

/** Stops the processes of a server while another is measured. */
async function whileStill<T>(root: number, work: () => Promise<T>): Promise<T> {
  const all = await descendants(root)
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const pid of all) process.kill(pid, name)
  }
  signal('SIGSTOP')
  try {
    return await work()
  } finally {
    signal('SIGCONT')
  }
}

const journal = path.join(posthorn.env['POSTHORN_DATA_DIR'] ?? '', 'tracking', 'hits')

/** @returns seconds until all recorded hits are in the database */
async function handedOn(): Promise<number> {
  const began = performance.now()
  await waitFor('the journal to be handed on', async () => readdirSync(journal).length === 0, HANDED_ON_WITHIN_MS)
  return (performance.now() - began) / 1_000
}

/** Waits until no work is left: all hits are judged, logged and counted. */
async function settled(root: number): Promise<void> {
  const sum = async (): Promise<number> =>
    [...(await threadSeconds(root)).values()].reduce((all, each) => all + each, 0)
  await waitFor(
    'rest',
    async () => {
      const before = await sum()
      await delay(1_000)
      return (await sum()) - before < 0.1
    },
    HANDED_ON_WITHIN_MS,
  )
}

const service = posthorn.running.child.pid ?? 0
const server = nginx.child.pid ?? 0
const opens = pathsOf('o')
const clicks = pathsOf('c')
await measured(service, port, opens, 3)
await handedOn()
await settled(service)
const bare = stack.use(start(process.execPath, [...ECHO]))
await waitFor('the bare server', async () => /\d/.test(bare.said()))
for (const [what, to, root, paths] of [
  ['a bare answer', Number(bare.said()), bare.child.pid ?? 0, opens],
  ['opens', port, service, opens],
  ['redirects', port, service, clicks],
] as const) {
  if (STEADY_SECONDS === 0) break
  await settled(service)
  const before = await threadSeconds(root)
  const head = `User-Agent: ${DESKTOP}\r\nHost: 127.0.0.1\r\n`
  const { answered, p50, p99, p999, max, late } = await paced(to, STEADY, STEADY_SECONDS, paths, head)
  const after = await threadSeconds(root)
  const micros = new Map([...after].map(([who, all]) => [who, ((all - (before.get(who) ?? 0)) / answered) * 1e6]))
  console.log(
    `${what} at ${STEADY}/s: ${answered} answered, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, max ${max.toFixed(1)} ms, generator late by ${late.toFixed(1)} ms at most; us each: ${told(micros)}`,
  )
}

const GIF = 'nginx empty_gif'
const FOUND = 'nginx return 302'
const OPENS = 'posthorn opens, durable'
const REDIRECTS = 'posthorn redirects, durable'
const rounds = new Map<string, Measured[]>()
for (let round = 1; round <= ROUNDS; round++) {
  for (const [what, root, to, paths] of [
    [GIF, server, nginxPort, opens],
    [OPENS, service, port, opens],
    [FOUND, server, nginxPort, clicks],
    [REDIRECTS, service, port, clicks],
  ] as const) {
    const ask = (): Promise<Measured> => measured(root, to, paths)
    const found = root === server ? await whileStill(service, ask) : await ask()
    rounds.set(what, [...(rounds.get(what) ?? []), found])
    console.log(
      `${round} ${what.padEnd(28)} ${found.perSecond.toFixed(0).padStart(6)}/s  p99 ${found.p99Ms.toFixed(1)} ms  errors ${found.errors}  us each: ${told(found.micros)}`,
    )
  }
}
const of = (what: string): number => median((rounds.get(what) ?? []).map(({ perSecond }) => perSecond))
for (const what of rounds.keys()) console.log(`median ${what.padEnd(28)} ${of(what).toFixed(0).padStart(6)}/s`)
const share = (ours: string, theirs: string): string => ((of(ours) / of(theirs)) * 100).toFixed(1)
console.log(`opens ${share(OPENS, GIF)} %, redirects ${share(REDIRECTS, FOUND)} % of nginx (bar: 33.3 %)`)
console.log(`all handed on ${(await handedOn()).toFixed(0)} s after the last answer`)
