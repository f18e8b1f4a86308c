import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/world/accounts-fixture.ts'
import { startReceiver } from '../../test/world/receiver.ts'
import { startWorld, type TestAccount, type World } from '../../test/world/world.ts'
import { deleteAccount, suspend } from '../modules/accounts/index.ts'
import { statement } from '../platform/db.ts'
import { ACCOUNT_TABLES, eraseNext } from './erasure.ts'

const NEVER = new AbortController().signal
/** Erased by their rooms a stretch at a time. */
const BY_STRETCH = ['attempt', 'email', 'email_body', 'email_body_piece', 'event', 'queue']
/** The row itself, and what operators did. */
const KEPT = ['account', 'operator_action']
const TABLES = statement(
  'test_erasure_tables',
  `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'posthorn' and c.relkind in ('r', 'p') and not c.relispartition and exists (
     select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped)
   order by c.relname`,
)

async function tablesWithAccounts(world: World): Promise<readonly string[]> {
  const rows = await world.rooms.database.system.query<{ name: string }>(TABLES, [])
  return rows.map(({ name }) => name)
}

async function countsOf(world: World, accountId: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const name of await tablesWithAccounts(world)) {
    const count = statement(`test_erasure_${name}`, `select count(*)::int as n from ${name} where account_id = $1`)
    counts[name] = (await world.rooms.database.system.one<{ n: number }>(count, [accountId]))?.n ?? 0
  }
  return counts
}

const filled = (counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.keys(counts).filter((name) => counts[name] !== 0)

test('every table with rows of accounts is erased, or is known to be kept', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const known = [...ACCOUNT_TABLES.map(({ table }) => table), ...BY_STRETCH, ...KEPT]
  assert.deepEqual(known.toSorted(), await tablesWithAccounts(world))
})

/** Uses what an account can use. */
async function live(world: World, account: TestAccount, domain: string): Promise<void> {
  const { api, testApi } = account
  const made = async (where: string, body: object, by = api): Promise<string> => {
    const { status, body: answer } = await by.post(`/api/v1/${where}`, body)
    assert.ok(status < 300, `${where}: ${status} ${JSON.stringify(answer)}`)
    return answer.data?.id ?? answer.data?.email_id
  }
  await world.verifiedDomain(domain, account)
  await made('customer/tracking-domains', { domain: `links.${domain}` })
  await made('customer/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['*'], name: 'Hook' })
  await made('customer/contacts', { email: 'jo@example.net', double_opt_in: false })
  const gone = await made('customer/contacts', { email: 'gone@example.net', double_opt_in: false })
  await api.delete(`/api/v1/customer/contacts/${gone}?erase=true`)
  await made('customer/suppressions', { email: 'no@example.net' })
  await api.delete('/api/v1/customer/suppressions/no@example.net')
  await made('customer/suppressions', { email: 'never@example.net' })
  await made('customer/unsubscribes', { email: 'left@example.net' })
  const template = await made('templates', { name: 'Welcome', subject: 'Hi', text: 'Hi {{name}}' })
  assert.ok(template)
  await made('address/validate', { email: 'jo@example.net' })
  await made('risk/preview', { from: `a@${domain}`, to: 'jo@example.net', subject: 'Hi', text: 'Hi' })
  const html = '<p>Hello <a href="https://shop.example/1">shop</a></p>'
  const mail = { from: `a@${domain}`, to: 'jo@example.net', subject: 'Hello', html, tracking_enabled: true }
  const id = (
    await api.post('/api/v1/send', { ...mail, unsubscribe_header_enabled: true }, { 'idempotency-key': 'one' })
  ).body.data.email_id
  await until(async () => (await api.get(`/api/v1/emails/${id}`)).body.data.status === 'delivered')
  const later = new Date(world.clock.now().getTime() + 86_400_000).toISOString()
  await made('send', { ...mail, scheduled_at: later })
  await made('send', { ...mail, to: 'bounce@sandbox.test' }, testApi)
  await made('send', { ...mail, to: 'soft-bounce@sandbox.test' }, testApi)
  await made('send', { ...mail, to: 'jo@example.net' }, testApi)
  await until(async () => (await testApi.get('/api/v1/inbox')).body.data.length > 0)
}

/** The path of the first tracked link. */
function linkIn(data: Buffer | undefined): string {
  const raw = (data ?? '').toString('latin1').replace(/=\r\n/g, '').replace(/=3D/g, '=')
  return new URL(/href="(https?:[^"]+\/track\/c\/[^"]+)"/.exec(raw)?.[1] ?? '').pathname
}

test('a deleted account leaves nothing behind, ends access at once, and touches nobody else', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const { database, ground } = world.rooms
  const other = await world.newAccount('Other')
  await live(world, world.account, 'shop.example')
  await live(world, other, 'other.example')
  const [sent] = mx.messages
  assert.ok(sent)
  const link = linkIn(sent.data)
  assert.equal((await fetch(world.url + link, { redirect: 'manual' })).status, 302)
  const { accountId } = world.account
  await until(async () => (await countsOf(world, accountId))['stat_bucket'] !== 0)
  const before = await countsOf(world, other.accountId)
  const used = filled(await countsOf(world, accountId))
  assert.ok(used.length >= 28, used.join())

  const remove = (confirm: string) => deleteAccount(world.operator, accountId, confirm)
  await assert.rejects(remove('somebody@else.test'), /invalid/)
  assert.equal((await world.api.get('/api/v1/customer/profile')).status, 200)
  await remove('OWNER1@posthorn.test')
  await until(async () => (await world.api.get('/api/v1/customer/profile')).status === 401)
  await assert.rejects(remove('owner1@posthorn.test'), /Not found/)
  await until(async () => world.rooms.accounts.suspendedAccounts().has(accountId))
  assert.equal((await fetch(world.url + link, { redirect: 'manual' })).status, 302)

  const eraseAll = async (): Promise<void> => {
    world.clock.advance(61_000)
    while (await eraseNext({ database, ground }, NEVER)) {}
  }
  await until(async () => {
    await eraseAll()
    return filled(await countsOf(world, accountId)).every((name) => KEPT.includes(name))
  })
  // A link of its mail still works, and what the click adds is deleted again.
  assert.equal((await fetch(world.url + link, { redirect: 'manual' })).status, 302)
  await until(async () => (await countsOf(world, accountId))['hit'] !== 0)
  await until(async () => {
    // Partitions exist for a week, and what the click leads to comes in real time.
    await delay(250)
    world.clock.advance(3_600_000)
    await eraseAll()
    return filled(await countsOf(world, accountId)).every((name) => KEPT.includes(name))
  })
  const after = await countsOf(world, other.accountId)
  // Its deliveries go on meanwhile, and end.
  const lost = filled(before).filter((name) => after[name] === 0 && name !== 'webhook_queue')
  assert.deepEqual(lost, [])
  assert.equal((await other.api.post('/api/v1/customer/domains', { domain: 'shop.example' })).status, 201)
})

