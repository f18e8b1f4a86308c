// Reads reports in a separate thread, one at a time, within 2 s and 128 MB each. A report that exceeds a limit ends the thread,
// not the process; the next report gets a new thread.

import type { Report } from '../../mail/reports/classify.ts'
import { threadFor } from '../../platform/thread.ts'

const DEFAULTS: ReaderOptions = {
  code: new URL('./reader-thread.ts', import.meta.url),
  withinMs: 2_000,
  memoryMb: 128,
}

export interface ReaderOptions {
  /** Code of the thread: takes bytes, answers with a Report. */
  readonly code: URL
  /** Time limit of one report. */
  readonly withinMs: number
  readonly memoryMb: number
}

export interface ReportReader {
  /** @throws when reading exceeds a limit or fails */
  read(raw: Buffer): Promise<Report>
  close(): Promise<void>
}

export function reportReader(options: Partial<ReaderOptions> = {}): ReportReader {
  const { code: file, withinMs, memoryMb } = { ...DEFAULTS, ...options }
  const thread = threadFor<Buffer, Report>({ file, withinMs, memoryMb })
  return { read: (raw) => thread.run(raw), close: () => thread.close() }
}
