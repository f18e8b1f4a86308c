import assert from 'node:assert/strict'
import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type Gate, httpServer } from '../http.ts'
import { systemIds } from '../ids.ts'
import { createLogger } from '../log.ts'

const gate: Gate = { admit: async () => Promise.reject(new Error('nobody is asked')) }

test('/assets/ serves what the build made and answers 404 for anything else', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'posthorn-pages-'))
  await mkdir(path.join(folder.path, 'assets', 'inner'), { recursive: true })
  await writeFile(path.join(folder.path, 'index.html'), '<p>page</p>')
  await writeFile(path.join(folder.path, 'assets', 'index-Bx_1-a.js'), 'export {}')
  await writeFile(path.join(folder.path, 'assets', '.hidden'), 'x')
  const { app } = await httpServer({
    gate,
    log: createLogger('silent'),
    ids: systemIds(),
    trustedProxies: [],
    openapi: { publicUrl: 'http://mail.example', euUrl: null },
    pages: { folder: folder.path, addresses: ['/'] },
  })
  await app.ready()
  const statusOf = async (name: string): Promise<number> =>
    (await app.inject({ method: 'GET', url: `/assets/${name}` })).statusCode
  assert.equal(await statusOf('index-Bx_1-a.js'), 200)
  const others = ['..%2fx', '..%2findex.html', '..%5cx', '.hidden', 'inner', 'inner%2f', '']
  for (const name of [...others, 'none.js', '%252e%252e%252fx', `${'a'.repeat(5_000)}.js`]) {
    assert.equal(await statusOf(name), 404, name)
  }
  await app.close()
})
