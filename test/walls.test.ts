// A rule is worth nothing until it has stopped something. Each promise of rooms.mjs is broken here once, in a small tree of
// its own, and the breach must be reported.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { checkWalls, faultsOfTable } from '../bin/check/walls.ts'

const ROOT = join(import.meta.dirname, '..')

const SOUND = {
  'src/main.ts': "import { app } from './app.ts'\napp()\n",
  'src/app.ts': `import { serve } from './roles/api.ts'
import { readConfig } from './config.ts'
export const app = (): unknown => [serve, readConfig]
`,
  'src/config.ts': 'export const readConfig = 1\n',
  'src/roles/api.ts': `import fastify from 'fastify'
import { send } from '../modules/sending/index.ts'
export const serve = [fastify, send]
`,
  'src/modules/sending/index.ts': "export { send } from './sending.ts'\n",
  'src/modules/sending/sending.ts': `import { put } from '../outbox/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { parse } from '../../mail/address.ts'
export const send = (clock: Clock): unknown => [put, clock, parse]
`,
  'src/modules/sending/sending.test.ts': "import { put } from '../outbox/sql.ts'\nput()\n",
  'src/modules/outbox/index.ts': "export { put } from './sql.ts'\n",
  'src/modules/outbox/sql.ts': 'export const put = (): void => undefined\n',
  'src/mail/address.ts':
    "import type { Clock } from '../platform/clock.ts'\nexport const parse = (c: Clock): Clock => c\n",
  'src/platform/clock.ts': 'export interface Clock { now(): Date }\n',
}

/** The faults of a sound tree with `changes` applied. */
async function faultsWith(
  changes: Readonly<Record<string, string>>,
  unlisted: readonly string[] = [],
): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'walls-'))
  try {
    const files: Record<string, string> = { ...SOUND, ...changes }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    symlinkSync(join(ROOT, 'tsconfig.json'), join(root, 'tsconfig.json'))
    symlinkSync(join(ROOT, 'package.json'), join(root, 'package.json'))
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const { faults } = await checkWalls(root, [...Object.keys(files), ...unlisted])
    return faults.join('\n')
  } finally {
    rmSync(root, { recursive: true })
  }
}

test('a tree that follows rooms.mjs has no faults', async () => {
  assert.equal(await faultsWith({}), '')
})

// Each row: the promise, the file that breaks it, the import that does, and the rule that reports it.
const BREACHES: [promise: string, path: string, text: string, rule: RegExp][] = [
  [
    'a room imports only what the table allows',
    'src/modules/outbox/sql.ts',
    "import { send } from '../sending/index.ts'\nexport const put = (): unknown => send\n",
    /room-outbox/,
  ],
  [
    'a type import counts too',
    'src/modules/outbox/sql.ts',
    "import type { send } from '../sending/index.ts'\nexport const put = (): typeof send | null => null\n",
    /room-outbox/,
  ],
  [
    'another room imports a room only through its index',
    'src/modules/sending/sending.ts',
    "import { put } from '../outbox/sql.ts'\nexport const send = put\n",
    /door-between-rooms/,
  ],
  [
    'a role imports a room only through its index',
    'src/roles/api.ts',
    "import { send } from '../modules/sending/sending.ts'\nexport const serve = send\n",
    /\(door\)/,
  ],
  [
    'a room missing from the table is refused',
    'src/modules/utils/index.ts',
    'export const anything = 1\n',
    /utils is no room/,
  ],
  [
    'the platform imports no room',
    'src/platform/clock.ts',
    "export { send } from '../modules/sending/index.ts'\nexport interface Clock { now(): Date }\n",
    /platform-knows-no-room/,
  ],
  [
    'protocol code imports no room',
    'src/mail/address.ts',
    "import { put } from '../modules/outbox/index.ts'\nexport const parse = put\n",
    /mail-is-pure/,
  ],
  [
    'only routes, roles and platform/http import the web framework',
    'src/modules/sending/sending.ts',
    "import fastify from 'fastify'\nexport const send = fastify\n",
    /the web framework belongs elsewhere/,
  ],
  [
    'only the platform imports the database driver',
    'src/modules/outbox/sql.ts',
    "import pg from 'pg'\nexport const put = pg\n",
    /the database driver belongs elsewhere/,
  ],
  [
    'a room gets its settings passed in',
    'src/modules/outbox/sql.ts',
    "import { readConfig } from '../../config.ts'\nexport const put = readConfig\n",
    /room-below-composition/,
  ],
  [
    'production code does not import test code',
    'src/modules/sending/sending.ts',
    "export * from './sending.test.ts'\nexport const send = 1\n",
    /test-stays-outside/,
  ],
  [
    'the service runs without development packages',
    'src/modules/outbox/sql.ts',
    "import * as fc from 'fast-check'\nexport const put = fc\n",
    /no-dev-package/,
  ],
  ['no module is unused', 'src/mail/forgotten.ts', 'export const forgotten = 1\n', /no-dead-module/],
  [
    'every import has a target',
    'src/mail/address.ts',
    "import { gone } from './gone.ts'\nexport const parse = gone\n",
    /no-unresolved/,
  ],
]

for (const [promise, path, text, rule] of BREACHES) {
  test(`${promise}: a breach is reported`, async () => {
    const faults = await faultsWith({ [path]: text })
    assert.match(faults, rule)
    assert.ok(faults.includes(path), faults)
  })
}

test('circular imports are reported', async () => {
  const faults = await faultsWith({
    'src/mail/address.ts': "import { b } from './b.ts'\nexport const parse = b\n",
    'src/mail/b.ts': "import { parse } from './address.ts'\nexport const b = (): unknown => parse\n",
  })
  assert.match(faults, /in a circle/)
})

test('an unread module is a fault, so that a blind check does not pass', async () => {
  assert.match(await faultsWith({}, ['src/mail/unseen.ts']), /1 of \d+ modules were not read: src\/mail\/unseen\.ts/)
})

test('the dependencies in the table itself must point downwards', () => {
  const room = (name: string, floor: number, enters: string[]) => ({ name, floor, owns: '', enters })
  assert.deepEqual(faultsOfTable([room('a', 1, []), room('b', 2, ['a'])]), [])
  assert.equal(faultsOfTable([room('a', 1, ['b']), room('b', 1, ['c'])]).length, 2)
})
