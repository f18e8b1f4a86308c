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
import { domainsOf, recheckDue } from './index.ts'

const fixture = await startDomains()
after(() => fixture[Symbol.asyncDispose]())
const { addDomain, ask, clock, database, domains, eventsOf, principals, publish, secrets, senders, time, zones } =
  fixture
const log = createLogger('silent')
const SEALED = statement(
  'test_domain_sealed',
  'select dkim_private_key as current, next_dkim_private_key as next, next_ed25519_private_key as second from sending_domain where id = $1',
)
const DAY_MS = 24 * HOUR_MS

async function verifiedDomain(): Promise<Json> {
  const domain = await addDomain()
  await publish(domain)
  const { body } = await ask('POST', `${V1}/${domain.id}/verify`)
  assert.equal(body.verified, true)
  return body.domain
}

const rotate = ({ id }: Json, key = 'ours') => ask('POST', `${V1}/${id}/dkim/rotate`, undefined, { 'x-api-key': key })
const cancel = ({ id }: Json) => ask('DELETE', `${V1}/${id}/dkim/rotate`)
const verify = async ({ id }: Json): Promise<Json> => (await ask('POST', `${V1}/${id}/verify`)).body
const shown = async ({ id }: Json): Promise<Json> => (await ask('GET', `${V1}/${id}`)).body.data

async function nextRecords({ id }: Json): Promise<readonly Json[]> {
  const { body } = await ask('GET', `${V1}/${id}/dns`)
  return body.optional_records.filter(({ purpose }: Json) => purpose === 'dkim_next')
}

async function optionalRecord({ id }: Json, wanted: string): Promise<Json> {
  const { body } = await ask('GET', `${V1}/${id}/dns`)
  return body.optional_records.find(({ purpose }: Json) => purpose === wanted)
}

async function signs({ id }: Json): Promise<readonly (string | undefined)[]> {
  time.monotonicMs += 5_000
  const key = (await senders.signingKeys(database.system, [id])).get(id)
  return [key?.selector, key?.ed25519?.selector]
}

test('new keys wait under their own selector, and sign once their record is found', async () => {
  const domain = await verifiedDomain()
  assert.deepEqual([domain.dkim_rotation, domain.previous_dkim_key], [null, null])
  const { status, body } = await rotate(domain)
  const { selector } = body.data.dkim_rotation
  assert.equal(status, 200)
  assert.deepEqual(body.domain, body.data)
  assert.match(selector, /^ph[0-9a-f]{10}$/)
  assert.notEqual(selector, domain.dkim_selector)
  assert.equal(body.data.dkim_selector, domain.dkim_selector)
  assert.deepEqual(body.data.dkim_rotation, { selector, status: 'pending', requested_at: START.toISOString() })
  assert.equal('dkim_private_key' in body.data, false)

  const [rsa, ed25519] = await nextRecords(domain)
  assert.deepEqual([rsa.name, rsa.type, rsa.required], [`${selector}._domainkey.${domain.domain}`, 'TXT', false])
  assert.match(rsa.value, /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{300,}$/)
  assert.ok(!rsa.value.includes(domain.dkim_public_key))
  assert.equal(ed25519.name, `${selector}e._domainkey.${domain.domain}`)
  assert.match(ed25519.value, /^v=DKIM1; k=ed25519; p=/)

  const missing = await verify(domain)
  assert.deepEqual([missing.verified, missing.domain.dkim_rotation.status], [true, 'missing'])
  assert.deepEqual(await signs(domain), [domain.dkim_selector, undefined])
  assert.equal((await nextRecords(domain))[0].error, `no DKIM key at ${rsa.name}`)

  zones.declare({ [rsa.name]: { TXT: [rsa.value] }, [ed25519.name]: { TXT: [ed25519.value] } })
  const { domain: replaced, checks, dns_records: records } = await verify(domain)
  assert.deepEqual([replaced.dkim_selector, replaced.dkim_rotation], [selector, null])
  assert.deepEqual(replaced.previous_dkim_key, {
    selector: domain.dkim_selector,
    replaced_at: START.toISOString(),
    keep_record_until: new Date(START.getTime() + 7 * DAY_MS).toISOString(),
  })
  assert.deepEqual([checks.dkim.status, checks.dkim.expected], ['valid', rsa.value])
  assert.deepEqual([records[2].name, records[2].status], [rsa.name, 'valid'])
  assert.deepEqual(await signs(domain), [selector, `${selector}e`])
  assert.deepEqual(await nextRecords(domain), [])
  assert.equal((await eventsOf(domain.id)).length, 1, 'its status has not changed')
})

test('a second call answers the same keys, also at the same time, and those of a cancelled replacement are gone', async () => {
  const domain = await verifiedDomain()
  const answers = await Promise.all([rotate(domain), rotate(domain), rotate(domain)])
  const [selector, ...others] = new Set(answers.map(({ body }) => body.data.dkim_rotation.selector))
  assert.deepEqual(others, [])
  assert.equal((await rotate(domain)).body.data.dkim_rotation.selector, selector)
  const [rsa] = await nextRecords(domain)
  for (let round = 0; round < 2; round++) {
    const { status, body } = await cancel(domain)
    assert.deepEqual([status, body.data.dkim_rotation, body.data.dkim_selector], [200, null, domain.dkim_selector])
  }
  zones.declare({ [rsa.name]: { TXT: [rsa.value] } })
  assert.equal((await verify(domain)).domain.dkim_selector, domain.dkim_selector)
  const { next, second } = (await database.system.one<Json>(SEALED, [domain.id])) as Json
  assert.deepEqual([next, second], [null, null])
  assert.notEqual((await rotate(domain)).body.data.dkim_rotation.selector, selector)
})

