import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { untilBlocked } from '../../../test/world/blocked.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import type { Zones } from '../../../test/world/zones.ts'
import { statement } from '../../platform/db.ts'
import { domainsOf } from '../domains/index.ts'
import { trackingDomainExists, trackingDomainsOf } from './tracking-domains.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(async () => {
  await world[Symbol.asyncDispose]()
})
const PATH = '/api/v1/customer/tracking-domains'
const NOTICES = statement(
  'test_tracking_notices',
  "select body from notice where account_id = $1 and kind = 'tracking_domain_lost' order by id",
)

test('a tracking domain is created, shown, listed, verified by its CNAME alone, and deleted', async () => {
  const made = await world.api.post(PATH, { domain: 'track.shop.example' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, cname_target: target, dns_setup: setup, is_verified: verified, ssl_enabled: ssl, data } = made.body
  assert.deepEqual(
    [verified, ssl, setup.record_type, setup.hostname, setup.value],
    [false, false, 'CNAME', 'track.shop.example', target],
  )
  assert.equal(data.id, id)
  assert.match(target, /^t-[0-9a-f]{32}\.mail\.posthorn\.test$/)
  const before = await world.api.post(`${PATH}/${id}/verify`)
  assert.deepEqual([before.status, before.body.success, before.body.verified], [200, true, false])
  world.zones.declare({ 'track.shop.example': { CNAME: [target] } })
  const verify = await world.api.post(`${PATH}/${id}/verify`)
  assert.deepEqual(
    [verify.body.verified, verify.body.is_verified, verify.body.verification.found],
    [true, true, target],
  )
  assert.equal((await world.api.get(PATH)).body.data.length, 1)
  assert.equal((await world.api.get(`${PATH}/${id}`)).body.domain, 'track.shop.example')
  assert.equal((await world.api.post(PATH, { domain: 'track.shop.example' })).body.code, 'already_exists')
  const gone = await world.api.delete(`${PATH}/${id}`)
  assert.deepEqual(gone.body, { success: true, data: { id, deleted: true } })
  assert.equal((await world.api.get(`${PATH}/${id}`)).status, 404)
})

test('a DNS error changes nothing, and a missing CNAME ends the verification', async () => {
  const domain = 'go.errors.example'
  const made = (await world.api.post(PATH, { domain })).body
  world.zones.declare({ [domain]: { CNAME: [made.cname_target] } })
  const verify = async (): Promise<boolean> => (await world.api.post(`${PATH}/${made.id}/verify`)).body.verified
  assert.equal(await verify(), true)
  world.zones.declare({ [domain]: () => 'servfail' })
  assert.equal(await verify(), true)
  world.zones.declare({ [domain]: { CNAME: ['elsewhere.example'] } })
  assert.equal(await verify(), false)
})

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS

test('a CNAME that comes after the first check, or comes back after it was lost, verifies the name without anybody', async () => {
  const domain = 'go.later.example'
  const { id, cname_target: target } = (await world.api.post(PATH, { domain })).body
  assert.equal((await world.api.post(`${PATH}/${id}/verify`)).body.verified, false)
  const { ground, database, store, config } = world.rooms
  const lost: unknown[] = []
  const onLost = async (_: unknown, one: unknown): Promise<void> => void lost.push(one)
  const becomes = async (verified: boolean, afterMs: number) => {
    world.clock.advance(afterMs)
    const { rechecks } = trackingDomainsOf({
      ...ground,
      ...config,
      ...store,
      database,
      wantsCertificates: false,
      onLost,
    })
    await rechecks.start()
    await rechecks.stop(AbortSignal.timeout(10_000))
    assert.equal((await world.api.get(`${PATH}/${id}`)).body.is_verified, verified)
  }
  world.zones.declare({ [domain]: { CNAME: [target] } })
  await becomes(true, 6 * MINUTE_MS)
  world.zones.declare({ [domain]: { A: ['192.0.2.1'] } })
  await becomes(false, DAY_MS + MINUTE_MS)
  await becomes(false, 61 * MINUTE_MS)
  world.zones.declare({ [domain]: { CNAME: [target] } })
  await becomes(true, 61 * MINUTE_MS)
  const { accountId } = world.account
  const error =
    "the name has no CNAME record; it has an A record: publish the CNAME in its place, without the DNS provider's proxy"
  assert.deepEqual(lost, [{ accountId, id, name: domain, error }], 'told once')
})

const CROWD = statement(
  'test_tracking_crowd',
  `insert into tracking_domain (id, account_id, name, cname_target, created_at, next_check_at)
   select gen_random_uuid(), account_id, 'd' || n || '.' || name, cname_target, created_at, $2
   from tracking_domain, generate_series(1, 60) n where id = $1`,
)
const MAKE_DUE = statement('test_tracking_due', 'update tracking_domain set next_check_at = $2 where id = $1')

test('while the DNS of one account is silent, the names of the others are checked', async () => {
  const [silent, other] = [await world.newAccount(), await world.newAccount()]
  const { ground, database, store, config } = world.rooms
  const now = ground.clock.now().getTime()
  const one = (await silent.api.post(PATH, { domain: 'go.silent.example' })).body
  await database.system.execute(CROWD, [one.id, new Date(now - 2 * MINUTE_MS)])
  const heard = (await other.api.post(PATH, { domain: 'go.heard.example' })).body
  await database.system.execute(MAKE_DUE, [heard.id, new Date(now - MINUTE_MS)])
  const asked: string[] = []
  const reached = Promise.withResolvers<true>()
  const silence = Promise.withResolvers<{ readonly kind: 'timeout' }>()
  const { rechecks } = trackingDomainsOf({
    ...{ ...ground, ...config, ...store, database },
    resolver: {
      ...ground.resolver,
      cname: (name, signal) => {
        asked.push(name)
        if (name.endsWith('silent.example')) return silence.promise
        if (name === heard.domain) reached.resolve(true)
        return ground.resolver.cname(name, signal)
      },
    },
    wantsCertificates: false,
    onLost: async () => undefined,
  })
  await rechecks.start()
  const tooLate = setTimeout(10_000, false, { ref: false })
  assert.ok(await Promise.race([reached.promise, tooLate]), 'the name of the other account waits')
  assert.equal(asked.filter((name) => name.endsWith('silent.example')).length, 15)
  silence.resolve({ kind: 'timeout' })
  await rechecks.stop(AbortSignal.timeout(10_000))
})

test('whose tracking domain is lost is told by mail: by a recheck or to another account, not by a check of their own', async () => {
  const [mine, other] = [await world.newAccount(), await world.newAccount()]
  const domain = 'go.told.example'
  const [kept, theirs] = [mine, other].map(async ({ api }) => (await api.post(PATH, { domain })).body)
  const { id, cname_target: target } = await kept
  const publish = (CNAME: string): void => world.zones.declare({ [domain]: { CNAME: [CNAME] } })
  const verify = async (api = mine.api, one = id) => (await api.post(`${PATH}/${one}/verify`)).body.verified
  const told = () => world.rooms.database.system.query<{ body: string }>(NOTICES, [mine.accountId])
  publish(target)
  assert.equal(await verify(), true)
  publish('elsewhere.example')
  assert.equal(await verify(), false)
  assert.deepEqual(await told(), [])
  publish(target)
  assert.equal(await verify(), true)
  publish((await theirs).cname_target)
  assert.equal(await verify(other.api, (await theirs).id), true)
  const [notice, ...more] = await told()
  assert.deepEqual(more, [])
  assert.match(notice?.body ?? '', /tracking domain go\[\.\]told\[\.\]example .* the CNAME leads elsewhere\.\n/)
  assert.ok(notice?.body.includes(`GET ${PATH}/${id}\n`))
})

test('a CNAME that is missing or leads elsewhere is explained as a mistake that can be fixed', async () => {
  const domain = 'go.slips.example'
  const { id, cname_target: target } = (await world.api.post(PATH, { domain })).body
  const errorWith = async (zones: Zones): Promise<string> => {
    world.zones.declare(zones)
    return (await world.api.post(`${PATH}/${id}/verify`)).body.verification.error
  }
  assert.equal(await errorWith({}), 'the name does not exist')
  assert.equal(
    await errorWith({ [`${domain}.slips.example`]: { CNAME: [target] } }),
    'the name does not exist; it stands at go.slips.example.slips.example: give it the name go',
  )
  assert.match(
    await errorWith({ [domain]: { A: ['192.0.2.1'] } }),
    /^the name has no CNAME record; it has an A record: /,
  )
  assert.match(
    await errorWith({ [domain]: { CNAME: [`${target}.slips.example`] } }),
    /^the CNAME leads elsewhere: the zone was appended to its target/,
  )
  assert.equal(await errorWith({ [domain]: { CNAME: ['mail.posthorn.test'] } }), 'the CNAME leads elsewhere')
})

for (const domain of ['co.uk', '127.0.0.1', 'localhost', 'a.mail.posthorn.test', 'Upper.example', 'x']) {
  test(`${domain} cannot be a tracking domain`, async () => {
    const { status, body } = await world.api.post(PATH, { domain })
    assert.deepEqual([status, body.code], [422, 'validation_error'])
  })
}

test('concurrent additions of tracking domains cannot exceed the limit of an account', async () => {
  const { accountId, api } = await world.newAccount()
  const fill = statement(
    'test_fill_names',
    `insert into tracking_domain (id, account_id, name, cname_target, created_at)
     select gen_random_uuid(), $1, 'n' || n || '.full.example', 't', now() from generate_series(1, 99) n`,
  )
  await world.rooms.database.system.execute(fill, [accountId])
  const added = await Promise.all(
    Array.from({ length: 16 }, (_, n) => api.post(PATH, { domain: `more${n}.full.example` })),
  )
  assert.deepEqual(added.map(({ status }) => status).toSorted(), [201, ...Array(15).fill(422)])
})

test('a tracking domain in use is deleted only by force, which detaches it from its domains', async () => {
  const sender = await world.verifiedDomain('in-use.example')
  const { id } = (await world.api.post(PATH, { domain: 'track.in-use.example' })).body
  const assigned = await world.api.patch(`/api/v1/customer/domains/${sender}`, { tracking_domain_id: id })
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body))
  const refused = await world.api.delete(`${PATH}/${id}`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'tracking_domain_in_use'])
  assert.equal((await world.api.delete(`${PATH}/${id}?force=true`)).status, 200)
  assert.equal((await world.api.get(`/api/v1/customer/domains/${sender}`)).body.data.tracking_domain_id, null)
})

