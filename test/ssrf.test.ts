// Requests to addresses that customers chose never reach this machine, its neighbours or a cloud's metadata service. In a
// network namespace of its own, with a listener on each of these addresses, no listener sees a connection.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const INSIDE = path.join(import.meta.dirname, 'inside', 'refused-addresses.ts')

function missing(): string | false {
  const tried = spawnSync('unshare', ['--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' })
  return tried.status === 0 ? false : 'needs unshare (util-linux), ip (iproute2) and leave to make network namespaces'
}

test('listeners on every refused address hear no connection', { skip: missing() }, () => {
  const args = ['--map-root-user', '--net', process.execPath, INSIDE]
  const { answers, whenRefused, whenRebinding, heard } = JSON.parse(
    execFileSync('unshare', args, { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'inherit'] }),
  ) as Record<'answers', Record<string, string>> & Record<'whenRefused' | 'whenRebinding' | 'heard', object>
  const refused = Object.entries(answers).filter(([name]) => !/^(?:public|rebinding) /.test(name))
  assert.ok(refused.length > 90)
  assert.deepEqual(
    refused.filter(([, answer]) => answer !== 'refused'),
    [],
  )
  assert.deepEqual(whenRefused, {})
  // A name that switches to loopback is checked at each request, and the connection goes only to the checked address.
  assert.deepEqual(Object.keys(whenRebinding), ['93.184.216.34'])
  assert.deepEqual(
    new Set(
      Object.keys(answers)
        .filter((name) => name.startsWith('rebinding'))
        .map((name) => answers[name]),
    ),
    new Set(['tls', 'refused']),
  )
  // The listeners work: public addresses are connected to, and fail at TLS.
  assert.deepEqual([answers['public 93.184.216.34'], answers['public 2606:2800:220:1::1']], ['tls', 'tls'])
  assert.deepEqual(Object.keys(heard).sort(), ['2606:2800:220:1::1', '93.184.216.34'])
})
