// An email and its events as the statement benchmarks store them.

import type { NewEvent } from '../src/modules/events/index.ts'
import type { NewEmail } from '../src/modules/outbox/index.ts'
import { systemClock } from '../src/platform/clock.ts'
import { systemIds } from '../src/platform/ids.ts'

const clock = systemClock()
const ids = systemIds()

export function emailOf(accountId: string, domainId: string, subject: string, sizeBytes: number): NewEmail {
  const id = ids.next()
  const now = clock.now()
  return {
    id,
    accountId,
    domainId,
    bodyId: id,
    createdAt: now,
    status: 'queued',
    from: { name: 'Shöp', address: 'news@bench.test' },
    recipient: 'user@dest.test',
    recipientKey: 'user@dest.test',
    cc: [],
    replyTo: [],
    site: 'dest.test',
    subject,
    messageId: `${id}@bench.test`,
    stream: 'transactional',
    bulk: false,
    sandbox: false,
    sandboxResult: 'deliver',
    tag: null,
    metadata: null,
    sizeBytes,
    scheduledAt: null,
    expiresAt: new Date(now.getTime() + 259_200_000),
    tlsRequired: false,
    risk: { risk_score: 0, risk_level: 'safe', action: 'send', factors: [] },
  }
}

export function eventOf(email: NewEmail, type: 'email.sent' | 'email.delivered'): NewEvent {
  const now = clock.now()
  const { accountId, domainId, id: emailId, stream, sandbox, tag, recipient, subject, messageId, metadata } = email
  const common = { eventId: ids.next(), at: now, accountId, domainId, emailId, stream, sandbox, tag, type }
  if (type === 'email.sent') {
    const facts = { recipient, from: email.from.address, from_name: 'Shöp', subject, message_id: messageId, metadata }
    return { ...common, data: { queued_at: now.toISOString() }, facts }
  }
  const data = {
    delivered_at: now.toISOString(),
    smtp_code: 250,
    enhanced_code: '2.0.0',
    response: '250 2.0.0 Ok',
    remote_mta: { host: '127.0.0.1', ip: '127.0.0.1' },
    tls: null,
    attempts: 1,
    delivery_time_ms: 41,
  }
  return { ...common, data, facts: null }
}