test('removing a tracking domain while it is being assigned is refused, or detaches it again', async () => {
  const sender = await world.verifiedDomain('meets.example')
  const { id } = (await world.api.post(PATH, { domain: 'track.meets.example' })).body
  const { database, ground, store } = world.rooms
  const removed: ReturnType<typeof world.api.delete>[] = []
  const domains = domainsOf({
    ...{ database, clock: ground.clock, ids: ground.ids, resolver: ground.resolver, secrets: store.secrets },
    ...{ spfMechanism: 'a:mail.posthorn.test', hostname: 'mail.posthorn.test' },
    trackingDomainExists: async (db, accountId, trackingDomainId) => {
      const exists = await trackingDomainExists(db, accountId, trackingDomainId)
      removed.push(world.api.delete(`${PATH}/${id}`))
      // The removal waits for this transaction; without the lock it would finish here.
      await Promise.race([untilBlocked(database, 1), ...removed])
      return exists
    },
  })
  const holder = { accountId: world.account.accountId, domainIds: null }
  await domains.change(holder, sender, { trackingDomainId: id })
  const answers = await Promise.all(removed)
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.code]),
    [[409, 'tracking_domain_in_use']],
  )
  assert.equal((await world.api.delete(`${PATH}/${id}?force=true`)).status, 200)
  assert.equal((await world.api.get(`/api/v1/customer/domains/${sender}`)).body.data.tracking_domain_id, null)
})

