import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { after, test } from 'node:test'
import {
  ACCOUNT,
  ids,
  type Json,
  LEGACY,
  type Method,
  OTHER,
  principal,
  startDomains,
  TRACKING_DOMAIN,
  V1,
} from '../../../test/world/domains.ts'
import { domainsUsing, leaveTrackingDomain } from './index.ts'

const fixture = await startDomains()
after(() => fixture[Symbol.asyncDispose]())
const { addDomain, ask, database, principals, removed, publish } = fixture

test('adding a domain returns DomainDetail, this once with the private key', async () => {
  const { status, body } = await ask('POST', V1, { domain: 'added.example', tags: ['a', 'b', 'a'] })
  assert.equal(status, 201)
  assert.deepEqual(body.data, body.domain)
  const { data } = body
  assert.deepEqual(
    [data.domain, data.verification_status, data.is_active, data.tags, data.verified_at, data.last_checked_at],
    ['added.example', 'pending', false, ['a', 'b'], null, null],
  )
  assert.equal(data.spf_record, 'v=spf1 a:mx.posthorn.example ~all')
  assert.match(data.dmarc_record, /^v=DMARC1; p=none; rua=mailto:/)
  for (const setting of ['tracking_enabled', 'open_tracking_enabled', 'tracking_domain_id']) {
    assert.equal(data[setting], null)
  }
  const publicKey = createPublicKey({ key: Buffer.from(data.dkim_public_key, 'base64'), format: 'der', type: 'spki' })
  assert.equal(publicKey.asymmetricKeyDetails?.modulusLength, 2048)
  const signature = sign('sha256', Buffer.from('x'), createPrivateKey(data.dkim_private_key))
  assert.ok(verify('sha256', Buffer.from('x'), publicKey, signature))
  for (const url of [V1, `${V1}/${data.id}`, `${V1}/${data.id}/dns`]) {
    const shown = await ask('GET', url)
    assert.equal(shown.status, 200)
    assert.ok(!JSON.stringify(shown.body).includes('PRIVATE KEY'), url)
  }
})

test('adding a domain twice to one account is 409; another account does not learn of it', async () => {
  await addDomain('ours', 'both.example')
  const again = await ask('POST', V1, { domain: 'both.example' })
  assert.deepEqual([again.status, again.body.code], [409, 'already_exists'])
  const [mine] = (await ask('GET', V1)).body.data.filter((each: Json) => each.domain === 'both.example')
  const theirs = await addDomain('theirs', 'both.example')
  assert.notEqual(mine.verification_token, theirs.verification_token)
  assert.notEqual(mine.dkim_selector, theirs.dkim_selector)
})

test('adding the same domain ten times at once creates one', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask('POST', V1, { domain: 'race.example' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(409)])
})

const long = `${'a'.repeat(63)}.example`
// Each row: a domain name, and whether the documented pattern and the lengths of the DNS allow it.
const NAMES: readonly (readonly [unknown, boolean])[] = [
  ['a.b-c.d1.example', true],
  [long, true],
  [`a${long}`, false],
  [`${'a.'.repeat(123)}example`, true],
  [`${'a.'.repeat(124)}example`, false],
  ['Shop.example', false],
  ['xn--bcher-kva.example', false],
  ['a--b.example', false],
  ['-a.example', false],
  ['a-.example', false],
  ['a..example', false],
  ['example', false],
  ['shop.example.', false],
  ['shop.e', false],
  ['shop.123', false],
  ['127.0.0.1', false],
  ['shop_x.example', false],
  ['shop.example\n', false],
  ['bücher.example', false],
  ['', false],
  [null, false],
  [7, false],
  [['a.example'], false],
]
for (const [name, good] of NAMES) {
  test(`the domain ${JSON.stringify(name)?.slice(0, 60)} is ${good ? 'taken' : 'refused with 422'}`, async () => {
    const { status, body } = await ask('POST', V1, { domain: name })
    assert.equal(status, good ? 201 : 422, JSON.stringify(body).slice(0, 300))
    if (!good) assert.deepEqual([body.code, body.details.fields[0].field], ['validation_error', 'domain'])
  })
}

