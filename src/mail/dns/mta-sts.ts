// MTA-STS (RFC 8461): what a domain publishes about TLS to its mail hosts. This file only parses; the transport room
// fetches and caches policies.

export type StsMode = 'enforce' | 'testing' | 'none'

export interface StsPolicy {
  readonly mode: StsMode
  /** Host names in lower case; one may begin with `*.`. */
  readonly mx: readonly string[]
  /** Seconds. */
  readonly maxAge: number
}

/** One year in seconds (RFC 8461 section 3.2). */
const MAX_MAX_AGE = 31_557_600
const MAX_MX = 100
// The lookbehind tries a trailing run only from its first blank; trying each blank would take quadratic time.
const AROUND = /^[ \t]+|(?<![ \t])[ \t]+$/g

/**
 * The policy id in the TXT records of `_mta-sts.<domain>` (RFC 8461 section 3.1); null when there is no such record, more
 * than one, or a malformed one.
 */
export function stsRecordId(records: readonly string[]): string | null {
  const ours = records.filter((record) => /^v=STSv1[ \t]*;/.test(record))
  const [record] = ours
  if (record === undefined || ours.length > 1) return null
  const ids = record
    .split(';')
    .slice(1)
    .map((field) => /^[ \t]*id=([a-zA-Z0-9]{1,32})[ \t]*$/.exec(field)?.[1])
    .filter((id) => id !== undefined)
  return ids.length === 1 ? (ids[0] ?? null) : null
}

/** Parses a policy file (RFC 8461 section 3.2); null if invalid. The first of duplicate keys counts, except for `mx`. */
export function parseStsPolicy(text: string): StsPolicy | null {
  const fields = new Map<string, string>()
  const mx: string[] = []
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', rest = ''] = /^[ \t]*([a-zA-Z0-9_.-]{1,32})[ \t]*:(.*)$/.exec(line) ?? []
    const value = rest.replaceAll(AROUND, '')
    if (key === 'mx') mx.push(value.toLowerCase().replace(/\.$/, ''))
    else if (key !== '' && !fields.has(key)) fields.set(key, value)
  }
  const mode = fields.get('mode')
  const maxAge = fields.get('max_age') ?? ''
  if (fields.get('version') !== 'STSv1' || !/^\d{1,10}$/.test(maxAge)) return null
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none') return null
  if (mode !== 'none' && (mx.length === 0 || mx.length > MAX_MX || !mx.every(isPattern))) return null
  return { mode, mx, maxAge: Math.min(Number(maxAge), MAX_MAX_AGE) }
}

function isPattern(name: string): boolean {
  return /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)+$/.test(name)
}

/** Whether a policy covers an MX host; a wildcard matches exactly one label (RFC 8461 section 4.1). */
export function stsAllows({ mx }: StsPolicy, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  const parent = name.slice(name.indexOf('.') + 1)
  return mx.some((pattern) => (pattern.startsWith('*.') ? pattern.slice(2) === parent : pattern === name))
}