const HOLD = statement('test_hold_names', 'select from tracking_domain where name = $1 for update')

test('when two accounts prove one name at once, only one has it verified', async () => {
  const other = await world.newAccount()
  const domain = 'links.twice.example'
  const mine = (await world.api.post(PATH, { domain })).body
  const theirs = (await other.api.post(PATH, { domain })).body
  // The answers seen while the record is being changed.
  const targets = [mine.cname_target, theirs.cname_target]
  world.zones.declare({ [domain]: () => ({ CNAME: [targets.shift()] }) })
  const { database } = world.rooms
  const verified: ReturnType<typeof world.api.post>[] = []
  await database.transaction(async (db) => {
    await db.query(HOLD, [domain])
    verified.push(world.api.post(`${PATH}/${mine.id}/verify`))
    await untilBlocked(database, 1)
    verified.push(other.api.post(`${PATH}/${theirs.id}/verify`))
    await untilBlocked(database, 2)
  })
  const answers = await Promise.all(verified)
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.verified]),
    [
      [200, true],
      [200, true],
    ],
  )
  const lost = (await world.api.get(`${PATH}/${mine.id}`)).body
  assert.deepEqual([lost.is_verified, lost.ssl_status, lost.ssl_expires_at], [false, 'none', null])
  const { found, error } = lost.verification
  assert.deepEqual([found, error], [theirs.cname_target, 'the CNAME leads elsewhere'], 'who lost it is told why')
  assert.equal((await other.api.get(`${PATH}/${theirs.id}`)).body.is_verified, true)
})

