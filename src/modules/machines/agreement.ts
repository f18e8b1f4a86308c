// Settings that must be the same in all processes of the installation and are not.

import type { Db } from '../../platform/db.ts'
import { type StatedSetting, statedSettings } from './sql.ts'

/** Those in which the running processes differ: a row for each value. */
export async function differingSettings(db: Db): Promise<readonly StatedSetting[]> {
  const stated = await statedSettings(db)
  return stated.filter(({ setting }) => stated.filter((other) => other.setting === setting).length > 1)
}

/** Those of a command that no running process has: a row for each value that processes have instead. */
export async function settingsElsewhere(
  db: Db,
  own: Readonly<Record<string, string>>,
): Promise<readonly (StatedSetting & { readonly own: string })[]> {
  const stated = await statedSettings(db)
  const isShared = (setting: string): boolean =>
    stated.some((other) => other.setting === setting && other.value === own[setting])
  return stated.flatMap((other) => {
    const value = own[other.setting]
    return value === undefined || isShared(other.setting) ? [] : [{ ...other, own: value }]
  })
}
