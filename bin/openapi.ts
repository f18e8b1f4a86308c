// `npm run openapi` writes openapi.json from the endpoints themselves; `--check` compares it with what is committed.

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { apiServer, connectRooms } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { systemGround } from '../src/ground.ts'
import { connect } from '../src/platform/db.ts'
import { SECRET_BYTES, secretsFrom } from '../src/platform/secrets.ts'

const FILE = path.join(import.meta.dirname, '..', 'openapi.json')

async function document(): Promise<string> {
  const config = readConfig({ POSTHORN_LOG_LEVEL: 'silent' })
  // Nothing is asked of the database: describing an endpoint does not run it.
  const database = connect({ url: 'postgresql://nobody@127.0.0.1:9/none', onError: () => undefined })
  const store = {
    adminUrl: '',
    database,
    secrets: secretsFrom(Buffer.alloc(SECRET_BYTES)),
    close: () => database.close(),
  }
  const http = await apiServer(connectRooms(config, systemGround(config), store))
  await http.app.ready()
  const text = `${JSON.stringify(http.document(), null, 2)}\n`
  await http.app.close()
  await store.close()
  return text
}

const text = await document()
if (process.argv.includes('--check')) {
  const committed = await readFile(FILE, 'utf8').catch(() => '')
  if (committed !== text) {
    process.stderr.write('openapi.json is not what the endpoints say; accept the change with: npm run openapi\n')
    process.exit(1)
  }
} else {
  await writeFile(FILE, text)
}
process.exit(0)
