// The body of requests that replace a secret: how long the old one stays valid.

import { type Static, Type } from 'typebox'
import { named } from '../http.ts'

export const MAX_GRACE_HOURS = 72
const HOUR_MS = 3_600_000

export const Rotation = named(
  'RotateRequest',
  Type.Object(
    {
      grace_period_hours: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: MAX_GRACE_HOURS,
          description: 'Hours for which the old secret stays valid. 0 when absent.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
)

export function graceMsOf(body: Static<typeof Rotation>): number {
  return (body.grace_period_hours ?? 0) * HOUR_MS
}
