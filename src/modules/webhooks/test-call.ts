// The test operation: one immediate attempt, whatever the endpoint subscribes to, without retries. It is in the delivery log
// like any other, but does not count as a success or failure of the endpoint and cannot be replayed, since the event log does
// not have it. A receiver that answers 410 is disabled as by any attempt.

import { withDays } from '../../platform/db/partitions.ts'
import type { Ids } from '../../platform/ids.ts'
import type { Connector } from '../../platform/network/connect.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AttemptResult, attempt } from './attempt.ts'
import { clearDisabled } from './clearing.ts'
import { type Asker, openSecrets, readEndpoint } from './endpoints.ts'
import { ensureWebhookPartitions } from './partitions.ts'
import { type RecordOptions, recordEnded } from './record-results.ts'
import * as sql from './sql.ts'
import { TEST_EVENT } from './types.ts'

export interface TestContext extends RecordOptions {
  readonly ids: Ids
  readonly secrets: Secrets
  readonly connector: Connector
}

/** @throws ApiError not_found */
export async function testEndpoint(
  context: TestContext,
  requester: Asker,
  webhookId: string,
): Promise<AttemptResult & { readonly eventId: string }> {
  const { database, clock, ids, secrets } = context
  const { accountId } = requester
  const { endpoint, sealed } = await database.tenant(accountId, (db) => readEndpoint(db, requester, webhookId))
  const eventId = ids.next()
  const at = clock.now()
  const result = await attempt(context, {
    url: endpoint.url,
    secrets: openSecrets(secrets, webhookId, sealed, at),
    webhookId,
    eventId,
    payload: testEvent(accountId, eventId, at),
  })
  const { success, facts } = result
  const id = ids.next()
  if (result.gone) {
    const asked = { webhookId, eventId, url: endpoint.url, startedAt: at }
    const ended = { ...asked, id, lease: id, logged: null, attempt: 0, leading: false, result, wasSent: true }
    for (const disabled of await recordEnded(context, [ended])) {
      await clearDisabled((work) => work(database.system), disabled, clock.now())
    }
  }
  const row = [id, accountId, webhookId, eventId, at, TEST_EVENT, success, JSON.stringify(facts), clock.now()]
  await withDays(
    () => ensureWebhookPartitions(database.system, clock.now()),
    () => database.system.execute(sql.keepTest, row),
  )
  return { ...result, eventId }
}

function testEvent(accountId: string, eventId: string, at: Date): object {
  return {
    event_id: eventId,
    event: 'test',
    timestamp: at.toISOString(),
    customer_id: accountId,
    message: 'This is a test event from Posthorn',
  }
}
