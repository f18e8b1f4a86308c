// Connects the rooms that send through the sending room: contacts, other vendors' clients; and the erasure of recipients. A part of the composition root.

import type { Config } from '../config.ts'
import type { Accounts } from '../modules/accounts/index.ts'
import { contactsEndpoints } from '../modules/contacts/index.ts'
import { oldestUsable } from '../modules/domains/index.ts'
import type { EmailCalls } from '../modules/outbox/index.ts'
import type { Sending, Templates } from '../modules/sending/index.ts'
import { erasureRoutes, requestErasure } from '../modules/suppression/index.ts'
import { vendorEndpoints } from '../modules/vendors/index.ts'
import type { DatabaseHeartbeat } from '../platform/database-heartbeat.ts'
import type { AnyEndpoint, Principal } from '../platform/http.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'
import { recipientErasing } from './recipient-erasure.ts'

export interface SendersOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
  readonly heartbeat: DatabaseHeartbeat
  readonly sending: Sending
  readonly emails: EmailCalls
  readonly templates: Templates
}

export function senderEndpoints(options: SendersOptions): readonly AnyEndpoint[] {
  const { config, ground, store, accounts, heartbeat, sending, emails, templates } = options
  const { clock, ids } = ground
  const { database, secrets } = store
  const erasing = recipientErasing({ database, ground })
  const contacts = contactsEndpoints({
    database,
    clock,
    ids,
    secrets,
    publicUrl: config.publicUrl,
    sending,
    templates,
    sandboxed: config.delivery.kind === 'sandbox',
    senderOf: (accountId) => accounts.settings(accountId),
    erasePerson: (principal, recipient) => requestErasure(erasing, principal, recipient),
    oldestUsable: (accountId) => oldestUsable(database.system, accountId),
    isSuspended: (accountId) => accounts.suspendedAccounts().has(accountId),
    whileBeating: heartbeat.whileBeating,
  })
  const takeBatchToken = async (principal: Principal): Promise<void> => {
    await accounts.gate.takeMore(principal, 'batch', 1)
  }
  return [
    ...contacts,
    ...erasureRoutes(erasing),
    ...vendorEndpoints({ sending, emails, takeBatchToken, clock, log: ground.log }),
  ]
}