test('a domain of 253 characters is taken, and its checks say that the names of its records are too long', async () => {
  const longest = `${'a.'.repeat(123)}xample`.padStart(253, 'b')
  const { status, body } = await ask('POST', V1, { domain: longest })
  assert.deepEqual([status, body.data.domain.length], [201, 253])
  const { body: verified } = await ask('POST', `${V1}/${body.data.id}/verify`)
  assert.equal(verified.verified, false)
  for (const purpose of ['ownership', 'dkim'])
    assert.match(
      verified.checks[purpose].error,
      /^the name of this record has \d{3} characters and the DNS allows 253: use a shorter domain$/,
    )
  const { body: dns } = await ask('GET', `${V1}/${body.data.id}/dns`)
  assert.match(dns.optional_records[0].error, /too long|allows 253/)
})

test('a domain of the length that the documentation names can be verified', async () => {
  const domain = await addDomain('ours', `${'a.'.repeat(111)}example`)
  assert.equal(domain.domain.length, 229)
  const { body } = await ask('GET', `${V1}/${domain.id}/dns`)
  assert.deepEqual(Math.max(...body.dns_records.map(({ name }: Json) => name.length)), 253)
  await publish(domain)
  assert.equal((await ask('POST', `${V1}/${domain.id}/verify`)).body.verified, true)
})

// Each row: a request to add, and the answer.
const BAD: readonly (readonly [body: unknown, status: number, code: string, field: string | null])[] = [
  ['{"domain":', 400, 'invalid_json', null],
  [{}, 422, 'validation_error', 'domain'],
  [{ domain: 'x.example', verified_at: 'now' }, 422, 'validation_error', 'verified_at'],
  [{ domain: 'x.example', account_id: OTHER }, 422, 'validation_error', 'account_id'],
  [{ domain: 'x.example', tags: 'a' }, 422, 'validation_error', 'tags'],
  [{ domain: 'x.example', tags: ['ok', 'a\nb'] }, 422, 'validation_error', 'tags[1]'],
  [{ domain: 'x.example', tags: ['a\0b'] }, 422, 'validation_error', 'tags[0]'],
  [{ domain: 'x.example', tags: ['x'.repeat(129)] }, 422, 'validation_error', 'tags[0]'],
  [{ domain: 'x.example', tags: Array(51).fill('t') }, 422, 'validation_error', 'tags'],
]
for (const [body, status, code, field] of BAD) {
  test(`adding with ${JSON.stringify(body).slice(0, 70)} is ${status} ${code}`, async () => {
    const answer = await ask('POST', V1, body)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    if (field !== null) assert.equal(answer.body.details.fields[0].field, field)
  })
}

const ROUTES: readonly (readonly [Method, string, needsWrite: boolean])[] = [
  ['GET', '/ID', false],
  ['GET', '/ID/dns', false],
  ['POST', '/ID/verify', true],
  ['PATCH', '/ID', true],
  ['DELETE', '/ID', true],
]
for (const [method, path, needsWrite] of ROUTES) {
  test(`${method} ${path}: 401, then 403, then 400, then 404 for an absent id and another account's alike`, async () => {
    const theirs = await addDomain('theirs')
    const url = (id: string): string => V1 + path.replace('ID', id)
    assert.equal((await ask(method, url('nonsense'), undefined, {})).status, 401)
    assert.equal((await ask(method, url('nonsense'), undefined, { 'x-api-key': 'wrong' })).status, 401)
    const reader = await ask(method, url(theirs.id), undefined, { 'x-api-key': 'reader' })
    assert.equal(reader.status, needsWrite ? 403 : 404)
    const malformed = await ask(method, url('nonsense'))
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'invalid_parameter'])
    const foreign = await ask(method, url(theirs.id))
    const absent = await ask(method, url(ids.next()))
    assert.deepEqual([foreign.status, absent.status, foreign.body.code], [404, 404, 'not_found'])
    assert.equal(foreign.body.error, absent.body.error)
    assert.deepEqual(foreign.body.details, absent.body.details)
    assert.equal((await ask('GET', `${V1}/${theirs.id}`, undefined, { 'x-api-key': 'theirs' })).status, 200)
  })
}

