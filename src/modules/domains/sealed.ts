// The sealed columns of this module, which are resealed after a change of the instance's secret.

import { type SealedColumn, sealedColumn } from '../../platform/secrets/sealed-columns.ts'
import { ED25519_SEAL_PURPOSE, SEAL_PURPOSE } from './keys.ts'

const table = 'sending_domain'
const key = ['id', 'uuid'] as const

export const domainSecrets: readonly SealedColumn[] = [
  sealedColumn('domains_dkim', SEAL_PURPOSE, { table, column: 'dkim_private_key', key }),
  sealedColumn('domains_ed25519', ED25519_SEAL_PURPOSE, { table, column: 'ed25519_private_key', key }),
  sealedColumn('domains_next_dkim', SEAL_PURPOSE, { table, column: 'next_dkim_private_key', key }),
  sealedColumn('domains_next_ed25519', ED25519_SEAL_PURPOSE, { table, column: 'next_ed25519_private_key', key }),
]
