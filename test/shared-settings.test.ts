// Settings in which the processes of one installation differ although they must not: the log of each and the doctor say so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../src/config.ts'
import { type DoctorOptions, examineDatabase } from '../src/operator/doctor.ts'
import { createLogger } from '../src/platform/log.ts'
import { startWorld } from './world.ts'

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
