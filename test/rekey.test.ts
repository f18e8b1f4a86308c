// A new secret for a running instance: nothing that was issued stops working, nothing stays sealed with the old secret, and a
// kill in between loses nothing.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import pg from 'pg'
import { returnPath } from '../src/mail/verp.ts'
import { createAccount, passwords } from '../src/modules/accounts/index.ts'
import { beginRekey, finishRekey, type RekeyOptions, SEALED } from '../src/operator/rekey.ts'
import { systemClock } from '../src/platform/clock.ts'
import { connect, type Database, type Db, type Statement } from '../src/platform/db.ts'
import { systemIds } from '../src/platform/ids.ts'
import { openSecrets } from '../src/platform/secrets/keys.ts'
import { freshDb } from './world/database.ts'
import { plain, smtpSession } from './world/submission.ts'
import { webhookReceiver } from './world/webhook-receiver.ts'
import { startWorld, type World } from './world/world.ts'

const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
  for (let i = 0; i < 2_400; i++) {
    if (await look()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`${what} did not come within a minute`)
}

interface Sent {
  readonly id: string
  readonly click: string
  readonly unsubscribe: string
  readonly raw: string
}

async function sentMail(world: World): Promise<Sent> {
  const { body: sent } = await world.api.post('/api/v1/send', {
    from: 'a@shop.example',
    to: 'b@dest.test',
    subject: 's',
    html: '<a href="https://target.test/1">x</a> <a href="{{unsubscribe}}">no</a>',
    tracking_enabled: true,
  })
  const id: string = sent.data.email_id
  let raw = ''
  await until('the mail', async () => {
    const { data } = (await world.api.get(`/api/v1/inbox?email_id=${id}`)).body
    if (data.length === 0) return false
    raw = (await world.api.get(`/api/v1/inbox/${data[0].id}/raw`)).body
    return true
  })
  const unfolded = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  const found = (what: RegExp): string => {
    const [text] = what.exec(unfolded) ?? []
    assert.ok(text, unfolded)
    return text
  }
  return { id, raw, click: found(/\/track\/c\/[\w-]+/), unsubscribe: found(/\/track\/u\/[\w-]+/) }
}

const clickStatus = async (world: World, { click }: Sent): Promise<number> =>
  (await fetch(world.url + click, { redirect: 'manual' })).status

/** The options that the commands use: the secret comes from the data directory. */
function rekeyOptions({ rooms }: World): RekeyOptions {
  const { database, config, ground } = rooms
  return { database, ground, source: { dataDir: config.dataDir, secretKey: null } }
}

async function sealedUnder(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { find } of SEALED) {
    // Finds values sealed with any secret, because no secret has the number 0.
    const rows = await database.system.query<{ sealed: Buffer }>(find, [0, '', 1_000])
    for (const { sealed } of rows) counts[sealed[0] ?? 0] = (counts[sealed[0] ?? 0] ?? 0) + 1
  }
  return counts
}

