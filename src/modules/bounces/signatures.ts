// Verifies the signatures of reports in a separate thread, one report at a time, within 5 s and 128 MB each. A check that has to
// wait for others longer than WITHIN_MS has no answer, because a report is held for a minute, and the same goes for one that comes
// while WAITING_MOST have not ended.

import {
  type DkimCheck,
  type DkimOutcome,
  type DkimVerdict,
  type DkimWork,
  dkimCheck,
} from '../../mail/authentication/dkim-check.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Resolver } from '../../platform/dns.ts'
import { aborted } from '../../platform/lifecycle.ts'
import { threadFor } from '../../platform/thread.ts'

const VERIFYING = { file: new URL('./dkim-thread.ts', import.meta.url), withinMs: 5_000, memoryMb: 128 }
const WITHIN_MS = 20_000
const WAITING_MOST = 64
const NO_ANSWER: DkimOutcome = { result: 'unknown', domain: null, reason: 'no_answer' }

export interface SignatureReader {
  /** Never rejects. */
  readonly check: DkimCheck
  /** Without any look-up: a signed report is one whose signer's DNS does not answer. Never rejects. */
  readonly checkAtOnce: DkimCheck
  close(): Promise<void>
}

export function signatureReader(options: { readonly resolver: Resolver; readonly clock: Clock }): SignatureReader {
  const thread = threadFor<DkimWork, readonly DkimVerdict[]>(VERIFYING)
  const verify = (work: DkimWork): Promise<readonly DkimVerdict[]> => thread.run(work)
  const looked = dkimCheck({ ...options, verify })
  const silent = { txt: async () => ({ kind: 'timeout' }) as const }
  const checkAtOnce = dkimCheck({ ...options, resolver: silent, verify })
  let waiting = 0
  const check: DkimCheck = (raw, question) => {
    if (waiting >= WAITING_MOST) return checkAtOnce(raw, question)
    waiting++
    const answer = looked(raw, question).finally(() => waiting--)
    return Promise.race([answer, aborted(AbortSignal.timeout(WITHIN_MS)).then(() => NO_ANSWER)])
  }
  return { check, checkAtOnce, close: () => thread.close() }
}
