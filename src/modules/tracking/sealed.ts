// The sealed columns of this room, to be resealed when the instance's secret changes.

import { type SealedColumn, sealedColumn } from '../../platform/secrets/sealed-columns.ts'
import { ACCOUNT_KEY } from './certificate-authority.ts'
import { CERTIFICATE_KEY, OWN_CERTIFICATE_KEY } from './certificates.ts'

const column = 'private_key'

export const trackingSecrets: readonly SealedColumn[] = [
  sealedColumn('tracking_key', CERTIFICATE_KEY, { table: 'tracking_domain', column, key: ['id', 'uuid'] }),
  sealedColumn('tracking_own_key', OWN_CERTIFICATE_KEY, { table: 'own_certificate', column, key: ['name', 'text'] }),
  sealedColumn('tracking_acme_key', ACCOUNT_KEY, { table: 'acme_account', column, key: ['directory', 'text'] }),
]
