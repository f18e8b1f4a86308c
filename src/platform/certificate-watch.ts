// Uses a renewed certificate without a restart: the files are read every ten seconds, and a changed pair goes to every
// listener. A key and a certificate that do not match are a half-finished renewal or a mistake: the current pair stays in
// use, the fault is logged once, and the next read may find a matching pair.

import { X509Certificate } from 'node:crypto'
import { assertPair, type Certificate } from './certificates.ts'
import { type Loop, loop } from './lifecycle.ts'
import type { Logger } from './log.ts'

export interface CertificateWatchOptions {
  /** The one the listeners started with. */
  readonly present: Certificate
  /** @throws when it cannot be read */
  readonly read: () => Promise<Certificate>
  /** Applies to new connections. */
  readonly use: (certificate: Certificate) => void
  readonly log: Logger
  readonly everyMs?: number
}

const LOOK_EVERY_MS = 10_000

export function certificateWatch({ present, read, use, log, everyMs = LOOK_EVERY_MS }: CertificateWatchOptions): Loop {
  let used = present
  let lastLogged: string | null = null
  const turn = async (): Promise<number> => {
    const found = await read()
    if (found.cert !== used.cert || found.key !== used.key) {
      assertPair(found)
      use(found)
      used = found
      log.info({ valid_to: new X509Certificate(found.cert).validTo }, 'a renewed certificate is in use')
    }
    lastLogged = null
    return everyMs
  }
  const onError = (error: unknown): void => {
    const text = String(error)
    if (text !== lastLogged) log.error({ err: error }, 'a renewed certificate cannot be used, the present one stays')
    lastLogged = text
  }
  return loop({ name: 'certificate watch', turn, onError, retryMs: everyMs })
}
