// The sealed columns of this module, for a change of the instance's secret.

import { type SealedColumn, sealedColumn } from '../../platform/secrets/sealed-columns.ts'
import { PURPOSE } from './endpoints.ts'

export const webhookSecrets: readonly SealedColumn[] = [
  sealedColumn('webhooks_secret', PURPOSE, { table: 'webhook', column: 'secret', key: ['id', 'uuid'] }),
  sealedColumn('webhooks_previous_secret', PURPOSE, {
    table: 'webhook',
    column: 'previous_secret',
    key: ['id', 'uuid'],
  }),
]
