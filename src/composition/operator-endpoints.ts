// Connects the operator's endpoints and the services behind them. A part of the composition root.

import type { Config } from '../config.ts'
import { type Accounts, operatorCheck, operatorRoutes, type Plans, setupRoutes } from '../modules/accounts/index.ts'
import { followerLags } from '../modules/events/index.ts'
import { machineRoutes, machineService } from '../modules/machines/index.ts'
import { queueRoutes } from '../modules/outbox/index.ts'
import type { AnyEndpoint } from '../platform/http.ts'
import type { Service } from '../platform/lifecycle.ts'
import type { Store } from '../platform/store.ts'
import type { Ground } from './ground.ts'
import { sharedSettings } from './shared-settings.ts'

export interface OperatorOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
  readonly plans: Plans
  readonly onQueued: () => void
}

export function operatorEndpoints({ ground, store, accounts, plans, onQueued }: OperatorOptions): AnyEndpoint[] {
  const { database, secrets } = store
  const { ids, clock } = ground
  const { sessions, passwords } = accounts
  const operator = operatorCheck(sessions)
  return [
    ...setupRoutes({ database, secrets, ids, clock, passwords, sessions }),
    ...operatorRoutes({ accounts, plans, database, secrets, ids, clock }),
    ...queueRoutes({ database, ids, clock, operator, onQueued }),
    ...machineRoutes({ database, operator, followers: () => followerLags(database.system, clock.now()) }),
  ]
}

export function operatorServices(
  { ground, store, config, plans }: Pick<OperatorOptions, 'ground' | 'store' | 'config' | 'plans'>,
  version: string,
): Service {
  const { clock, ids, log } = ground
  const { database, secrets, renewSecrets } = store
  const settings = sharedSettings(config, plans)
  return machineService({ database, secrets, renewSecrets, clock, ids, log, roles: config.roles, version, settings })
}