test('the replaced private key is gone from the row', async () => {
  const domain = await verifiedDomain()
  await rotate(domain)
  const before = await database.system.one<Json>(SEALED, [domain.id])
  const [rsa] = await nextRecords(domain)
  zones.declare({ [rsa.name]: { TXT: [rsa.value] } })
  await verify(domain)
  const since = await database.system.one<Json>(SEALED, [domain.id])
  assert.deepEqual([since.current, since.next, since.second], [before.next, null, null])
  assert.deepEqual(await signs(domain), [rsa.name.split('.')[0], undefined], 'its second record is not published')
})

test('keys that were cancelled and made anew while the DNS was asked do not take the answer of those before', async () => {
  const domain = await verifiedDomain()
  await rotate(domain)
  const [rsa] = await nextRecords(domain)
  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slow: typeof zones = {
    ...zones,
    txt: async (name, signal) => {
      if (name !== rsa.name) return zones.txt(name, signal)
      zones.declare({ [name]: { TXT: [rsa.value] } })
      const answer = await zones.txt(name, signal)
      zones.forget(name)
      asked.resolve()
      await held.promise
      return answer
    },
  }
  const other = domainsOf({
    database,
    clock,
    ids,
    resolver: slow,
    secrets,
    spfMechanism: domains.spfMechanism,
    hostname: domains.hostname,
  })
  const verifying = other.verify({ accountId: ACCOUNT, domainIds: null }, domain.id)
  await asked.promise
  await cancel(domain)
  const again = (await rotate(domain)).body.data.dkim_rotation
  held.resolve()
  const { domain: judged } = await verifying
  assert.deepEqual([judged.dkimSelector, judged.dkimRotation?.selector], [domain.dkim_selector, again.selector])
  assert.equal(judged.dkimRotation?.check, null)
})

test('of two verifies at once that find the next record, the second does not judge the new keys by the old record', async () => {
  const domain = await verifiedDomain()
  await rotate(domain)
  const [rsa] = await nextRecords(domain)
  const second = await optionalRecord(domain, 'dkim')
  // The new keys take the place of the old ones in the DNS, except for the second, which stays behind.
  zones.declare({ [second.name]: { TXT: [second.value] } })
  assert.equal((await verify(domain)).verified, true)
  zones.declare({ [rsa.name]: { TXT: [rsa.value] } })
  zones.forget(`${domain.dkim_selector}._domainkey.${domain.domain}`)
  const held = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const slow: typeof zones = {
    ...zones,
    txt: async (name, signal) => {
      const answer = zones.txt(name, signal)
      if (name === rsa.name) {
        asked.resolve()
        await held.promise
      }
      return answer
    },
  }
  const { spfMechanism, hostname } = domains
  const other = domainsOf({ database, clock, ids, resolver: slow, secrets, spfMechanism, hostname })
  const verifying = other.verify({ accountId: ACCOUNT, domainIds: null }, domain.id)
  await asked.promise
  assert.equal((await verify(domain)).domain.dkim_selector, rsa.name.split('.')[0])
  held.resolve()
  const { domain: judged, checks } = await verifying
  assert.deepEqual([judged.status, checks.dkim.status, checks.dkim.expected], ['verified', 'valid', rsa.value])
  assert.deepEqual(await signs(domain), [rsa.name.split('.')[0], undefined], 'its second record is not published')
  assert.equal((await eventsOf(domain.id)).length, 1, 'its status has not changed')
})

test('a domain whose current record is gone is verified by its next one', async () => {
  const domain = await addDomain()
  await publish(domain, 'ours', ['dkim'])
  assert.equal((await verify(domain)).verified, false)
  await rotate(domain)
  const [rsa] = await nextRecords(domain)
  zones.declare({ [rsa.name]: { TXT: [rsa.value] } })
  const { verified, domain: after } = await verify(domain)
  assert.deepEqual([verified, after.dkim_selector], [true, rsa.name.split('.')[0]])
})

test('a recheck within minutes finds the next record and looks daily again', async (t) => {
  t.after(() => {
    time.now = START
  })
  const domain = await verifiedDomain()
  await rotate(domain)
  const [rsa] = await nextRecords(domain)
  zones.declare({ [rsa.name]: { TXT: [rsa.value] } })
  time.now = new Date(START.getTime() + 0.1 * HOUR_MS)
  await recheckDue({ database, clock, domains, log }, new AbortController().signal)
  const { dkim_selector: selector, previous_dkim_key: previous } = await shown(domain)
  assert.deepEqual([selector, previous.selector], [rsa.name.split('.')[0], domain.dkim_selector])
  const [{ nextCheckAt } = { nextCheckAt: null }] = await domains.find(domain.id)
  assert.ok((nextCheckAt?.getTime() ?? 0) >= time.now.getTime() + DAY_MS)
})

test('only who may write the domain replaces its keys; of a foreign domain nothing is said', async () => {
  const domain = await verifiedDomain()
  principals.set('elsewhere', principal(ACCOUNT, { domainIds: [OTHER] }))
  for (const [key, status] of [
    ['reader', 403],
    ['theirs', 404],
    ['elsewhere', 404],
  ] as const) {
    assert.equal((await rotate(domain, key)).status, status, key)
    const dropped = await ask('DELETE', `${V1}/${domain.id}/dkim/rotate`, undefined, { 'x-api-key': key })
    assert.equal(dropped.status, status, key)
  }
  assert.equal((await shown(domain)).dkim_rotation, null)
})
