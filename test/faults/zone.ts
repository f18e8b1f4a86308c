// The zone of the harness's DNS server and receivers: a JSON file, read again after each change.

import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'

/** `{ "name TYPE": ["value", ..] }`, and `{ "name": "servfail" | "silent" | "late" }` for a faulty name. */
export type Zone = Readonly<Record<string, string | readonly string[]>>

const held = new Map<string, { readonly zone: Zone; readonly at: number }>()

export function zoneOf(file: string): Zone {
  const at = statSync(file).mtimeMs
  const known = held.get(file)
  if (known?.at === at) return known.zone
  const zone = JSON.parse(readFileSync(file, 'utf8')) as Zone
  held.set(file, { zone, at })
  return zone
}

/** Atomic: no reader sees a half-written file. */
export function writeZone(file: string, zone: Zone): void {
  writeFileSync(`${file}.new`, JSON.stringify(zone))
  renameSync(`${file}.new`, file)
}