test('a verify that waited for the DNS undoes neither the proof of a later one nor that of another account', async () => {
  const other = await world.newAccount()
  const domain = 'links.late.example'
  const mine = (await world.api.post(PATH, { domain })).body
  const theirs = (await other.api.post(PATH, { domain })).body
  const { database, ground, store } = world.rooms
  const config = { hostname: 'mail.posthorn.test', publicUrl: world.url, wantsCertificates: false }
  /** Asks the DNS now and is answered after `meanwhile`. */
  const late = async (meanwhile: () => Promise<unknown>): Promise<boolean> => {
    const asked = Promise.withResolvers<void>()
    const isOver = Promise.withResolvers<void>()
    const resolver: typeof world.zones = {
      ...world.zones,
      cname: async (name, signal) => {
        const answer = await world.zones.cname(name, signal)
        asked.resolve()
        await isOver.promise
        return answer
      },
    }
    const onLost = async (): Promise<void> => undefined
    const names = trackingDomainsOf({ ...ground, ...config, ...store, database, resolver, onLost })
    const verifying = names.verify(world.account.accountId, mine.id)
    await asked.promise
    await meanwhile()
    isOver.resolve()
    return (await verifying).verified_at !== null
  }
  const publish = (CNAME: string): void => world.zones.declare({ [domain]: { CNAME: [CNAME] } })
  const mineIsFound = await late(async () => {
    publish(mine.cname_target)
    assert.equal((await world.api.post(`${PATH}/${mine.id}/verify`)).body.verified, true)
  })
  assert.equal(mineIsFound, true)
  const mineIsKept = await late(async () => {
    publish(theirs.cname_target)
    assert.equal((await other.api.post(`${PATH}/${theirs.id}/verify`)).body.verified, true)
  })
  assert.equal(mineIsKept, false)
  assert.equal((await other.api.get(`${PATH}/${theirs.id}`)).body.is_verified, true)
})

test('a CNAME to the target of one account proves nothing for another, and a deleted name stays reserved', async () => {
  const other = await world.newAccount()
  const domain = 'links.held.example'
  const mine = (await world.api.post(PATH, { domain })).body
  const theirs = (await other.api.post(PATH, { domain })).body
  assert.notEqual(mine.cname_target, theirs.cname_target)
  world.zones.declare({ [domain]: { CNAME: [mine.cname_target] } })
  assert.equal((await other.api.post(`${PATH}/${theirs.id}/verify`)).body.verified, false)
  assert.equal((await world.api.post(`${PATH}/${mine.id}/verify`)).body.verified, true)
  assert.equal((await other.api.get(`${PATH}/${mine.id}`)).status, 404)
  await world.api.delete(`${PATH}/${mine.id}`)
  world.zones.declare({ [domain]: { CNAME: [theirs.cname_target] } })
  assert.equal((await other.api.post(`${PATH}/${theirs.id}/verify`)).body.verified, false)
  world.clock.advance(31 * 86_400_000)
  assert.equal((await other.api.post(`${PATH}/${theirs.id}/verify`)).body.verified, true)
})

test('an account has at most 100 tracking domains', async () => {
  const { body } = await world.api.get(PATH)
  for (let i = body.data.length; i < 100; i++) {
    assert.equal((await world.api.post(PATH, { domain: `t${i}.many.example` })).status, 201)
  }
  const one = await world.api.post(PATH, { domain: 'more.many.example' })
  assert.equal(one.status, 422, JSON.stringify(one.body))
})