test('listing and adding require a key and the scope', async () => {
  for (const method of ['GET', 'POST'] as const) assert.equal((await ask(method, V1, undefined, {})).status, 401)
  assert.equal((await ask('POST', V1, { domain: 'x.example' }, { 'x-api-key': 'reader' })).status, 403)
  assert.equal((await ask('GET', V1, undefined, { 'x-api-key': 'reader' })).status, 200)
})

test('both prefixes answer, with both kinds of authentication; the legacy one names its successor', async () => {
  const bearer = { authorization: 'Bearer ours' }
  const added = await ask('POST', LEGACY, { domain: 'legacy.example', unknown: 'ignored' }, bearer)
  assert.equal(added.status, 201)
  const { id } = added.body.domain
  const calls: readonly (readonly [Method, string])[] = [
    ['GET', ''],
    ['GET', `/${id}/dns`],
    ['POST', `/${id}/verify`],
    ['DELETE', `/${id}`],
  ]
  for (const [method, path] of calls) {
    const { status, headers } = await ask(method, LEGACY + path, undefined, bearer)
    assert.equal(status, 200, `${method} ${path}`)
    assert.equal(headers['link'], `<${V1}${path}>; rel="successor-version"`)
    assert.match(String(headers['deprecation']), /^@\d+$/)
  }
  assert.equal((await ask('PATCH', `${LEGACY}/${id}`, {}, bearer)).status, 405)
})

test('a list is returned whole or in pages', async () => {
  principals.set('pager', principal(ids.next()))
  const key = { 'x-api-key': 'pager' }
  const names = ['one.example', 'two.example', 'three.example']
  for (const name of names) await addDomain('pager', name)
  const full = await ask('GET', V1, undefined, key)
  assert.deepEqual(full.body.domains, full.body.data)
  assert.deepEqual(
    full.body.data.map((each: Json) => each.domain),
    names,
  )
  assert.deepEqual([full.body.pagination.total, full.body.pagination.pages], [3, 1])
  const second = await ask('GET', `${V1}?page=2&limit=2`, undefined, key)
  assert.deepEqual(
    second.body.data.map((each: Json) => each.domain),
    ['three.example'],
  )
  assert.deepEqual(second.body.pagination, { page: 2, limit: 2, total: 3, pages: 2 })
  for (const query of ['page=0', 'limit=101', 'limit=x']) {
    assert.equal((await ask('GET', `${V1}?${query}`, undefined, key)).status, 400)
  }
})

test('the list is searched by part of a name and by status; a page and the total count what matches', async () => {
  principals.set('searching', principal(ids.next()))
  const added = []
  for (const name of ['shop.example', 'a-shop.example', 'news.example', 'under-100.example'])
    added.push(await addDomain('searching', name))
  const { accountId } = principals.get('searching') ?? assert.fail()
  await fixture.domains.setStatus(accountId, added[0].id, 'verified')
  const found = async (query: string): Promise<Json> =>
    (await ask('GET', `${V1}?${query}`, undefined, { 'x-api-key': 'searching' })).body
  const names = async (query: string) => (await found(query)).data.map(({ domain }: Json) => domain)
  assert.deepEqual(await names('search=SHOP'), ['shop.example', 'a-shop.example'])
  assert.deepEqual(await names('search=shop&verification_status=verified'), ['shop.example'])
  assert.deepEqual(await names('verification_status=failed'), [])
  assert.deepEqual(await names('search=_'), [])
  const { domains: legacy, pagination } = await found('search=shop&page=2&limit=1')
  assert.deepEqual([legacy[0].domain, legacy.length], ['a-shop.example', 1])
  assert.deepEqual(pagination, { page: 2, limit: 1, total: 2, pages: 2 })
  const refused = await ask('GET', `${V1}?verification_status=good`, undefined, { 'x-api-key': 'searching' })
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_parameter'])
})

