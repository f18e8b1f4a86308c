// The rooms that follow the log, connected: the log itself over HTTP, statistics. A part of the composition root.

import type { Config } from './config.ts'
import type { Ground } from './ground.ts'
import type { Accounts } from './modules/accounts/index.ts'
import { eventRoutes, eventStreams } from './modules/events/index.ts'
import { emailsTo } from './modules/outbox/index.ts'
import { statisticsLoop, statisticsRoutes } from './modules/statistics/index.ts'
import type { AnyEndpoint } from './platform/http.ts'
import type { Service } from './platform/lifecycle.ts'
import type { Store } from './platform/store.ts'

export interface FollowersOptions {
  readonly config: Config
  readonly ground: Ground
  readonly store: Store
  readonly accounts: Accounts
}

export interface Followers {
  readonly endpoints: readonly AnyEndpoint[]
  /** What the worker role runs. */
  readonly workers: readonly Service[]
  /** Services that hold answers open: started after HTTP, so that they end before it waits for its answers. */
  readonly beforeHttpStops: readonly Service[]
}

export function followersOf({ ground, store, accounts }: FollowersOptions): Followers {
  const { clock, log } = ground
  const { database } = store
  const streams = eventStreams({ database, clock, log })
  return {
    endpoints: [
      ...eventRoutes({ database, streams, gate: accounts.gate, emailsTo }),
      ...statisticsRoutes({ database, clock }),
    ],
    workers: [statisticsLoop({ database, log })],
    beforeHttpStops: [streams.service],
  }
}
