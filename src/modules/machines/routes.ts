import { Type } from 'typebox'
import type { Database } from '../../platform/db.ts'
import { type Answer, type AnyEndpoint, DateTime, endpoint, named, Uuid } from '../../platform/http.ts'
import { accountErrors, type OperatorCheck } from '../accounts/index.ts'
import { listMachines, SILENT_AFTER_SECONDS } from './sql.ts'

export interface MachineRoutesOptions {
  readonly database: Database
  readonly operator: OperatorCheck
  /** The lag of each follower of the log. */
  readonly followers: () => Promise<readonly { readonly name: string; readonly lagSeconds: number }[]>
}

const MOST = 500

const Machine = named(
  'Machine',
  Type.Object({
    id: Uuid,
    host: Type.String(),
    pid: Type.Integer(),
    roles: Type.Array(Type.String()),
    version: Type.String(),
    state: Type.Enum(['running', 'silent', 'stopped'], {
      description: 'State of the process. `silent`: no heartbeat for 30 seconds.',
    }),
    started_at: DateTime,
    last_heartbeat_at: DateTime,
    heartbeat_age_seconds: Type.Number(),
    event_loop_delay_ms: Type.Integer({
      description: '99th percentile of the event loop delay between the last two heartbeats, in milliseconds.',
    }),
    memory_bytes: Type.Integer(),
  }),
)
const Follower = named('LogFollower', Type.Object({ name: Type.String(), lag_seconds: Type.Number() }))

export function machineRoutes({ database, operator, followers }: MachineRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/operator/machines',
      access: null,
      authenticate: operator,
      operationId: 'listMachines',
      summary: 'List the processes of the installation and the lag of each event log follower',
      tag: 'Operator',
      answers: {
        200: named('MachineList', Type.Object({ data: Type.Array(Machine), followers: Type.Array(Follower) })),
      },
      errors: [accountErrors.not_signed_in, accountErrors.not_operator],
      handle: async (): Promise<Answer> => {
        const [rows, lags] = await Promise.all([listMachines(database.system, MOST), followers()])
        const data = rows.map((row) => ({
          id: row.id,
          host: row.host,
          pid: row.pid,
          roles: row.roles,
          version: row.version,
          state: stateOf(row),
          started_at: row.started_at.toISOString(),
          last_heartbeat_at: row.seen_at.toISOString(),
          heartbeat_age_seconds: Math.max(0, row.silent_seconds),
          event_loop_delay_ms: row.loop_delay_ms,
          memory_bytes: row.memory_bytes,
        }))
        return {
          status: 200,
          body: { data, followers: lags.map(({ name, lagSeconds }) => ({ name, lag_seconds: lagSeconds })) },
        }
      },
    }),
  ]
}

function stateOf({
  stopped_at,
  silent_seconds,
}: {
  readonly stopped_at: Date | null
  readonly silent_seconds: number
}): 'running' | 'silent' | 'stopped' {
  if (stopped_at !== null) return 'stopped'
  return silent_seconds > SILENT_AFTER_SECONDS ? 'silent' : 'running'
}
