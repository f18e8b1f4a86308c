// A process with the roles in POSTHORN_ROLES on a test database, which lacks the durability settings that `serve` requires.
// Prints `ready` when it is up, with the ports it chose where none was given, and exists to be killed.

import { startApp } from '../../src/app.ts'
import { systemGround } from '../../src/composition/ground.ts'
import { readConfig } from '../../src/config.ts'
import { connect } from '../../src/platform/db.ts'
import { openSecrets, renewSecrets } from '../../src/platform/secrets/keys.ts'

const config = readConfig({ POSTHORN_HTTP_PORT: '0', ...process.env })
const url = process.env['DATABASE_URL'] ?? ''
const database = connect({ url, onError: () => undefined })
const secrets = await openSecrets(database, config)
const app = await startApp(config, systemGround(config), {
  adminUrl: url,
  clusterFolders: [],
  database,
  secrets,
  renewSecrets: () => renewSecrets(database, secrets, config),
  close: async () => undefined,
})
process.once('SIGTERM', () => {
  void app.stop(AbortSignal.timeout(10_000)).then(() => database.close())
})
console.log(`ready ${JSON.stringify({ mx: app.mxPort, submission: app.submissionPorts?.implicitTls[0] })}`)
