import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  ACCOUNT,
  HOUR_MS,
  ids,
  type Json,
  OTHER,
  principal,
  START,
  startDomains,
  V1,
} from '../../../test/world/domains.ts'
import { statement } from '../../platform/db.ts'
import { createLogger } from '../../platform/log.ts'
import { domainsOf, oldestUsable, ownedDomains, recheckDue, senderDomainsOf } from './index.ts'

const fixture = await startDomains()
after(() => fixture[Symbol.asyncDispose]())
const { addDomain, ask, clock, database, domains, eventsOf, principals, publish, secrets, senders, time, zones } =
  fixture
const log = createLogger('silent')

test('publishing the four given values verifies the domain, with one event', async () => {
  const domain = await addDomain()
  const early = await ask('POST', `${V1}/${domain.id}/verify`)
  assert.deepEqual([early.status, early.body.verified, early.body.success], [200, false, true])
  assert.deepEqual(
    Object.values<Json>(early.body.checks).map(({ status }) => status),
    ['missing', 'missing', 'missing', 'missing'],
  )
  await publish(domain)
  for (let round = 0; round < 2; round++) {
    const { body } = await ask('POST', `${V1}/${domain.id}/verify`)
    assert.deepEqual([body.verified, body.verification_status, body.domain.is_active], [true, 'verified', true])
    assert.equal(body.domain.verified_at, time.now.toISOString())
    assert.equal(body.data.id, domain.id)
    assert.deepEqual(new Set(body.dns_records.map((record: Json) => record.status)), new Set(['valid']))
    assert.ok(Date.parse(body.next_check_at) >= time.now.getTime() + 24 * HOUR_MS)
  }
  const events = await eventsOf(domain.id)
  assert.equal(events.length, 1)
  const [{ type, data } = { type: 0, data: {} }] = events
  assert.deepEqual(
    [type, data.domain_id, data.domain, data.verification_status],
    [20, domain.id, domain.domain, 'verified'],
  )
  assert.equal(data.checks.dkim.status, 'valid')
})

test('two accounts with one domain: each is checked with its own token and key', async () => {
  const mine = await addDomain('ours', 'contested.example')
  const theirs = await addDomain('theirs', 'contested.example')
  await publish(theirs, 'theirs')
  assert.equal((await ask('POST', `${V1}/${mine.id}/verify`)).body.verified, false)
  const proved = await ask('POST', `${V1}/${theirs.id}/verify`, undefined, { 'x-api-key': 'theirs' })
  assert.equal(proved.body.verified, true)
  await publish(mine)
  assert.equal((await ask('POST', `${V1}/${mine.id}/verify`)).body.verified, true)
})

test('the second key is offered, signs once it is published, and not while another key is published there', async () => {
  const domain = await addDomain()
  await publish(domain)
  const optional = async (): Promise<Json> =>
    (await ask('GET', `${V1}/${domain.id}/dns`)).body.optional_records.find(({ purpose }: Json) => purpose === 'dkim')
  const signs = async (): Promise<string | null> => {
    time.monotonicMs += 5_000
    const keys = await senders.signingKeys(database.system, [domain.id])
    return keys.get(domain.id)?.ed25519?.selector ?? null
  }
  const record = await optional()
  assert.deepEqual([record.required, record.status, record.last_checked_at], [false, 'pending', null])
  assert.match(record.value, /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/)
  const verify = (): Promise<{ body: Json }> => ask('POST', `${V1}/${domain.id}/verify`)
  const rounds: [records: readonly string[] | 'servfail', status: string, signing: boolean][] = [
    [[], 'missing', false],
    [[record.value], 'valid', true],
    ['servfail', 'error', true],
    [[record.value.replace(/p=.{4}/, 'p=AAAA')], 'mismatch', false],
    [[record.value, record.value], 'multiple', false],
    [[record.value.replace('ed25519', 'rsa')], 'mismatch', false],
    [[`k=ed25519;p=${record.value.split('p=')[1]}`], 'valid', true],
  ]
  for (const [records, status, signing] of rounds) {
    zones.declare({ [record.name]: records === 'servfail' ? 'servfail' : { TXT: records } })
    const { body } = await verify()
    assert.deepEqual([body.verified, Object.keys(body.checks).length], [true, 4], 'it decides nothing')
    assert.equal((await optional()).status, status)
    assert.equal(await signs(), signing ? `${domain.dkim_selector}e` : null, status)
  }
})

