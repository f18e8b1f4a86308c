// The settings that must be the same in all processes of an installation. Each process states those that its roles use, in its
// row among the machines; where two differ, the log and `posthorn doctor` say so. A part of the composition root.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Config, Role } from '../config.ts'
import { type Plans, readPlans } from '../modules/accounts/index.ts'
import { settingsElsewhere } from '../modules/machines/index.ts'
import type { Db } from '../platform/db.ts'

/** The roles that use each of them. */
const USED_BY: Readonly<Record<string, readonly Role[]>> = {
  // A process in sandbox mode makes what it accepts sandbox mail, and holds back what others have accepted.
  POSTHORN_DELIVERY: ['api', 'submission', 'delivery', 'worker'],
  POSTHORN_PUBLIC_URL: ['api', 'tracking', 'delivery', 'worker'],
  // Machines that only deliver or receive may have names of their own (docs/guides/scaling-out.md).
  POSTHORN_HOSTNAME: ['api', 'worker'],
  POSTHORN_SPF_MECHANISM: ['api', 'worker'],
  // The worker orders the certificates that others serve, and delivery writes the links.
  POSTHORN_HTTPS_PORT: ['api', 'tracking', 'delivery', 'worker'],
  POSTHORN_PLANS_FILE: ['api', 'submission', 'worker'],
  // The API shows a mail as it is signed.
  POSTHORN_DKIM_DOMAIN: ['api', 'delivery'],
  // A process without it sends bulk mail from the addresses of the other mail.
  POSTHORN_BULK_SOURCE_IPS: ['delivery'],
}

/** By name, as text for people. */
export function sharedSettings(config: Config, plans: Plans): Readonly<Record<string, string>> {
  const values: Readonly<Record<string, string>> = {
    POSTHORN_DELIVERY: config.delivery.kind === 'sandbox' ? 'sandbox' : 'direct or a relay',
    POSTHORN_PUBLIC_URL: config.publicUrl,
    POSTHORN_HOSTNAME: config.hostname,
    POSTHORN_SPF_MECHANISM: config.spfMechanism,
    POSTHORN_HTTPS_PORT: config.httpsPort === null ? 'unset' : String(config.httpsPort),
    POSTHORN_PLANS_FILE: planNames(plans),
    POSTHORN_DKIM_DOMAIN: config.dkimDomain ?? 'unset',
    POSTHORN_BULK_SOURCE_IPS: config.bulkSourceIps.length === 0 ? 'unset' : 'set',
  }
  const isUsed = (name: string): boolean => USED_BY[name]?.some((role) => config.roles.includes(role)) === true
  return Object.fromEntries(Object.entries(values).filter(([name]) => isUsed(name)))
}

/** The same for files that set the same, however they are written. */
function planNames(plans: Plans): string {
  if (isDeepStrictEqual(plans, readPlans(null))) return 'the built-in plans'
  return `plans ${createHash('sha256').update(JSON.stringify(plans)).digest('hex').slice(0, 8)}`
}

/**
 * @param config of a command
 * @param names of the settings to compare, by default all but the plans
 * @returns a line for each that no running process has as this command has it
 */
export async function otherSettings(db: Db, config: Config, names?: readonly string[]): Promise<readonly string[]> {
  const own = Object.entries(sharedSettings(config, readPlans(null)))
  const asked = own.filter(([name]) => (names?.includes(name) ?? true) && name !== 'POSTHORN_PLANS_FILE')
  const elsewhere = await settingsElsewhere(db, Object.fromEntries(asked))
  return elsewhere.map(
    ({ setting, own: value, value: other }) => `${setting} is ${value} for this command, and ${other} in the service`,
  )
}