test('the links of an account that was suspended lead nowhere after its deletion either', async () => {
  await using mx = await startReceiver()
  await using world = await startWorld({
    zones: { 'example.net': { MX: ['10 mx.example.net'] }, 'mx.example.net': { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const { database, ground, accounts } = world.rooms
  const { accountId } = world.account
  await world.verifiedDomain('shop.example')
  const html = '<p>Hello <a href="https://shop.example/1">shop</a></p>'
  const mail = { from: 'a@shop.example', to: 'jo@example.net', subject: 'Hello', html, tracking_enabled: true }
  assert.equal((await world.api.post('/api/v1/send', mail)).status, 202)
  await until(async () => mx.messages.length > 0)
  const click = async (): Promise<number> =>
    (await fetch(world.url + linkIn(mx.messages[0]?.data), { redirect: 'manual' })).status
  assert.equal(await click(), 302)
  await suspend(world.operator, accountId)
  await until(async () => (await click()) === 410)
  world.clock.advance(1_000)
  await deleteAccount(world.operator, accountId, 'owner1@posthorn.test')
  await until(async () => {
    world.clock.advance(61_000)
    while (await eraseNext({ database, ground }, NEVER)) {}
    return !accounts.suspendedAccounts().has(accountId)
  })
  assert.equal(await click(), 410)
})

test('an erasure that was broken off is taken up when its lease has ended', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database, ground } = world.rooms
  const { accountId, api } = await world.newAccount()
  const email = (await api.get('/api/v1/customer/profile')).body.data.email
  for (const name of ['a', 'b', 'c']) await api.post('/api/v1/customer/suppressions', { email: `${name}@example.net` })
  await deleteAccount(world.operator, accountId, email)
  const erase = (signal = NEVER): Promise<boolean> => eraseNext({ database, ground }, signal)
  assert.equal(await erase(), false, 'mail in acceptance is stored first')
  world.clock.advance(31_000)
  await assert.rejects(erase(AbortSignal.abort(new Error('the process ends'))), /the process ends/)
  world.clock.advance(599_000)
  assert.equal(await erase(), false)
  world.clock.advance(2_000)
  assert.equal(await erase(), true)
  // No follower runs here, and events stay until each has read them.
  assert.deepEqual(filled(await countsOf(world, accountId)), ['account', 'event', 'operator_action'])
})

const LEASE = statement('test_erasure_lease', 'update queue set state = $2 where account_id = $1')

test('mail that is being attempted is not erased before the attempt has ended', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api' } })
  const { database, ground } = world.rooms
  const { accountId, api } = world.account
  await world.verifiedDomain('shop.example')
  const mail = { from: 'a@shop.example', to: 'jo@example.net', subject: 'Hi', text: 'Hi' }
  assert.equal((await api.post('/api/v1/send', mail)).status, 202)
  await database.system.execute(LEASE, [accountId, 1])
  await deleteAccount(world.operator, accountId, 'owner1@posthorn.test')
  const emails = async (): Promise<number | undefined> => {
    world.clock.advance(61_000)
    assert.equal(await eraseNext({ database, ground }, NEVER), true)
    return (await countsOf(world, accountId))['email']
  }
  assert.equal(await emails(), 1)
  await database.system.execute(LEASE, [accountId, 0])
  assert.equal(await emails(), 0)
})