test('answers of a hostile DNS are stored and shown as text', async () => {
  const domain = await addDomain()
  await publish(domain, 'ours', ['spf'])
  zones.declare({ [domain.domain]: { TXT: ['v=spf1 a:\0\ud800 <script> -all'] } })
  const { status, body } = await ask('POST', `${V1}/${domain.id}/verify`)
  assert.deepEqual([status, body.checks.spf.status], [200, 'mismatch'])
  assert.equal((await ask('GET', `${V1}/${domain.id}/dns`)).body.dns_records[1].status, 'mismatch')
})

async function statusOf(id: string): Promise<string> {
  return (await ask('GET', `${V1}/${id}`)).body.data.verification_status
}

async function recheckAt(at: Date): Promise<void> {
  time.now = at
  await recheckDue({ database, clock, domains, log }, new AbortController().signal)
}

test('scheduled rechecks: verified, lost, back, lost for 72 hours; a dead DNS changes nothing', async (t) => {
  t.after(() => {
    time.now = START
  })
  const domain = await addDomain()
  await publish(domain)
  const hours = (count: number): Date => new Date(START.getTime() + count * HOUR_MS)
  await recheckAt(hours(0.05))
  assert.equal(await statusOf(domain.id), 'pending')
  await recheckAt(hours(0.1))
  assert.equal(await statusOf(domain.id), 'verified')
  const dkim = `${domain.dkim_selector}._domainkey.${domain.domain}`
  const key = { TXT: [`p=${domain.dkim_public_key}`] }
  zones.declare({ [dkim]: 'timeout' })
  await recheckAt(hours(30))
  assert.equal(await statusOf(domain.id), 'verified')
  zones.forget(dkim)
  await recheckAt(hours(60))
  assert.equal(await statusOf(domain.id), 'temporary_failure')
  zones.declare({ [dkim]: key })
  await recheckAt(hours(61))
  assert.equal(await statusOf(domain.id), 'verified')
  zones.forget(dkim)
  await recheckAt(hours(90))
  await recheckAt(hours(161))
  assert.equal(await statusOf(domain.id), 'temporary_failure')
  await recheckAt(hours(163))
  assert.equal(await statusOf(domain.id), 'failed')
  zones.declare({ [dkim]: key })
  await recheckAt(hours(200))
  assert.equal(await statusOf(domain.id), 'failed')
  assert.equal((await ask('POST', `${V1}/${domain.id}/verify`)).body.verified, true)
  assert.deepEqual(
    (await eventsOf(domain.id)).map(({ type }) => type),
    [20, 21, 20, 21, 21, 20],
  )
})

test('a recheck that is broken off by a stop leaves what the one before found; the next one is kept', async () => {
  const added = await addDomain()
  await publish(added)
  await ask('POST', `${V1}/${added.id}/verify`)
  const [domain] = await domains.find(added.id)
  assert.ok(domain !== undefined)
  time.now = new Date(time.now.getTime() + HOUR_MS)
  await assert.rejects(domains.recheck(domain, AbortSignal.abort()))
  assert.deepEqual(await domains.find(added.id), [domain])
  const checked = await domains.recheck(domain, new AbortController().signal)
  assert.deepEqual([checked?.verifiedAt, checked?.lastCheckedAt], [domain.verifiedAt, time.now])
})

test('ten simultaneous verifies report one change of state once', async () => {
  const domain = await addDomain()
  await publish(domain)
  await Promise.all(Array.from({ length: 10 }, () => ask('POST', `${V1}/${domain.id}/verify`)))
  assert.equal((await eventsOf(domain.id)).length, 1)
})

