// A suspended account: within five seconds nothing of it is sent any more, however long its queue. It can read and do nothing
// else; when it is resumed everything continues.
//
// SUSPENSION_QUEUED: number of mails in the queue, 20,000 by default.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { resume, suspend } from '../src/modules/accounts/index.ts'
import { encodeContent, enqueue, type NewEmail, siteIds } from '../src/modules/outbox/index.ts'
import { startReceiver } from './world/receiver.ts'
import { startWorld, type World } from './world/world.ts'

const QUEUED = Number(process.env['SUSPENSION_QUEUED'] ?? 20_000)
const TOGETHER = 1_000
const SITE = 'example.net'
const FROM = { name: 'Shop', address: 'news@shop.example' }

async function fill({ operator: { database, ids, clock }, account }: World, domainId: string): Promise<void> {
  const { accountId } = account
  const sites = await siteIds(database.system).of([SITE])
  const bytes = encodeContent({
    kind: 'composed',
    from: FROM,
    to: [],
    cc: [],
    replyTo: [],
    subject: 'Hi',
    headers: [],
    html: null,
    text: 'Hi',
    attachments: [],
    treatment: { trackOpens: false, trackClicks: false, unsubscribeHeader: false },
  })
  for (let batch = 0; batch < QUEUED / TOGETHER; batch++) {
    const bodyId = ids.next()
    const createdAt = clock.now()
    const email = (number: number): NewEmail => {
      const id = ids.next()
      const recipient = `b${batch}.${number}@${SITE}`
      return {
        ...{ id, accountId, domainId, bodyId, createdAt, status: 'queued', from: FROM, recipient },
        ...{ recipientKey: recipient, cc: [], replyTo: [], site: SITE, subject: 'Hi', messageId: `${id}@shop.example` },
        ...{
          stream: 'transactional',
          bulk: false,
          sandbox: false,
          sandboxResult: 'deliver',
          tag: null,
          metadata: null,
        },
        ...{ sizeBytes: 1_000, scheduledAt: null, expiresAt: new Date(createdAt.getTime() + 72 * 3_600_000) },
        ...{ tlsRequired: false, risk: null },
      }
    }
    const emails = Array.from({ length: TOGETHER }, (_, number) => email(number))
    await database.transaction((db) => enqueue(db, emails, [{ id: bodyId, accountId, stretches: [bytes] }], sites))
  }
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if (await holds()) return
    await delay(100)
  }
  throw new Error(`not within 30 s: ${what}`)
}

test(`a suspension stops a queue of ${QUEUED} within 5 s, and resuming restarts it`, {
  timeout: 300_000,
}, async () => {
  await using mx = await startReceiver({ keep: false })
  await using world = await startWorld({
    zones: { [SITE]: { MX: [`10 mx.${SITE}`] }, [`mx.${SITE}`]: { A: ['127.0.0.1'] } },
    settings: { POSTHORN_SMTP_PORT: String(mx.port) },
  })
  const domainId = await world.verifiedDomain('shop.example')
  const { operator, account, api } = world
  await fill(world, domainId)
  await until('the delivery has begun', () => mx.messageCount >= 20)

  await suspend(operator, account.accountId)
  await delay(5_000)
  const sent = mx.messageCount
  assert.ok(sent < QUEUED, 'the queue was empty before it could be stopped')
  const mail = { from: FROM.address, to: `a@${SITE}`, subject: 'Hi', text: 'Hi' }
  for (const [method, path, body] of [
    ['post', '/api/v1/send', mail],
    ['post', '/api/v1/send/batch', { messages: [mail] }],
    ['post', '/api/v1/customer/domains', { domain: 'more.example' }],
    ['post', '/api/v1/smtp-credentials/rotate', {}],
  ] as const) {
    const refused = await api[method](path, body)
    assert.deepEqual([refused.status, refused.body.code], [403, 'account_suspended'], path)
  }
  for (const path of [
    '/api/v1/emails',
    '/api/v1/customer/domains',
    '/api/v1/smtp-credentials',
    '/api/v1/smtp-credentials/settings',
    '/api/v1/customer/limits',
  ]) {
    assert.equal((await api.get(path)).status, 200, path)
  }
  await delay(3_000)
  assert.equal(mx.messageCount, sent, 'mail was still sent after 5 s')

  await resume(operator, account.accountId)
  await until('the queue goes on', () => mx.messageCount >= sent + 20)
  await until('the account may write', async () => (await api.post('/api/v1/send', mail)).status === 202)
})
