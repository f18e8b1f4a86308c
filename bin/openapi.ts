// `npm run openapi` generates openapi.json from the endpoints, and from it the types of the TypeScript client; `--check`
// compares both with the committed files.

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { apiServer, connectRooms } from '../src/app.ts'
import { systemGround } from '../src/composition/ground.ts'
import { readConfig } from '../src/config.ts'
import { connect } from '../src/platform/db.ts'
import { SECRET_BYTES, secretsFrom } from '../src/platform/secrets.ts'

const ROOT = path.join(import.meta.dirname, '..')

async function document(): Promise<object> {
  const config = readConfig({ POSTHORN_LOG_LEVEL: 'silent' })
  // The database is never queried: describing an endpoint does not run it.
  const database = connect({ url: 'postgresql://nobody@127.0.0.1:9/none', onError: () => undefined })
  const store = {
    adminUrl: '',
    clusterFolders: [],
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

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly deprecated?: boolean }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** A JavaScript global; the client exports it under another name. */
const NOT_EXPORTED = 'Error'

/** A field with a default may be omitted in a request, so it is optional; legacy paths get no types. */
async function clientTypes(made: object): Promise<string> {
  const document = JSON.parse(JSON.stringify(made)) as Described
  const present = Object.entries(document.components.schemas).filter(([name]) => !name.endsWith('Legacy'))
  const components = { ...document.components, schemas: Object.fromEntries(present) }
  const kept = Object.entries(document.paths).map(([path, methods]) => {
    const operations = Object.entries(methods).filter(([, { deprecated }]) => deprecated !== true)
    return [path, Object.fromEntries(operations)] as const
  })
  const paths = Object.fromEntries(kept.filter(([, operations]) => Object.keys(operations).length > 0))
  const types = await openapiTS({ ...document, paths, components } as unknown as OpenAPI3, {
    defaultNonNullable: false,
    silent: true,
  })
  const names = present.flatMap(([name]) =>
    name === NOT_EXPORTED ? [] : [`export type ${name} = components['schemas']['${name}']`],
  )
  return `// Generated from openapi.json by openapi-typescript; npm run openapi writes it anew.\n\n${astToString(types)}\n${names.join('\n')}\n`
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