test('before any check the four records are complete and pending', async () => {
  const domain = await addDomain('ours', 'mail.records.example')
  const { body } = await ask('GET', `${V1}/${domain.id}/dns`)
  assert.deepEqual(Object.keys(body).sort(), ['data', 'dns_records', 'domain', 'optional_records'])
  assert.equal(body.domain, 'mail.records.example')
  assert.deepEqual(body.data.dns_records, body.dns_records)
  assert.deepEqual(
    body.dns_records.map((record: Json) => record.purpose),
    ['ownership', 'spf', 'dkim', 'dmarc'],
  )
  assert.deepEqual(body.dns_records[1], {
    type: 'TXT',
    purpose: 'spf',
    name: 'mail.records.example',
    host: 'mail',
    value: 'v=spf1 a:mx.posthorn.example ~all',
    ttl: 3600,
    priority: null,
    required: true,
    status: 'pending',
    found: [],
    error: null,
    last_checked_at: null,
  })
  assert.equal(body.dns_records[0].value, `posthorn-verify=${domain.verification_token}`)
})

test('settings: null, true and false differ, absent ones stay, an unknown tracking domain is 422', async () => {
  const { id } = await addDomain()
  const change = (body: object) => ask('PATCH', `${V1}/${id}`, body)
  const first = await change({ tracking_enabled: true, click_tracking_enabled: false, tags: ['x'] })
  assert.deepEqual(first.body.data, first.body.domain)
  const second = await change({ tracking_enabled: null, tracking_domain_id: TRACKING_DOMAIN })
  const { tracking_enabled, click_tracking_enabled, open_tracking_enabled, tracking_domain_id, tags } = second.body.data
  assert.deepEqual(
    [tracking_enabled, click_tracking_enabled, open_tracking_enabled, tracking_domain_id, tags],
    [null, false, null, TRACKING_DOMAIN, ['x']],
  )
  assert.deepEqual((await change({})).body.data, second.body.data)
  assert.deepEqual(await domainsUsing(database.system, ACCOUNT, TRACKING_DOMAIN), [
    { id, name: second.body.data.domain },
  ])
  await leaveTrackingDomain(database.system, ACCOUNT, TRACKING_DOMAIN)
  assert.equal((await ask('GET', `${V1}/${id}`)).body.data.tracking_domain_id, null)
  const faults: readonly (readonly [object, string])[] = [
    [{ tracking_domain_id: ids.next() }, 'tracking_domain_id'],
    [{ tracking_domain_id: 'x' }, 'tracking_domain_id'],
    [{ tracking_enabled: 'true' }, 'tracking_enabled'],
    [{ verification_status: 'verified' }, 'verification_status'],
  ]
  for (const [body, field] of faults) {
    const answer = await change(body)
    assert.deepEqual([answer.status, answer.body.details.fields[0].field], [422, field])
  }
})

test('removing returns the removed domain, notifies other modules, and frees the name', async () => {
  const { id, domain } = await addDomain()
  const { status, body } = await ask('DELETE', `${V1}/${id}`)
  assert.deepEqual([status, body.success, typeof body.message, body.domain], [200, true, 'string', { id, domain }])
  assert.deepEqual(removed.at(-1), { accountId: ACCOUNT, domainId: id })
  assert.equal((await ask('DELETE', `${V1}/${id}`)).status, 404)
  assert.notEqual((await addDomain('ours', domain)).id, id)
})

test('a key bound to domains sees and changes only these', async () => {
  const [bound, free] = [await addDomain(), await addDomain()]
  principals.set('bound', principal(ACCOUNT, { domainIds: [bound.id] }))
  const key = { 'x-api-key': 'bound' }
  const { body } = await ask('GET', V1, undefined, key)
  assert.deepEqual([body.data.map((each: Json) => each.id), body.pagination.total], [[bound.id], 1])
  assert.equal((await ask('GET', `${V1}/${bound.id}`, undefined, key)).status, 200)
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    assert.equal((await ask(method, `${V1}/${free.id}`, undefined, key)).status, 404)
  }
})