test('set by the operator, suspended stays whatever the DNS says, and verified stays without rechecks', async () => {
  const domain = await addDomain()
  await publish(domain)
  const [known] = await domains.find(domain.domain)
  assert.equal(known?.id, domain.id)
  assert.equal((await domains.find(domain.id))[0]?.name, domain.domain)
  await domains.setStatus(ACCOUNT, domain.id, 'suspended')
  const suspended = (await ask('POST', `${V1}/${domain.id}/verify`)).body
  assert.deepEqual(
    [suspended.verified, suspended.verification_status, suspended.next_check_at],
    [false, 'suspended', null],
  )
  const removal = await ask('DELETE', `${V1}/${domain.id}`)
  assert.deepEqual([removal.status, removal.body.code], [409, 'invalid_state'])
  const again = await ask('POST', V1, { domain: domain.domain })
  assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
  const set = await domains.setStatus(ACCOUNT, domain.id, 'verified')
  assert.deepEqual([set.status, set.nextCheckAt], ['verified', null])
  assert.deepEqual(
    (await eventsOf(domain.id)).map(({ type }) => type),
    [20],
  )
  assert.equal((await ask('DELETE', `${V1}/${domain.id}`)).status, 200)
})

test('a sender look-up is answered from memory, and a change in another process takes effect', async () => {
  const domain = await addDomain()
  assert.equal(await senders.senderDomain(database.system, ACCOUNT, `sub.${domain.domain}`), null)
  assert.equal(await senders.senderDomain(database.system, OTHER, domain.domain), null)
  const before = await senders.senderDomain(database.system, ACCOUNT, domain.domain)
  assert.deepEqual([before?.id, before?.status, before?.isActive], [domain.id, 'pending', false])
  // The notification of its creation may come only now: an answer in between is not kept.
  const look = () => senders.senderDomain(database.system, ACCOUNT, domain.domain)
  let [first, second] = [await look(), await look()]
  while (first !== second) [first, second] = [second, await look()]
  // The other process: its change reaches this cache only through the database.
  await domains.setStatus(ACCOUNT, domain.id, 'verified')
  const heard = async (): Promise<boolean> =>
    (await senders.senderDomain(database.system, ACCOUNT, domain.domain))?.isActive === true
  for (let turn = 0; turn < 6_000 && !(await heard()); turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.ok(await heard())
  await ask('DELETE', `${V1}/${domain.id}`)
  time.monotonicMs += 5_000
  assert.equal(await senders.senderDomain(database.system, ACCOUNT, domain.domain), null)
})

test('a confirmed change holds for the next mail, even if this process has not been notified yet', async () => {
  const domain = await addDomain()
  // Does not listen for changes.
  const deaf = senderDomainsOf({ database, clock, secrets, log })
  const context = {
    database,
    clock,
    ids,
    resolver: zones,
    secrets,
    spfMechanism: domains.spfMechanism,
    hostname: domains.hostname,
  }
  const own = domainsOf({ ...context, onChanged: deaf.forget })
  const holder = { accountId: ACCOUNT, domainIds: null }
  const seen = async (): Promise<unknown> => deaf.senderDomain(database.system, ACCOUNT, domain.domain)
  assert.partialDeepStrictEqual(await seen(), { isActive: false, settings: { openTrackingEnabled: null } })
  await own.change(holder, domain.id, { openTrackingEnabled: false })
  assert.partialDeepStrictEqual(await seen(), { isActive: false, settings: { openTrackingEnabled: false } })
  await publish(domain)
  assert.equal((await own.verify(holder, domain.id)).domain.status, 'verified')
  assert.partialDeepStrictEqual(await seen(), { isActive: true })
  await own.remove(holder, domain.id)
  assert.equal(await seen(), null)
})

test('signing keys are returned decrypted, without those of removed domains', async () => {
  const [one, two] = [await addDomain(), await addDomain('theirs')]
  const keys = await senders.signingKeys(database.system, [one.id, two.id, one.id, ids.next()])
  assert.deepEqual([...keys.keys()].sort(), [one.id, two.id].sort())
  const key = keys.get(one.id)
  assert.deepEqual([key?.domain, key?.selector, key?.isActive], [one.domain, one.dkim_selector, false])
  assert.equal(key?.privateKey?.export({ type: 'pkcs8', format: 'pem' }), one.dkim_private_key)
  await ask('DELETE', `${V1}/${one.id}`)
  time.monotonicMs += 5_000
  const left = await senders.signingKeys(database.system, [one.id, two.id])
  assert.deepEqual([...left.keys()], [two.id])
  assert.ok(left.get(two.id)?.privateKey?.equals(keys.get(two.id)?.privateKey as never))
})

test('delivery sees at once that a domain is in use, even in a process that gets no notification', async () => {
  const domain = await addDomain()
  const deaf = senderDomainsOf({ database, clock, secrets, log })
  const isActive = async (): Promise<boolean | undefined> =>
    (await deaf.signingKeys(database.system, [domain.id])).get(domain.id)?.isActive
  assert.equal(await isActive(), false)
  await domains.setStatus(ACCOUNT, domain.id, 'verified')
  assert.equal(await isActive(), true)
  await domains.setStatus(ACCOUNT, domain.id, 'failed')
  assert.equal(await isActive(), true)
  time.monotonicMs += 5_000
  assert.equal(await isActive(), false)
})

const SWAP = statement(
  'test_domain_swap',
  `update sending_domain a set dkim_private_key = b.dkim_private_key from sending_domain b
   where (a.id, b.id) in (($1::uuid, $2::uuid), ($2::uuid, $1::uuid))`,
)
test('two sealed keys swapped in the database do not open', async () => {
  const [one, two] = [await addDomain(), await addDomain()]
  assert.equal(await database.system.execute(SWAP, [one.id, two.id]), 2)
  const fresh = senderDomainsOf({ database, clock, secrets, log })
  const keys = await fresh.signingKeys(database.system, [one.id, two.id])
  for (const { id } of [one, two]) assert.equal(keys.get(id)?.privateKey, null)
})

test('the oldest domain in use, and the ids that belong to an account', async () => {
  const accountId = ids.next()
  principals.set('fresh', principal(accountId))
  const [pending, used] = [await addDomain('fresh'), await addDomain('fresh')]
  assert.equal(await oldestUsable(database.system, accountId), null)
  await domains.setStatus(accountId, used.id, 'temporary_failure')
  assert.deepEqual(await oldestUsable(database.system, accountId), { id: used.id, name: used.domain })
  const owned = await ownedDomains(database.system, accountId, [pending.id, used.id, ids.next()])
  assert.deepEqual([...owned].sort(), [pending.id, used.id].sort())
  assert.equal((await ownedDomains(database.system, OTHER, [pending.id])).size, 0)
})

test('the database itself shows a tenant only its own rows', async () => {
  const all = statement('test_domain_all', 'select account_id from sending_domain')
  const rows = await database.tenant(OTHER, (db) => db.query<{ account_id: string }>(all))
  assert.ok(rows.length > 0)
  assert.deepEqual(new Set(rows.map((row) => row.account_id)), new Set([OTHER]))
})

const OVERTAKEN = [
  ['recheck', 'a verify'],
  ['verify', 'a verify'],
  ['recheck', "the operator's word"],
  ['verify', "the operator's word"],
] as const
for (const [what, by] of OVERTAKEN) {
  test(`a ${what} overtaken by ${by} does not undo it`, async (t) => {
    t.after(() => {
      time.now = START
    })
    const domain = await addDomain()
    const { promise: looking, resolve: looks } = Promise.withResolvers<void>()
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const late = domainsOf({
      database,
      clock,
      ids,
      secrets,
      resolver: {
        ...zones,
        txt: async (name) => {
          const found = await zones.txt(name)
          looks()
          await answered
          return found
        },
      },
      spfMechanism: 'a:mx.posthorn.example',
      hostname: 'mx.posthorn.example',
    })
    const owner = { accountId: ACCOUNT, domainIds: null }
    const overtaken =
      what === 'recheck'
        ? late.recheck(await domains.get(owner, domain.id), new AbortController().signal)
        : late.verify(owner, domain.id).then((verified) => verified.domain)
    await looking
    time.now = new Date(START.getTime() + 1_000)
    if (by === 'a verify') {
      await publish(domain)
      assert.equal((await ask('POST', `${V1}/${domain.id}/verify`)).body.verified, true)
    } else await domains.setStatus(ACCOUNT, domain.id, 'verified')
    time.now = new Date(START.getTime() + 2_000)
    answer()
    assert.equal((await overtaken)?.status, 'verified')
    const [{ nextCheckAt } = { nextCheckAt: undefined }] = await domains.find(domain.id)
    assert.equal(nextCheckAt === null, by !== 'a verify', 'what the operator has said is not rechecked')
    assert.equal(await statusOf(domain.id), 'verified')
    assert.equal((await eventsOf(domain.id)).length, 1)
  })
}
