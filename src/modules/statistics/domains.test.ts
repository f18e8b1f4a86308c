import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../../test/world/accounts-fixture.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { append, ensureEventPartitions } from '../events/index.ts'
import { followStatistics } from './jobs.ts'

const REPORT = '/api/v1/stats/outbound/domains'
const HOUR_MS = 3_600_000
const [LARGE, IDLE, TAGGED] = [1, 2, 3].map((n) => `0189aaaa-0000-7000-8000-00000000000${n}`)

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world[Symbol.asyncDispose]())

test('the domains with the most mail come first, with the figures that each has alone', async () => {
  const { database, ground } = world.rooms
  const account = await world.newAccount()
  const domain = await account.api.post('/api/v1/customer/domains', { domain: 'small.example' })
  const small: string = domain.body.data.id
  const now = world.clock.now().getTime()
  await ensureEventPartitions(database.system, new Date(now - 100 * HOUR_MS))
  const facts = (domainId: string | undefined, count: number, tag: string | null = null) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ eventId: ground.ids.next(), emailId: ground.ids.next(), accountId: account.accountId },
      ...{ at: new Date(now - i * 20 * HOUR_MS), domainId: domainId ?? null, tag, stream: 'transactional' as const },
      ...{ type: 'email.sent' as const, sandbox: domainId === IDLE, provider: null, data: {}, facts: null },
    }))
  // Idle has sandbox mail only.
  await append(database.system, [
    ...facts(small, 2),
    ...facts(LARGE, 4),
    ...facts(IDLE, 5),
    ...facts(TAGGED, 3, 'news'),
  ])
  // A transaction that anybody has open on this server, in another database too, keeps followers from what came after it.
  await until(async () => {
    await followStatistics(database)
    return (await account.api.get('/api/v1/stats/outbound?include_sandbox=true')).body.data.sent === 14
  })
  const told = async (query: string): Promise<readonly unknown[]> => {
    const { status, body } = await account.api.get(`${REPORT}?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    for (const { domain_id: id, ...figures } of body.data) {
      const alone = await account.api.get(
        `/api/v1/stats/outbound?domain_id=${id}&${query.replace(/(?:limit|domain_id)=[^&]*/, '')}`,
      )
      assert.deepEqual(figures, alone.body.data)
      assert.deepEqual(body.period, alone.body.period)
    }
    return body.data.map(({ domain_id: id, sent }: { domain_id: string; sent: number }) => [id, sent])
  }
  assert.deepEqual(await told(''), [
    [LARGE, 4],
    [TAGGED, 3],
    [small, 2],
  ])
  assert.deepEqual(await told('limit=1&timezone=Asia/Kathmandu'), [[LARGE, 4]])
  assert.deepEqual(await told('tag=news'), [[TAGGED, 3]])
  assert.deepEqual(await told(`domain_id=${small}`), [[small, 2]])
  assert.deepEqual((await told('include_sandbox=true'))[0], [IDLE, 5])
  assert.deepEqual(await told('stream=broadcast'), [])
  assert.equal((await account.api.get(`${REPORT}?limit=101`)).status, 400)
  const made = await account.api.post('/api/v1/customer/api-keys', { name: 'bound', domain_ids: [small] })
  const bound = world.apiWith(made.body.data.key)
  assert.deepEqual(
    (await bound.get(REPORT)).body.data.map((row: { domain_id: string }) => row.domain_id),
    [small],
  )
  assert.deepEqual((await bound.get(`${REPORT}?domain_id=${LARGE}`)).body.data, [])
})
