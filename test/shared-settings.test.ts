// Settings in which the processes of one installation differ although they must not: the log of each and the doctor say so.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Config } from '../src/config.ts'
import { type DoctorOptions, examineDatabase } from '../src/operator/doctor.ts'
import { createLogger } from '../src/platform/log.ts'
import { startWorld } from './world/world.ts'

const MAIN = path.join(import.meta.dirname, '../src/main.ts')
const CHECK = 'settings of the processes'

// Each row: what another process has of its own, the state of the check, and the settings that are named.
const OTHERS: readonly (readonly [what: string, changed: Partial<Config>, state: string, named: readonly string[]])[] =
  [
    [
      'a front in sandbox mode',
      { roles: ['api'], delivery: { kind: 'sandbox' } },
      'fail',
      ['POSTHORN_DELIVERY is direct or a relay', 'POSTHORN_DELIVERY is sandbox'],
    ],
    [
      'a relay for its own mail',
      { roles: ['delivery'], delivery: { kind: 'relay', host: '127.0.0.1', port: 9 } },
      'ok',
      [],
    ],
    ['a host name for deliveries alone', { roles: ['delivery'], hostname: 'out.posthorn.test' }, 'ok', []],
    [
      'another host name and public address at a worker',
      { roles: ['worker'], hostname: 'out.posthorn.test', publicUrl: 'https://other.test' },
      'warn',
      [
        'POSTHORN_HOSTNAME is mail.posthorn.test',
        'POSTHORN_HOSTNAME is out.posthorn.test',
        'POSTHORN_PUBLIC_URL is http://127.0.0.1:8080',
        'POSTHORN_PUBLIC_URL is https://other.test',
      ],
    ],
    [
      'a signature and addresses of bulk mail that the others lack',
      { roles: ['delivery'], dkimDomain: 'posthorn.test', bulkSourceIps: ['192.0.2.1'] },
      'warn',
      [
        'POSTHORN_BULK_SOURCE_IPS is set',
        'POSTHORN_BULK_SOURCE_IPS is unset',
        'POSTHORN_DKIM_DOMAIN is posthorn.test',
        'POSTHORN_DKIM_DOMAIN is unset',
      ],
    ],
    [
      'TLS that the others do not know of',
      { roles: ['tracking'], httpsPort: 0 },
      'warn',
      ['POSTHORN_HTTPS_PORT is 0', 'POSTHORN_HTTPS_PORT is unset'],
    ],
  ]

for (const [what, changed, state, named] of OTHERS)
  test(`beside a process with all roles, one with ${what}: ${state}`, async () => {
    const warned: string[] = []
    const warn = (fields: { readonly differences?: readonly string[] }): void => {
      warned.push(...(fields.differences ?? []))
    }
    const log = Object.assign(createLogger('silent'), { warn })
    await using world = await startWorld({ log, settings: { POSTHORN_PUBLIC_URL: 'http://127.0.0.1:8080' } })
    const look = async () => {
      const options = { config: world.rooms.config, clock: world.clock } as unknown as DoctorOptions
      const found = await examineDatabase(world.rooms.database, options)
      return found.find(({ check }) => check === CHECK)
    }
    assert.equal((await look())?.state, 'ok')
    await world.secondNode(changed)
    const finding = await look()
    assert.equal(finding?.state, state, finding?.found)
    const texts = finding.found.split('; ').map((text) => text.replace(/ in [^ ]+:\d+$/, ''))
    assert.deepEqual(state === 'ok' ? [] : texts, named)
    const heard = warned.map((text) => text.replace(/ \([^ ]+:\d+\)$/, '').replace(': ', ' is '))
    assert.deepEqual(heard, named)
  })

test('a command with other settings than the running service says so where its result depends on them', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-command-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const ofService = {
    POSTHORN_DELIVERY: 'direct',
    POSTHORN_HOSTNAME: 'mail.posthorn.test',
    POSTHORN_PUBLIC_URL: 'http://mail.posthorn.test',
  }
  const own = { PATH: process.env['PATH'], POSTHORN_DATA_DIR: dataDir, POSTHORN_LOG_LEVEL: 'silent' }
  const env = { ...own, ...ofService, POSTHORN_HTTP_PORT: '0', POSTHORN_ROLES: 'api,delivery,worker' }
  const service = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  stack.defer(async () => {
    service.kill()
    await once(service, 'exit')
  })
  await once(service.stdout, 'data')

  const run = async (words: string, settings: Readonly<Record<string, string>>) => {
    const options = { env: { ...own, ...settings } }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, ...words.split(' ')], options)
    return { out: stdout, heard: stderr.split('\n').filter((line) => line.includes(' for this command, and ')) }
  }
  const send = 'send --from a@shop.example --to deliver@sandbox.test --subject s --text t'
  await run('account create --email a@shop.example --name A', ofService)
  const other = { ...ofService, POSTHORN_PUBLIC_URL: 'https://other.test' }
  const rows: readonly (readonly [words: string, settings: Readonly<Record<string, string>>, heard: string | null])[] =
    [
      ['operator token', other, 'PUBLIC_URL is https://other.test for this command, and http://mail.posthorn.test'],
      ['reports address yahoo', {}, 'HOSTNAME is localhost for this command, and mail.posthorn.test'],
      [send, {}, 'DELIVERY is sandbox for this command, and direct or a relay'],
      ['queue list', {}, null],
      [send, ofService, null],
      ['operator token', ofService, null],
    ]
  for (const [words, settings, told] of rows) {
    const { out, heard } = await run(words, settings)
    assert.notEqual(out, '')
    assert.deepEqual(heard, told === null ? [] : [`posthorn: POSTHORN_${told} in the service`], words)
  }
  const { out } = await run('doctor --json', { ...ofService, POSTHORN_DELIVERY: 'sandbox' })
  const { state, found } = JSON.parse(out).find(({ check }: { readonly check: string }) => check === CHECK)
  assert.deepEqual(
    [state, found],
    ['warn', 'POSTHORN_DELIVERY is sandbox for this command, and direct or a relay in the service'],
  )
})
