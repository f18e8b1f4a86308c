import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fixture, fixture } from '../../../test/world/accounts-fixture.ts'
import type { Database } from '../../platform/db.ts'
import { type LastUseLog, lastUseLog } from './last-use.ts'
import { type KeyRow, listKeys, type SmtpRow, selectSmtp } from './sql.ts'

const [EARLY, LATE] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-01T10:00:05Z')]

interface Told {
  readonly id: string
  keyUse(log: LastUseLog, at: Date, ip: string): void
  smtpUse(log: LastUseLog, at: Date): void
  key(): Promise<KeyRow>
  smtp(mode: 'live' | 'sandbox'): Promise<SmtpRow>
}

async function told(home: Fixture): Promise<Told> {
  const { accountId } = await home.account()
  const { system } = home.database
  const [first] = await listKeys(system, accountId, null, 0)
  const id = first?.id ?? assert.fail('an account begins with a key')
  return {
    id,
    keyUse: (log, at, ip) => log.key({ accountId, id, at, ip }),
    smtpUse: (log, at) => log.smtp({ accountId, mode: 'live', at }),
    key: async () => (await listKeys(system, accountId, null, 0)).find((row) => row.id === id) ?? assert.fail(),
    smtp: async (mode) => (await selectSmtp(system, accountId, mode)) ?? assert.fail(),
  }
}

test('a use that another process writes later than a newer one does not take its place', async () => {
  await using home = await fixture()
  const { keyUse, smtpUse, key, smtp } = await told(home)
  for (const [at, ip] of [
    [LATE, '192.0.2.2'],
    [EARLY, '192.0.2.1'],
  ] as const) {
    const log = lastUseLog(home.database)
    keyUse(log, at, ip)
    smtpUse(log, at)
    await log.flush()
  }
  const { last_used_at: at, last_used_ip: ip } = await key()
  assert.deepEqual([at, ip], [LATE, '192.0.2.2'])
  assert.deepEqual((await smtp('live')).last_used_at, LATE)
  assert.equal((await smtp('sandbox')).last_used_at, null, 'the other credential was not used')
})

test('a use that could not be written is written by the next flush, unless there was a newer one', async () => {
  await using home = await fixture()
  const { keyUse, smtpUse, key, smtp } = await told(home)
  let meanwhile: ((log: LastUseLog) => void) | null = null
  const system: Database['system'] = {
    ...home.database.system,
    execute: async (statement, values) => {
      if (meanwhile === null) return home.database.system.execute(statement, values)
      meanwhile(log)
      meanwhile = null
      throw new Error('the database is away')
    },
  }
  const log = lastUseLog({ ...home.database, system })
  keyUse(log, EARLY, '192.0.2.1')
  smtpUse(log, EARLY)
  meanwhile = () => undefined
  await assert.rejects(log.flush(), /away/)
  await log.flush()
  assert.deepEqual([(await key()).last_used_at, (await smtp('live')).last_used_at], [EARLY, EARLY])
  keyUse(log, EARLY, '192.0.2.1')
  meanwhile = () => keyUse(log, LATE, '192.0.2.2')
  await assert.rejects(log.flush(), /away/)
  await log.flush()
  assert.deepEqual([(await key()).last_used_at, (await key()).last_used_ip], [LATE, '192.0.2.2'])
})
