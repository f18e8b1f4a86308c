// Uses a renewed certificate without a restart: the files are read every ten seconds, and a changed pair goes to every
// listener. A key and a certificate that do not match are a half-finished renewal or a mistake: the current pair stays in
// use, and the next read may find a matching pair.

import { X509Certificate } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { lastingFault } from '../lasting-fault.ts'
import { type Loop, loop } from '../lifecycle.ts'
import type { Logger } from '../log.ts'
import { assertPair, type Certificate } from './certificates.ts'

export interface CertificateWatchOptions {
  /** The one the listeners started with. */
  readonly present: Certificate
  /** @throws when it cannot be read */
  readonly read: () => Promise<Certificate>
  /** Applies to new connections. */
  readonly use: (certificate: Certificate) => void
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
  readonly everyMs?: number
}

const LOOK_EVERY_MS = 10_000

export function certificateWatch(options: CertificateWatchOptions): Loop {
  const { present, read, use, clock, log, everyMs = LOOK_EVERY_MS } = options
  const fault = lastingFault({
    ...{ log, clock },
    lasts: 'a renewed certificate cannot be used, the present one stays',
    ended: 'the certificate files can be used again',
    settledMs: 0,
  })
  let used = present
  const turn = async (): Promise<number> => {
    const found = await read()
    if (found.cert !== used.cert || found.key !== used.key) {
      assertPair(found)
      use(found)
      used = found
      log.info({ valid_to: new X509Certificate(found.cert).validTo }, 'a renewed certificate is in use')
    }
    fault.absent()
    return everyMs
  }
  return loop({ name: 'certificate watch', turn, onError: (err) => fault.met({ err }), retryMs: everyMs })
}
