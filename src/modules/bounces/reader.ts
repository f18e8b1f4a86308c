// Reads reports in a thread of its own, one after the other: at most 2 s and 128 MB each. One that goes beyond costs the
// thread, not the process; the next report gets a new one.

import type { Report } from '../../mail/report.ts'
import { threadFor } from '../../platform/thread.ts'

const DEFAULTS: ReaderOptions = {
  code: new URL('./reader-thread.ts', import.meta.url),
  withinMs: 2_000,
  memoryMb: 128,
}

export interface ReaderOptions {
  /** What the thread runs: takes bytes, answers a Report. */
  readonly code: URL
  /** For one report. */
  readonly withinMs: number
  readonly memoryMb: number
}

export interface ReportReader {
  /** @throws when the report costs more than it may, or its reading fails */
  read(raw: Buffer): Promise<Report>
  close(): Promise<void>
}

export function reportReader(options: Partial<ReaderOptions> = {}): ReportReader {
  const { code: file, withinMs, memoryMb } = { ...DEFAULTS, ...options }
  const thread = threadFor<Buffer, Report>({ file, withinMs, memoryMb })
  return { read: (raw) => thread.run(raw), close: () => thread.close() }
}
