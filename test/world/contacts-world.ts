// Contacts as a shop has them: an account with a domain. Confirmation mails are read in the built-in inbox.

import assert from 'node:assert/strict'
import { ensureEventPartitions } from '../../src/modules/events/index.ts'
import { ensureOutboxPartitions } from '../../src/modules/outbox/index.ts'
import { type Reply, startWorld, type TestAccount, type World } from './world.ts'

export const CONTACTS = '/api/v1/customer/contacts'
const PUBLIC_URL = 'https://mail.posthorn.test'

export interface Mail {
  readonly from: string
  readonly subject: string
  readonly html: string
  readonly text: string
  readonly headers: unknown
}

export interface ContactsWorld {
  readonly world: World
  readonly owner: TestAccount
  later(ms: number): Promise<void>
  fresh(): string
  add(body: object, account?: TestAccount): Promise<Reply>
  added(body: object, account?: TestAccount): Promise<Reply['body']>
  mailsTo(email: string, account?: TestAccount): Promise<readonly Mail[]>
  linkTo(email: string, account?: TestAccount): Promise<string>
  press(link: string, init?: RequestInit): Promise<{ status: number; text: string; headers: Headers }>
}

export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

export async function startContacts(): Promise<ContactsWorld> {
  const world = await startWorld({ settings: { POSTHORN_DELIVERY: 'sandbox', POSTHORN_PUBLIC_URL: PUBLIC_URL } })
  const owner = await world.newAccount('Shop <b>&</b> Söhne')
  await world.verifiedDomain('shop.example', owner)
  let people = 0

  /** Turns the clock and at once does what the service does every hour. */
  async function later(ms: number): Promise<void> {
    world.clock.advance(ms)
    await ensureEventPartitions(world.rooms.database.system, world.clock.now())
    await ensureOutboxPartitions(world.rooms.database.system, world.clock.now())
  }

  const fresh = (): string => `person${++people}@reader.example`

  async function add(body: object, account: TestAccount = owner): Promise<Reply> {
    return account.api.post(CONTACTS, body)
  }

  async function added(body: object, account: TestAccount = owner): Promise<Reply['body']> {
    const reply = await add(body, account)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.data
  }

  async function mailsTo(email: string, account: TestAccount = owner): Promise<readonly Mail[]> {
    for (const end = performance.now() + 60_000; performance.now() < end; await settled()) {
      await world.rooms.delivery?.turn()
      const waiting = await account.api.get(`/api/v1/emails?recipient=${email}&status=queued,deferred`)
      if (waiting.body.pagination.total === 0) break
    }
    const { body } = await account.api.get(`/api/v1/inbox?to=${encodeURIComponent(email)}`)
    return Promise.all(
      body.data.map(async ({ id }: { id: string }) => (await account.api.get(`/api/v1/inbox/${id}`)).body.data),
    )
  }

  async function linkTo(email: string, account: TestAccount = owner): Promise<string> {
    const [mail] = await mailsTo(email, account)
    const [link] = /https:\/\/mail\.posthorn\.test\/confirm\/\S+/.exec(mail?.text ?? '') ?? []
    assert.ok(link !== undefined, 'the text has the link as it is')
    return world.url + new URL(link).pathname
  }

  async function press(
    link: string,
    init: RequestInit = {},
  ): Promise<{ status: number; text: string; headers: Headers }> {
    const reply = await fetch(link, { method: 'POST', redirect: 'manual', ...init })
    return { status: reply.status, text: await reply.text(), headers: reply.headers }
  }

  return { world, owner, later, fresh, add, added, mailsTo, linkTo, press }
}
