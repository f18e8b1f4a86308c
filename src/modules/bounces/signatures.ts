// Verifies the signatures of reports in a separate thread, one report at a time, within 5 s and 128 MB each.

import { type DkimCheck, type DkimVerdict, type DkimWork, dkimCheck } from '../../mail/authentication/dkim-check.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Resolver } from '../../platform/dns.ts'
import { threadFor } from '../../platform/thread.ts'

const VERIFYING = { file: new URL('./dkim-thread.ts', import.meta.url), withinMs: 5_000, memoryMb: 128 }

export interface SignatureReader {
  /** Never rejects. */
  readonly check: DkimCheck
  close(): Promise<void>
}

export function signatureReader(options: { readonly resolver: Resolver; readonly clock: Clock }): SignatureReader {
  const thread = threadFor<DkimWork, readonly DkimVerdict[]>(VERIFYING)
  return { check: dkimCheck({ ...options, verify: (work) => thread.run(work) }), close: () => thread.close() }
}
