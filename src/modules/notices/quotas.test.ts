import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freshDb } from '../../../test/world/database.ts'
import { systemClock } from '../../platform/clock.ts'
import { connect, statement } from '../../platform/db.ts'
import { systemIds } from '../../platform/ids.ts'
import { createLogger } from '../../platform/log.ts'
import { noticeServices } from './index.ts'

const ACCOUNTS = 300
const MONTH = '2026-03-01'
const USE = statement(
  'test_use_quotas',
  `insert into usage (account_id, resource, month, used)
   select id, resource, $1, 1 from (select gen_random_uuid() as id from generate_series(1, $2)) a,
     unnest(array['emails', 'validations', 'content_checks']) resource`,
)

test('the accounts of a page of usage are asked for at the same time, each once', async () => {
  await using store = await freshDb()
  const database = connect({ url: store.url, onError: () => undefined })
  await database.system.execute(USE, [MONTH, ACCOUNTS])
  const asked: string[] = []
  const looked = Promise.withResolvers<void>()
  let together = 0
  let most = 0
  const services = noticeServices({
    database,
    clock: systemClock(),
    ids: systemIds(),
    log: createLogger('silent'),
    mailer: { maySend: async () => false, send: async () => assert.fail('nothing is to be mailed') },
    buckets: { take: async () => assert.fail('nothing is to be mailed') },
    operatorEmail: null,
    account: async (id) => {
      asked.push(id)
      most = Math.max(most, ++together)
      await setImmediate()
      together--
      return null
    },
    month: () => MONTH,
    hasRoom: () => true,
    // Asked after the quotas.
    certificate: async () => {
      looked.resolve()
      return null
    },
    trackingCertificates: async () => [],
    complaints: async () => [],
    opens: async () => [],
    onMailed: () => undefined,
  })
  const looking = services.find(({ name }) => name === 'notices of quotas')
  await looking?.start()
  await looked.promise
  await looking?.stop(AbortSignal.timeout(10_000))
  await database.close()
  assert.deepEqual([asked.length, new Set(asked).size, most], [ACCOUNTS, ACCOUNTS, ACCOUNTS])
})
