// The doctor's result for one check.

export type State = 'ok' | 'warn' | 'fail' | 'unknown' | 'skipped'

export interface Finding {
  readonly check: string
  readonly state: State
  readonly found: string
  /** What to do; null when nothing is needed. */
  readonly advice: string | null
}

export type CheckResult = Omit<Finding, 'check'>

/** Width of the column of names; wider than any name. */
export const CHECK_WIDTH = 35

/** One check; a rejection becomes a finding in state unknown. */
export type Check = readonly [check: string, look: () => Promise<CheckResult>]

export const ok = (found: string): CheckResult => ({ state: 'ok', found, advice: null })
export const warn = (found: string, advice: string): CheckResult => ({ state: 'warn', found, advice })
export const fail = (found: string, advice: string): CheckResult => ({ state: 'fail', found, advice })
export const unknown = (found: string, advice: string): CheckResult => ({ state: 'unknown', found, advice })
export const skipped = (found: string): CheckResult => ({ state: 'skipped', found, advice: null })

/** What servers, names and settings say may hold anything, and is shown on a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROLS = /[\0-\x1f\x7f-\x9f]+/g

/** Never rejects: a check that throws is unknown. */
export function findingsOf(checks: readonly Check[]): Promise<readonly Finding[]> {
  return Promise.all(
    checks.map(async ([check, look]) => {
      const result = await look().catch((error: Error) => unknown(`check failed: ${error.message}`, 'try again'))
      return { check, ...result, found: result.found.replaceAll(CONTROLS, ' ') }
    }),
  )
}
