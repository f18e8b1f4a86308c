// The thread that verifies signatures of reports: a mail and keys in, verdicts out. Any damage by hostile bytes ends with the
// thread. The first signed mail starts it, and only then is the verifier loaded.

import { parentPort } from 'node:worker_threads'
import type { DkimWork } from '../../mail/authentication/dkim-check.ts'
import { verifyDkim } from '../../mail/authentication/dkim-verify.ts'

parentPort?.on('message', (work: DkimWork) => {
  // A rejection stays uncaught on purpose: it ends the thread like any other error here.
  void verifyDkim(work).then((verdicts) => parentPort?.postMessage(verdicts))
})
