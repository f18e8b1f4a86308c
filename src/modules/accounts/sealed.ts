// The sealed columns of this module, for a change of the instance's secret.

import { type SealedColumn, sealedColumn } from '../../platform/secrets/sealed-columns.ts'
import { TOTP_SEAL } from './second-factor.ts'
import { SEAL } from './smtp-credential.ts'
import { replaceSealedPassword, sealedPasswords } from './sql.ts'

const table = 'dashboard_user'
const key = ['id', 'uuid'] as const

export const accountSecrets: readonly SealedColumn[] = [
  { purpose: SEAL, find: sealedPasswords, replace: replaceSealedPassword },
  sealedColumn('accounts_totp', TOTP_SEAL, { table, column: 'totp_secret', key }),
  sealedColumn('accounts_totp_pending', TOTP_SEAL, { table, column: 'totp_pending', key }),
]
