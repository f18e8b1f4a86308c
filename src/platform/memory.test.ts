import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemMemory } from './memory.ts'

const MB = 1_048_576

/** Files in the kernel's format. */
async function groups(files: Record<string, string>): Promise<AsyncDisposable & { readonly root: string }> {
  const root = await mkdtemp(path.join(os.tmpdir(), 'posthorn-memory-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true })
    await writeFile(path.join(root, name), text)
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) }
}

test('the limit of a control group counts, and page cache is free but for mapped programs', async () => {
  await using made = await groups({
    own: '0::/a/b\n',
    'memory.stat': 'anon 5\n',
    'a/memory.max': `${1_024 * MB}\n`,
    'a/memory.current': `${900 * MB}\n`,
    'a/memory.stat': `anon ${440 * MB}\nshmem ${60 * MB}\nfile_mapped ${80 * MB}\ninactive_file ${300 * MB}\nactive_file ${100 * MB}\n`,
    'a/b/memory.max': 'max\n',
    'a/b/memory.current': `${900 * MB}\n`,
  })
  const memory = systemMemory(made.root, path.join(made.root, 'own'))
  assert.equal(memory.limitBytes, 1_024 * MB)
  assert.equal(memory.freeBytes(), (1_024 - 900 + 380) * MB)
})

test('control groups of version 1 are read too; the tightest limit counts', async () => {
  const stat = `total_mapped_file 0\ntotal_inactive_file 0\ntotal_active_file ${10 * MB}\n`
  await using made = await groups({
    own: '5:cpu:/x\n4:memory:/a/b\n0::/\n',
    'memory/memory.limit_in_bytes': '9223372036854771712\n',
    'memory/a/memory.limit_in_bytes': `${300 * MB}\n`,
    'memory/a/memory.usage_in_bytes': `${290 * MB}\n`,
    'memory/a/memory.stat': stat,
    'memory/a/b/memory.limit_in_bytes': `${512 * MB}\n`,
    'memory/a/b/memory.usage_in_bytes': `${100 * MB}\n`,
    'memory/a/b/memory.stat': stat,
  })
  const memory = systemMemory(made.root, path.join(made.root, 'own'))
  assert.equal(memory.limitBytes, 300 * MB)
  assert.equal(memory.freeBytes(), 20 * MB)
})

test('without control groups, or without a limit, there is always room', async () => {
  await using made = await groups({ own: '0::/\n', 'memory.stat': 'anon 5\n' })
  for (const own of ['own', 'absent']) {
    const memory = systemMemory(made.root, path.join(made.root, own))
    assert.deepEqual([memory.limitBytes, memory.freeBytes()], [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
  }
})
