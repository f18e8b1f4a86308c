import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { startReceiver } from '../../../test/world/receiver.ts'
import { webhookReceiver } from '../../../test/world/webhook-receiver.ts'
import { startWorld, type World } from '../../../test/world/world.ts'
import { endingCertificate } from '../../composition/listeners.ts'
import { readConfig } from '../../config.ts'
import { statement } from '../../platform/db.ts'
import type { Loop } from '../../platform/lifecycle.ts'
import { selfSigned } from '../../platform/network/certificates.ts'
import { createAccount, setLimits } from '../accounts/index.ts'
import { append } from '../events/index.ts'

const DAY_MS = 86_400_000
const HOOKS = '/api/v1/customer/webhooks'
const NOTICES = statement('test_notices', 'select kind, account_id, mailed_at, email_id from notice order by id')
const AGE = statement('test_age', `update webhook set failing_since = failing_since - interval '5 days' where id = $1`)

// biome-ignore lint/suspicious/noExplicitAny: rows are looked into
const notices = (world: World): Promise<readonly any[]> => world.rooms.database.system.query(NOTICES)

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 50) {
    if (waited > 60_000) throw new Error(`${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function wake(world: World, name: string): void {
  const loops = world.rooms.followers.workers as readonly Loop[]
  loops.find((one) => one.name === name)?.wake()
}

async function fixtureWithMail(settings: Readonly<Record<string, string>> = {}) {
  const mx = await startReceiver({})
  const world = await startWorld({
    zones: {
      'posthorn.test': { MX: ['10 mx.posthorn.test'] },
      'mx.posthorn.test': { A: ['127.0.0.1'] },
    },
    settings: {
      POSTHORN_SMTP_PORT: String(mx.port),
      POSTHORN_SYSTEM_FROM: 'post@mail.posthorn.test',
      POSTHORN_OPERATOR_EMAIL: 'operator@posthorn.test',
      ...settings,
    },
  })
  const mails = async (): Promise<
    { to: string | undefined; from: string | undefined; subject: string; text: string }[]
  > =>
    Promise.all(
      mx.messages.map(async ({ data, recipients }) => {
        const { subject = '', text = '', from } = await PostalMime.parse(data)
        return { to: recipients[0], from: from?.address, subject, text }
      }),
    )
  const end = async (): Promise<void> => {
    await world[Symbol.asyncDispose]()
    await mx[Symbol.asyncDispose]()
  }
  return { world, mails, [Symbol.asyncDispose]: end }
}

function event(world: World, type: 'health.grade_changed' | 'domain.verification_failed', data: object) {
  const { clock, ids } = world.rooms.ground
  return {
    eventId: ids.next(),
    at: clock.now(),
    accountId: world.account.accountId,
    domainId: null,
    emailId: null,
    type,
    stream: 'transactional',
    sandbox: false,
    tag: null,
    data,
    facts: null,
  } as const
}

/** An endpoint that has only failed for five days; the next delivery to it disables it. */
async function failingEndpoint(world: World, url: string): Promise<string> {
  const { api } = world.account
  const made = await api.post(HOOKS, { url, events: ['health.grade_changed'], name: 'Shop\u2028"quoted"' })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  const grade = { previous_grade: 'B', grade: 'A', score: 91 }
  await append(world.rooms.database.system, [event(world, 'health.grade_changed', grade)])
  await until('a failure', async () => (await api.get(`${HOOKS}/${id}`)).body.data.consecutive_failures === 1)
  await world.rooms.database.system.execute(AGE, [id])
  await append(world.rooms.database.system, [event(world, 'health.grade_changed', grade)])
  await until('the end', async () => (await api.get(`${HOOKS}/${id}`)).body.data.is_active === false)
  return id
}

test('an endpoint that failed for five days leads to one mail, which counts as nobody’s sending', async () => {
  await using fixture = await fixtureWithMail()
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(500).end()
  const { world } = fixture
  const id = await failingEndpoint(world, receiver.url)
  const about = async () => (await fixture.mails()).filter(({ subject }) => subject.includes('endpoint was disabled'))
  await until('the mail', async () => (await about()).length > 0)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const [mail, ...more] = await about()
  assert.deepEqual(more, [])
  assert.deepEqual([mail?.to, mail?.from], ['owner1@posthorn.test', 'post@mail.posthorn.test'])
  assert.match(mail?.text ?? '', new RegExp(`${id}[^]*failed for five days`))
  const record = (await notices(world)).find(({ kind }) => kind === 'webhook_disabled')
  assert.equal(record.account_id, world.account.accountId)
  assert.ok(record.mailed_at !== null && record.email_id !== null)
  const { api } = world.account
  assert.equal((await api.get('/api/v1/emails')).body.pagination.total, 0)
  assert.equal((await api.get('/api/v1/events?event=email.delivered')).body.pagination.total, 0)
  const usage = (await api.get('/api/v1/customer/usage')).body.data
  assert.deepEqual([usage.emails.used, usage.delivery.delivered], [0, 0])
})

test('a grade that fell to F is reported to the account and to the operator, once each', async () => {
  await using fixture = await fixtureWithMail()
  const { world } = fixture
  const grade = { previous_grade: 'A', grade: 'F', score: 12 }
  const checks = { spf: { status: 'missing' } }
  const domain = { domain: 'shop.example', domain_id: 'x', verification_status: 'temporary_failure', checks }
  await append(world.rooms.database.system, [
    event(world, 'health.grade_changed', grade),
    event(world, 'domain.verification_failed', domain),
  ])
  await until('three mails', async () => (await fixture.mails()).length >= 3)
  wake(world, 'notices of the log')
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const told = (await fixture.mails()).map(({ to, subject }) => `${to}: ${subject}`).sort()
  assert.deepEqual(told, [
    `operator@posthorn.test: Account ${world.account.accountId}: sending health fell to F`,
    'owner1@posthorn.test: A domain failed its DNS check',
    'owner1@posthorn.test: Your sending health fell from A to F',
  ])
})

test('a first grade that is poor is reported to the account and to the operator', async () => {
  await using fixture = await fixtureWithMail()
  const { world } = fixture
  const first = { previous_grade: null, grade: 'D', score: 61 }
  await append(world.rooms.database.system, [event(world, 'health.grade_changed', first)])
  await until('two mails', async () => (await fixture.mails()).length >= 2)
  const told = (await fixture.mails()).map(({ to, subject }) => `${to}: ${subject}`).sort()
  assert.deepEqual(told, [
    `operator@posthorn.test: Account ${world.account.accountId}: sending health is D`,
    'owner1@posthorn.test: Your sending health is D',
  ])
})

test('a quota is reported at 80 and at 100 per cent, once a month each', async () => {
  await using fixture = await fixtureWithMail()
  const { world } = fixture
  const { accountId, api } = world.account
  await setLimits(world.operator, accountId, { content_checks: 10 })
  world.rooms.accounts.forget(accountId)
  const use = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      assert.equal((await api.post('/api/v1/content-score', { subject: 's', text: 't' })).status, 200)
    }
    wake(world, 'notices of quotas')
  }
  await use(7)
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal((await notices(world)).length, 0)
  await use(1)
  await until('the first', async () => (await fixture.mails()).length === 1)
  await use(2)
  await until('the second', async () => (await fixture.mails()).length === 2)
  await use(0)
  await new Promise((resolve) => setTimeout(resolve, 1_300))
  const month = world.clock.now().toISOString().slice(0, 7)
  assert.deepEqual(
    (await fixture.mails()).map(({ subject }) => subject),
    [
      `80% of your quota of content checks for ${month} is used`,
      `Your quota of content checks for ${month} is used up`,
    ],
  )
})

test('when all mail stays on the server, a notice is in the inbox of the account that it is about', async () => {
  await using world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox' } })
  await using receiver = await webhookReceiver()
  receiver.answer = (_, reply) => void reply.writeHead(410).end()
  const other = await world.newAccount()
  const { api } = world.account
  await api.post(HOOKS, { url: receiver.url, events: ['*'], name: 'Shop' })
  const data = { previous_grade: 'B', grade: 'A', score: 91 }
  await append(world.rooms.database.system, [event(world, 'health.grade_changed', data)])
  await until('the notice', async () => (await api.get('/api/v1/inbox?subject=was disabled')).body.data.length === 1)
  const [mail] = (await api.get('/api/v1/inbox?subject=was disabled')).body.data
  const { text } = (await api.get(`/api/v1/inbox/${mail.id}`)).body.data
  assert.match(text, /410 Gone/)
  assert.equal((await other.api.get('/api/v1/inbox')).body.data.length, 0)
})

test('an account’s address gets five notices of one kind a day; further ones stay records', async () => {
  await using fixture = await fixtureWithMail({ POSTHORN_RATE_LIMITS: 'on' })
  const { world } = fixture
  const grade = { previous_grade: 'B', grade: 'A', score: 91 }
  const all = Array.from({ length: 7 }, () => event(world, 'health.grade_changed', grade))
  await append(world.rooms.database.system, all)
  const taken = async () => (await notices(world)).filter(({ mailed_at }) => mailed_at !== null)
  await until('all to be looked at', async () => (await taken()).length === 7)
  assert.equal((await taken()).filter(({ email_id }) => email_id !== null).length, 5)
})

test('an address gets ten notices a day over all accounts that name it, in any letter case', async () => {
  await using fixture = await fixtureWithMail({ POSTHORN_RATE_LIMITS: 'on' })
  const { world } = fixture
  const grade = { previous_grade: 'B', grade: 'A', score: 91 }
  const accounts: string[] = []
  for (const email of ['ann@posthorn.test', 'Ann@posthorn.test', 'ann@Posthorn.test'])
    accounts.push((await createAccount(world.operator, { email, name: 'Ann' })).accountId)
  const all = accounts.flatMap((accountId) =>
    Array.from({ length: 5 }, () => ({ ...event(world, 'health.grade_changed', grade), accountId })),
  )
  await append(world.rooms.database.system, all)
  const taken = async () => (await notices(world)).filter(({ mailed_at }) => mailed_at !== null)
  await until('all to be looked at', async () => (await taken()).length === 15)
  assert.equal((await taken()).filter(({ email_id }) => email_id !== null).length, 10)
})

test('the former address of an account is told the new one, not as a link, at most five times a day', async () => {
  await using fixture = await fixtureWithMail({ POSTHORN_RATE_LIMITS: 'on' })
  const { world } = fixture
  const { api, accountId } = world.account
  const moveTo = async (email: string) => {
    const { status } = await api.patch('/api/v1/customer/profile', { email })
    assert.equal(status, 200)
  }
  await api.patch('/api/v1/customer/profile', { company: 'Shop' })
  await moveTo('Owner1@posthorn.test')
  assert.deepEqual(await notices(world), [], 'the address is the same')
  await moveTo('thief@evil.example')
  await until('the mail', async () => (await fixture.mails()).length > 0)
  const [mail, ...more] = await fixture.mails()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [mail?.to, mail?.from, mail?.subject],
    ['Owner1@posthorn.test', 'post@mail.posthorn.test', 'The email address of your account was changed'],
  )
  assert.match(mail?.text ?? '', new RegExp(`account ${accountId} was changed`))
  assert.match(mail?.text ?? '', /^New address: thief\[at\]evil\[\.\]example$/m)
  for (let i = 0; i < 6; i++) await moveTo(`thief${i}@posthorn.test`)
  const records = await notices(world)
  assert.equal(records.length, 7)
  assert.ok(records.every(({ kind, mailed_at }) => kind === 'email_changed' && mailed_at !== null))
  assert.equal(records.filter(({ email_id }) => email_id !== null).length, 5)
})

test('many changes of addresses at the same time leave the others their connections to the database', async () => {
  await using world = await startWorld({ settings: { POSTHORN_RATE_LIMITS: 'on' } })
  const { api } = world.account
  const began = performance.now()
  const changes = Array.from({ length: 12 }, (_, i) =>
    api.patch('/api/v1/customer/profile', { email: `owner${i}@shop.example` }),
  )
  await new Promise((resolve) => setTimeout(resolve, 50))
  await world.newAccount('Other')
  const answers = await Promise.all(changes)
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  // They waited for one another until asking for a connection timed out, after 4 s.
  assert.ok(performance.now() - began < 3_500)
})

test('a certificate that is not renewed is reported two weeks before it expires and when it has expired', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'posthorn-certificate-'))
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  const renewed = async (days: number): Promise<void> => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + days * DAY_MS)
    const { cert, key } = selfSigned({ names: ['mail.posthorn.test'], notBefore: new Date(), notAfter })
    await writeFile(keyFile, key)
    await writeFile(certFile, cert)
  }
  await renewed(15)
  await using fixture = await fixtureWithMail({ POSTHORN_TLS_CERT_FILE: certFile, POSTHORN_TLS_KEY_FILE: keyFile })
  const { world } = fixture
  const subjects = async (): Promise<string[]> => {
    wake(world, 'notices of quotas')
    wake(world, 'notices by mail')
    const mails = (await fixture.mails()).filter(({ to }) => to === 'operator@posthorn.test')
    return mails.map(({ subject }) => subject).filter((subject) => subject.startsWith('The certificate'))
  }
  assert.deepEqual(await subjects(), [])
  await renewed(3)
  await until('the warning', async () => (await subjects()).length === 1)
  assert.match((await subjects())[0] ?? '', /^The certificate of mail\.posthorn\.test expires on \d{4}-\d\d-\d\d$/)
  world.clock.advance(4 * DAY_MS)
  await until('the end', async () => (await subjects()).length === 2)
  assert.equal((await subjects())[1], 'The certificate of mail.posthorn.test has expired')
  await renewed(90)
  for (let i = 0; i < 5; i++) assert.equal((await subjects()).length, 2)
  await rm(folder, { recursive: true })
})

const ORDERED = statement(
  'test_ordered',
  `insert into own_certificate (name, due_at, expires_at, error) values ('mail.posthorn.test', now(), now() + interval '1 day', $1)
   on conflict (name) do update set error = excluded.error`,
)

test('of certificates by ACME only one whose last order failed is watched', async () => {
  await using world = await startWorld()
  const { system } = world.rooms.database
  const config = readConfig({ POSTHORN_PUBLIC_URL: 'https://mail.posthorn.test', POSTHORN_HTTPS_PORT: '443' })
  assert.equal(await endingCertificate(config, system), null)
  await system.execute(ORDERED, [null])
  assert.equal(await endingCertificate(config, system), null)
  await system.execute(ORDERED, ['connection refused'])
  const found = await endingCertificate(config, system)
  assert.deepEqual([found?.host, found?.failure], ['mail.posthorn.test', 'connection refused'])
})

const NAMED = statement(
  'test_named',
  `insert into tracking_domain (id, account_id, name, cname_target, created_at, verified_at, ssl_expires_at, ssl_error)
   select gen_random_uuid(), $1, k.name, 'x.posthorn.test', $2, k.verified_at, k.until, k.error
   from unnest($3::text[], $4::timestamptz[], $5::timestamptz[], $6::text[]) as k(name, verified_at, until, error)`,
)

test('an account is told by mail, once, of a tracking domain whose certificate is about to end because its renewal fails', async () => {
  await using fixture = await fixtureWithMail()
  const { world } = fixture
  const now = world.clock.now()
  const days = (count: number): Date => new Date(now.getTime() + count * DAY_MS)
  const names = [
    ['failing.shop.example', now, days(13), 'HTTP-01: no answer'],
    ['renewed.shop.example', now, days(13), null],
    ['early.shop.example', now, days(20), 'HTTP-01: no answer'],
    ['away.shop.example', null, days(13), 'HTTP-01: no answer'],
  ] as const
  const columns = [0, 1, 2, 3].map((at) => names.map((name) => name[at]))
  await world.rooms.database.system.execute(NAMED, [world.account.accountId, now, ...columns])
  const told = async (): Promise<string[]> => {
    wake(world, 'notices of quotas')
    wake(world, 'notices by mail')
    const mails = await fixture.mails()
    return mails.filter(({ subject }) => subject.startsWith('The certificate of a')).map(({ text }) => text)
  }
  await until('the mail', async () => (await told()).length > 0)
  for (let i = 0; i < 5; i++) assert.equal((await told()).length, 1)
  assert.match((await told())[0] ?? '', /failing\[\.\]shop\[\.\]example .* expires at/)
})
