// Whose name a link was called under. It works under the names of its own account and under any that no account has proven, as
// the public URL's (even one that was an account's name before it became that). Under the name of another account it is
// unknown: no account can lend its targets the good name of another.

import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import * as sql from './sql-tracking-domains.ts'

export interface NameOwnersOptions {
  readonly database: { readonly system: Pick<Db, 'query'> }
  readonly clock: Pick<Clock, 'now'>
  readonly publicUrl: string
}

export interface NameOwners {
  refresh(): Promise<void>
  /** @param host of the request, as sent; undefined: it has none, as in HTTP/1.0 */
  isOfAnother(host: string | undefined, accountId: string): boolean
}

export function nameOwners({ database, clock, publicUrl }: NameOwnersOptions): NameOwners {
  const ownName = new URL(publicUrl).hostname
  let byName = new Map<string, string>()
  return {
    refresh: async () => {
      const owners = await database.system.query<sql.NameOwner>(sql.nameOwners, [clock.now()])
      byName = new Map(owners.map(({ name, account_id: accountId }) => [name, accountId] as const))
      byName.delete(ownName)
    },
    isOfAnother: (host, accountId) => {
      if (byName.size === 0 || host === undefined) return false
      const owner = byName.get(host) ?? byName.get(nameIn(host))
      return owner !== undefined && owner !== accountId
    },
  }
}

function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
}
