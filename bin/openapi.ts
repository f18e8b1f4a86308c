// `npm run openapi` writes openapi.json from the endpoints themselves, and from it the types of the TypeScript client;
// `--check` compares both with what is committed.

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { apiServer, connectRooms } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { systemGround } from '../src/ground.ts'
import { connect } from '../src/platform/db.ts'
import { SECRET_BYTES, secretsFrom } from '../src/platform/secrets.ts'

const ROOT = path.join(import.meta.dirname, '..')

async function document(): Promise<object> {
  const config = readConfig({ POSTHORN_LOG_LEVEL: 'silent' })
  // Nothing is asked of the database: describing an endpoint does not run it.
  const database = connect({ url: 'postgresql://nobody@127.0.0.1:9/none', onError: () => undefined })
  const store = {
    adminUrl: '',
    database,
    secrets: secretsFrom(Buffer.alloc(SECRET_BYTES)),
    renewSecrets: async () => ({ isCurrent: true, begun: true }),
    close: () => database.close(),
  }
  const http = await apiServer(connectRooms(config, systemGround(config), store))
  await http.app.ready()
  const made = http.document()
  await http.app.close()
  await store.close()
  return made
}

/** A field with a default may be left out by who asks, so it is optional; legacy paths have no types. */
async function clientTypes(made: object): Promise<string> {
  const types = await openapiTS(JSON.parse(JSON.stringify(made)) as OpenAPI3, {
    defaultNonNullable: false,
    excludeDeprecated: true,
    silent: true,
  })
  return `// Generated from openapi.json by openapi-typescript; npm run openapi writes it anew.\n\n${astToString(types)}`
}

const made = await document()
const texts = {
  'openapi.json': `${JSON.stringify(made, null, 2)}\n`,
  'clients/typescript/src/schema.ts': await clientTypes(made),
}
const stale: string[] = []
for (const [name, text] of Object.entries(texts)) {
  const file = path.join(ROOT, name)
  if (!process.argv.includes('--check')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) stale.push(name)
}
if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')}: not what the endpoints say; accept the change with: npm run openapi\n`)
  process.exit(1)
}
process.exit(0)
