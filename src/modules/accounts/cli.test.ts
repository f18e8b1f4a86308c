import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseArgs } from 'node:util'
import { type Fixture, fixture, log, type Node, until } from '../../../test/world/accounts-fixture.ts'
import { readConfig } from '../../config.ts'
import { UsageError } from '../../platform/command.ts'
import { accountCommands } from './cli.ts'
import { accountNamed } from './cli-options.ts'
import { isKey } from './key-format.ts'

let home: Fixture
let node: Node

before(async () => {
  home = await fixture()
  node = await home.node()
})
after(() => home[Symbol.asyncDispose]())

const warned: string[] = []

/** Runs a command line as main.ts does. @returns its output */
async function posthorn(line: string): Promise<string> {
  const words = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
  const command = accountCommands.find(({ path }) => path.every((word, i) => words[i] === word))
  assert.ok(command, line)
  const { values, positionals } = parseArgs({
    args: words.slice(command.path.length),
    options: command.options,
    allowPositionals: true,
    strict: true,
  })
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  const warn = (text: string) => void warned.push(text)
  await command.run({ ...home.operator, config: readConfig({}), log, print, warn }, values, positionals)
  return printed.join('\n')
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
const json = async (line: string): Promise<any> => JSON.parse(await posthorn(`${line} --json`))

test('account create prints two keys and a password, and the keys open', async () => {
  const made = await json("account create --email owner@example.com --name 'An Owner' --plan starter")
  assert.deepEqual(Object.keys(made), ['account_id', 'api_key', 'test_api_key', 'dashboard_password'])
  assert.ok(isKey(made.api_key) && made.api_key.startsWith('ph_live_'))
  assert.ok(isKey(made.test_api_key) && made.test_api_key.startsWith('ph_test_'))
  for (const key of [made.api_key, made.test_api_key]) {
    assert.equal((await node.call('GET', '/probe/read', { key })).status, 200)
  }
  const [listed] = await json('account list')
  assert.equal(listed.account_id, made.account_id)
  assert.equal(listed.plan, 'starter')
  const text = await posthorn('account list')
  assert.ok(text.includes('An Owner') && !text.includes(made.api_key))
})

test('a second account with an address is made, and the operator is told of the first', async () => {
  warned.length = 0
  const first = await json('account create --email Twice@example.com --name First')
  assert.deepEqual(warned, [])
  const second = await json('account create --email twice@example.com --name Second')
  assert.notEqual(second.account_id, first.account_id)
  assert.equal(warned.length, 1)
  assert.match(warned[0] ?? '', new RegExp(`^account ${first.account_id} has twice@example.com too\\. `))
  for (const line of ['suspend twice@example.com', 'delete twice@example.com --confirm twice@example.com'])
    await assert.rejects(posthorn(`account ${line}`), /several accounts have the email twice@example.com/, line)
  const left = (await json('account list')).filter(({ email }: { email: string }) => /^twice@/i.test(email))
  assert.deepEqual(
    left.map(({ suspended_at }: { suspended_at: string | null }) => suspended_at),
    [null, null],
  )
  await assert.rejects(accountNamed(home.operator.database, null), /there are several accounts/)
})

test('a name that the profile would refuse is refused', async () => {
  for (const name of ['two\nlines', 'x'.repeat(201)]) {
    await assert.rejects(posthorn(`account create --email long@example.com --name '${name}'`), UsageError)
  }
})

test('an account without a plan is enterprise', async () => {
  const { account_id } = await json('account create --email plain@example.com --name Plain')
  assert.equal((await node.room.settings(account_id)).plan, 'enterprise')
})

test('plan, limits and features change what the account may do, and go back', async () => {
  const { account_id, api_key } = await json('account create --email terms@example.com --name T --plan starter')
  const settings = () => node.room.settings(account_id)
  assert.equal((await settings()).limits.emails, 10_000)
  await posthorn('account set-plan terms@example.com professional')
  await until(async () => (await settings()).plan === 'professional')
  assert.equal((await node.call('GET', '/probe/risk', { key: api_key })).status, 200)

  const set = await json(`account set-limits ${account_id} --emails 5 --webhooks unlimited --rate send=1.5:3`)
  const rates = { send: { per_second: 1.5, burst: 3 } }
  assert.deepEqual(set.limits, { emails: 5, webhooks: null, rates })
  await until(async () => (await settings()).limits.emails === 5)
  assert.equal((await settings()).limits.webhooks, null)
  assert.equal((await settings()).limits.validations, 5_000)
  assert.deepEqual((await settings()).rates.send, { perSecond: 1.5, burst: 3 })
  assert.deepEqual((await settings()).rates.default, { perSecond: 10, burst: 20 })
  await posthorn(`account set-limits ${account_id} --emails plan --rate send=plan`)
  await until(async () => (await settings()).limits.emails === 100_000)
  assert.deepEqual((await settings()).rates.send, { perSecond: 100, burst: 200 })
  assert.equal((await settings()).limits.webhooks, null)

  await posthorn(`account set-feature ${account_id} content_events on`)
  await until(async () => (await node.call('GET', '/probe/content', { key: api_key })).status === 200)
  await posthorn(`account set-feature ${account_id} risk off`)
  await until(async () => (await node.call('GET', '/probe/risk', { key: api_key })).status === 403)
  const back = await json(`account set-feature ${account_id} risk plan`)
  assert.deepEqual(back.features, { content_events: true })
})

test('suspend stops writing and resume lets it go on', async () => {
  const { account_id, api_key } = await json('account create --email stop@example.com --name S')
  assert.notEqual((await json(`account suspend ${account_id}`)).suspended_at, null)
  await until(async () => (await node.call('POST', '/probe/write', { key: api_key })).status === 403)
  assert.equal((await json(`account resume ${account_id}`)).suspended_at, null)
  await until(async () => (await node.call('POST', '/probe/write', { key: api_key })).status === 200)
})

test('keys are made, listed without their secret, rotated and revoked', async () => {
  const { account_id } = await json('account create --email keys@example.com --name K')
  const made = await json(`key create ${account_id} --name ci --scopes send,emails:read --allowed-ips 127.0.0.0/8`)
  assert.deepEqual(made.scopes, ['send', 'emails:read'])
  assert.equal((await node.call('POST', '/probe/send', { key: made.key })).status, 200)
  assert.equal((await node.call('POST', '/probe/write', { key: made.key })).status, 403)
  const listed = await posthorn(`key list ${account_id}`)
  assert.ok(listed.includes(made.prefix) && !listed.includes(made.key))
  assert.equal((await json(`key list ${account_id}`)).length, 3)
  const rotated = await json(`key rotate ${made.id} --grace-period-hours 1`)
  for (const key of [made.key, rotated.key]) {
    assert.equal((await node.call('POST', '/probe/send', { key })).status, 200)
  }
  const revoked = await posthorn(`key revoke ${made.id}`)
  assert.ok(!revoked.includes(rotated.key))
  for (const key of [made.key, rotated.key]) {
    await until(async () => (await node.call('POST', '/probe/send', { key })).status === 401)
  }
})

for (const line of [
  'account create --name N',
  'account create --email nobody --name N',
  'account create --email a@example.com --name N --plan gold',
  'account set-plan',
  'account set-limits keys@example.com',
  'account set-limits keys@example.com --emails many',
  'account set-limits keys@example.com --rate send=0:0',
  'account set-limits keys@example.com --rate sent=1:1',
  'account set-feature keys@example.com risk maybe',
  'account set-feature keys@example.com wings on',
  `key create keys@example.com --name ${'n'.repeat(129)}`,
  `key create keys@example.com --name n --allowed-ips ${'192.0.2.1,'.repeat(101)}`,
  'account list extra',
  'key create keys@example.com --name x --scopes root',
  'key create keys@example.com --name x --allowed-ips 1.2.3',
  "key create keys@example.com --name x --allowed-ips ''",
  'key create keys@example.com --name x --allowed-ips ,',
  'key create keys@example.com --name x --expires-at 2001-01-01',
  'key create keys@example.com --name x --expires-at 2099-02-30',
  'key create keys@example.com --name x --expires-at 2099-01-01T12:00:00',
  'key revoke nonsense',
  "key rotate 0192f000-0000-7000-8000-000000000001 --grace-period-hours ''",
  'key rotate 0192f000-0000-7000-8000-000000000001 --grace-period-hours 73',
]) {
  test(`«${line}» is a wrong call and says so`, async () => {
    await assert.rejects(posthorn(line), UsageError)
  })
}

test('an error names what does not exist', async () => {
  await assert.rejects(posthorn('account suspend nobody@example.com'), /there is no account nobody@example\.com/)
  await assert.rejects(posthorn('key revoke 0192f000-0000-7000-8000-000000000001'), /there is no key 0192f000/)
})