test('after a change of secret everything that was issued works, and nothing is sealed with the old one', async () => {
  await using world = await startWorld({
    settings: { POSTHORN_DELIVERY: 'sandbox', POSTHORN_SECRET_KEY: '', POSTHORN_PUBLIC_URL: 'https://posthorn.test' },
  })
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(200).end()
  const { database, config, store } = world.rooms
  const domainId = await world.verifiedDomain('shop.example')
  await world.api.post(`/api/v1/customer/domains/${domainId}/dkim/rotate`)
  const hook = (await world.api.post('/api/v1/customer/webhooks', { url: receiver.url, events: ['*'] })).body.data
  const login = (await world.api.get('/api/v1/smtp-credentials')).body
  const before = await sentMail(world)
  const path1 = returnPath(store.secrets.signer('verp'), before.id, world.account.accountId, config.hostname)
  const file = path.join(config.dataDir, 'secret.key')
  const old = await readFile(file)

  const done = await beginRekey(rekeyOptions(world), null)
  assert.deepEqual([done.number, done.state, done.waiting_for], [2, 'finished', []])
  assert.notDeepEqual(await readFile(file), old)
  // Two keys of the domain, its two next ones, two passwords of the account, and the secret of the endpoint.
  assert.deepEqual([done.sealed_anew, await sealedUnder(database)], [7, { 2: 7 }])
  await assert.rejects(finishRekey(rekeyOptions(world)), /is not being changed/)

  assert.equal(await clickStatus(world, before), 302)
  assert.equal((await world.api.get('/api/v1/smtp-credentials')).body.password, login.password)
  const submission = await smtpSession(world.submissionPorts.implicitTls[0] ?? 0, { secure: true })
  await submission.ask('EHLO client.test')
  assert.match(await submission.ask(`AUTH PLAIN ${plain(login.username, login.password)}`), /^235/)
  submission.close()
  const mx = await smtpSession(world.mxPort)
  await mx.ask('EHLO dest.test')
  await mx.ask('MAIL FROM:<>')
  assert.match(await mx.ask(`RCPT TO:<${path1}>`), /^250/)
  const path2 = returnPath(store.secrets.signer('verp'), before.id, world.account.accountId, config.hostname)
  assert.notEqual(path2, path1, 'return paths are signed with the new secret')
  assert.match(await mx.ask(`RCPT TO:<${path2}>`), /^250/)
  const forged = path2.replace(/^(b\+.{50})(.)/, (_, head: string, one: string) => head + (one === 'a' ? 'c' : 'a'))
  assert.match(await mx.ask(`RCPT TO:<${forged}>`), /^550/)
  mx.close()
  await world.api.post(`/api/v1/customer/webhooks/${hook.id}/test`)
  const told = receiver.received.at(-1)
  assert.ok(told)
  const expected = createHmac('sha256', hook.secret).update(told.bytes).digest('hex')
  assert.equal(told.headers['x-webhook-signature'], expected)

  // Another process, which has read only the new file, signs for the domain and reads what the first one wrote.
  const node = await world.secondNode()
  assert.equal((await node(world.account.apiKey).get('/api/v1/smtp-credentials')).body.password, login.password)
  world.clock.advance(11_000)
  let after = before
  await until('the new key of links', async () => {
    after = await sentMail(world)
    return Buffer.from(after.click.slice('/track/c/'.length), 'base64url')[0] === 2
  })
  assert.match(after.raw, /^DKIM-Signature: /m)
  assert.equal((await world.api.get(`/api/v1/customer/domains/${domainId}`)).status, 200)
  assert.deepEqual([await clickStatus(world, before), await clickStatus(world, after)], [302, 302])
  const oneClick = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }
  assert.equal((await fetch(world.url + before.unsubscribe, oneClick)).status, 200)

  await writeFile(file, old)
  await assert.rejects(openSecrets(database, { dataDir: config.dataDir, secretKey: null }), /was changed/)
})

