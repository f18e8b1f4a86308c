// What this room stores sealed, for a changed secret of the instance.

import { type SealedColumn, sealedColumn } from '../../platform/resealing.ts'
import { PURPOSE } from './endpoints.ts'

export const webhookSecrets: readonly SealedColumn[] = [
  sealedColumn('webhooks_secret', PURPOSE, { table: 'webhook', column: 'secret', key: ['id', 'uuid'] }),
]
