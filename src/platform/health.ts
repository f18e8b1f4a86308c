// What operators and load balancers ask: is the process alive, and can it work?

import { Type } from 'typebox'
import type { Database } from './db.ts'
import { platformErrors } from './errors.ts'
import { type AnyEndpoint, endpoint, named } from './http.ts'

const DATABASE_WITHIN_MS = 2_000
const RETRY_AFTER_SECONDS = 5

export interface HealthOptions {
  readonly database: Pick<Database, 'ping'>
  readonly roles: readonly string[]
  readonly version: string
  /** False until every role is up, and again while stopping. */
  readonly isUp: () => boolean
}

export function healthEndpoints({ database, roles, version, isUp }: HealthOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/healthz',
      access: null,
      operationId: 'checkLiveness',
      summary: 'Check that the process is running',
      tag: 'Operations',
      answers: { 200: named('Liveness', Type.Object({ status: Type.String(), version: Type.String() })) },
      handle: async () => ({ status: 200, body: { status: 'ok', version } }),
    }),
    endpoint({
      method: 'GET',
      path: '/readyz',
      access: null,
      operationId: 'checkReadiness',
      summary: 'Check that the database is reachable and all roles are up',
      tag: 'Operations',
      answers: { 200: named('Readiness', Type.Object({ status: Type.String(), roles: Type.Array(Type.String()) })) },
      handle: async () => {
        if (!isUp()) {
          const facts = { message: 'Not every role is up', retryAfter: RETRY_AFTER_SECONDS }
          throw platformErrors.service_unavailable({ missing: 'roles' }, facts)
        }
        await database.ping(DATABASE_WITHIN_MS).catch((cause: unknown) => {
          const facts = { message: 'The database does not answer', cause, retryAfter: RETRY_AFTER_SECONDS }
          throw platformErrors.service_unavailable({ missing: 'database' }, facts)
        })
        return { status: 200, body: { status: 'ready', roles } }
      },
    }),
  ]
}