test('a second factor survives two changes of secret, one of them through POSTHORN_SECRET_KEY', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api', POSTHORN_SECRET_KEY: '' } })
  const made = await createAccount(world.operator, { email: 'person@posthorn.test', name: 'P' })
  const ask = (method: string, where: string, body: object, cookie = ''): Promise<Response> =>
    fetch(`${world.url}/api/v1/session${where}`, {
      method,
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
  const who = { email: 'person@posthorn.test', password: made.dashboardPassword }
  const cookie = (await ask('POST', '', who)).headers.get('set-cookie')?.split(';')[0] ?? ''
  const offered = (await (await ask('POST', '/totp', {}, cookie)).json()) as { data: { secret: string } }
  const totp = new TOTP({ secret: Secret.fromBase32(offered.data.secret) })
  const code = (): string => totp.generate({ timestamp: world.clock.now().getTime() })
  // The first change comes while the factor waits for its confirmation, the second after it.
  assert.equal((await beginRekey(rekeyOptions(world), null)).state, 'finished')
  assert.equal((await ask('PUT', '/totp', { code: code() }, cookie)).status, 200)
  const setting = 'what POSTHORN_SECRET_KEY is to be from now on'
  const announced = await beginRekey(rekeyOptions(world), setting)
  assert.deepEqual(
    [announced.state, announced.waiting_for.length],
    ['announced', 1],
    'this process has no such setting',
  )
  const source = { dataDir: world.rooms.config.dataDir, secretKey: setting }
  await assert.rejects(
    finishRekey({ ...rekeyOptions(world), source }),
    /restart these processes with the new secret first/,
  )
  await assert.rejects(beginRekey({ ...rekeyOptions(world), source }, `${setting} on`), /being changed already/)
  await assert.rejects(openSecrets(world.rooms.database, rekeyOptions(world).source), /was changed: start with the new/)
  const next = await openSecrets(world.rooms.database, source)
  assert.deepEqual(
    [next.newest(), next.present()],
    [3, 2],
    'nothing is sealed with it while a process could not read it',
  )
  world.clock.advance(30_000)
  assert.equal((await ask('POST', '', { ...who, code: code() })).status, 200, 'who runs goes on')
})

test('the line of secret.key may be given as POSTHORN_SECRET_KEY, before and after a change', async () => {
  await using world = await startWorld({ settings: { POSTHORN_ROLES: 'api', POSTHORN_SECRET_KEY: '' } })
  const { database, config } = world.rooms
  const inSetting = async () => {
    const line = (await readFile(path.join(config.dataDir, 'secret.key'), 'utf8')).trim()
    return openSecrets(database, { dataDir: '/nowhere', secretKey: line })
  }
  const former = (await readFile(path.join(config.dataDir, 'secret.key'), 'utf8')).trim()
  const sealed = world.rooms.store.secrets.seal('test', 'one', 'what is sealed')
  assert.equal((await inSetting()).open('test', 'one', sealed).toString(), 'what is sealed')
  assert.equal((await beginRekey(rekeyOptions(world), null)).state, 'finished')
  assert.equal((await inSetting()).newest(), 2)
  await assert.rejects(
    openSecrets(database, { dataDir: '/nowhere', secretKey: former }),
    /was changed: start with the new/,
  )
  const wrong = Buffer.alloc(32, 7).toString('base64')
  await assert.rejects(openSecrets(database, { dataDir: '/nowhere', secretKey: wrong }), /with another secret/)
})

test('every kind of sealed value is sealed again', async () => {
  const purposes = new Set<string>()
  for (const file of globSync('src/modules/**/*.ts').filter((name) => !name.endsWith('.test.ts')))
    for (const [, purpose] of readFileSync(file, 'utf8').matchAll(/secrets\.seal\((\w+),/g))
      purposes.add(`${file} ${purpose}`)
  assert.equal(new Set(SEALED.map(({ purpose }) => purpose)).size, 8)
  assert.equal(purposes.size, 8, [...purposes].join('\n'))
})

class Killed extends Error {}

/** A database for a process that is killed after the given number of statements and commits. */
function mortal(database: Database, steps: { left: number }): Database {
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (steps.left <= 0) throw new Killed()
    const result = await work()
    if (--steps.left <= 0) throw new Killed()
    return result
  }
  const over = (db: Db): Db => ({
    query: (statement: Statement, values) => step(() => db.query(statement, values)),
    one: (statement: Statement, values) => step(() => db.one(statement, values)),
    execute: (statement: Statement, values) => step(() => db.execute(statement, values)),
  })
  return {
    ...database,
    system: over(database.system),
    transaction: (work) => step(() => database.transaction((db, posting) => work(over(db), posting))),
  }
}

test('a process killed after any step loses nothing, and the next call continues', async () => {
  await using stack = new AsyncDisposableStack()
  const fresh = stack.use(await freshDb())
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-rekey-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const database = connect({ url: fresh.url, onError: () => undefined })
  stack.defer(() => database.close())
  const owner = new pg.Client({ connectionString: fresh.url })
  await owner.connect()
  stack.defer(() => owner.end())
  const clock = systemClock()
  const ids = systemIds(() => clock.now().getTime())
  const source = { dataDir, secretKey: null }
  const options: RekeyOptions = { database, source, ground: { clock, ids } }
  const first = await openSecrets(database, source)
  const signed = first.signer('verp')(Buffer.from('x'))
  const operator = { database, secrets: first, ids, clock, passwords: passwords(ids.bytes) }
  await createAccount(operator, { email: 'a@posthorn.test', name: 'A' })
  const file = path.join(dataDir, 'secret.key')
  await copyFile(file, `${file}.kept`)
  await owner.query('create table kept as select account_id, mode, password_sealed from posthorn.smtp_credential')
  const passwordsOf = async (): Promise<string[]> => {
    const secrets = await openSecrets(database, source)
    assert.ok(
      secrets
        .signer('verp')
        .all(Buffer.from('x'))
        .some((mac) => mac.equals(signed)),
    )
    const { rows } = await owner.query(
      'select account_id, mode, password_sealed from posthorn.smtp_credential order by mode',
    )
    return rows.map((row) =>
      secrets.open('smtp-password', `${row.account_id} ${row.mode}`, row.password_sealed).toString(),
    )
  }
  const right = await passwordsOf()
  let killed = 0
  for (let after = 1; ; after++) {
    await owner.query(`delete from posthorn.secret_key; delete from posthorn.token_key;
      update posthorn.smtp_credential c set password_sealed = k.password_sealed from kept k
      where k.account_id = c.account_id and k.mode = c.mode`)
    await copyFile(`${file}.kept`, file)
    const steps = { left: after }
    const ended = await beginRekey({ ...options, database: mortal(database, steps) }, null).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Killed) return false
        throw error
      },
    )
    assert.deepEqual(await passwordsOf(), right, `killed after ${after} steps`)
    if (ended) break
    killed++
    const { rows } = await owner.query('select finished_at from posthorn.secret_key order by number desc limit 1')
    const done = rows.length === 0 || rows[0].finished_at !== null ? null : await finishRekey(options)
    if (rows.length > 0) assert.deepEqual(await sealedUnder(database), { 2: 2 }, `killed after ${after} steps`)
    assert.ok(done === null || done.state === 'finished')
    assert.deepEqual(await passwordsOf(), right, `killed after ${after} steps, and gone on`)
  }
  assert.ok(killed > 20, `${killed}`)
})
