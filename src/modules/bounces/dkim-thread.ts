// The thread that verifies signatures of reports: a mail and keys in, verdicts out. Whatever the bytes do to it ends with
// the thread; the first mail that is signed starts it, and only then is the verifier loaded.

import { parentPort } from 'node:worker_threads'
import type { DkimWork } from '../../mail/dkim-check.ts'
import { verifyDkim } from '../../mail/dkim-verify.ts'

parentPort?.on('message', (work: DkimWork) => {
  // A rejection goes uncaught, and so ends the thread like anything else that goes wrong here.
  void verifyDkim(work).then((verdicts) => parentPort?.postMessage(verdicts))
})
