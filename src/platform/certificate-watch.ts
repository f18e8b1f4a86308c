// A renewed certificate is used without a restart: the files are looked at every ten seconds, and what they hold anew goes
// to every listener. A key and a certificate that do not belong together are a renewal half done, or a mistake: the
// present one stays, it is told once, and the next look may find them whole.

import { X509Certificate } from 'node:crypto'
import { assertPair, type Certificate } from './certificates.ts'
import { type Loop, loop } from './lifecycle.ts'
import type { Logger } from './log.ts'

export interface CertificateWatchOptions {
  /** The one that the listeners began with. */
  readonly present: Certificate
  /** @throws when it cannot be read */
  readonly read: () => Promise<Certificate>
  /** For connections from now on. */
  readonly use: (certificate: Certificate) => void
  readonly log: Logger
  readonly everyMs?: number
}

const LOOK_EVERY_MS = 10_000

export function certificateWatch({ present, read, use, log, everyMs = LOOK_EVERY_MS }: CertificateWatchOptions): Loop {
  let used = present
  let told: string | null = null
  const turn = async (): Promise<number> => {
    const found = await read()
    if (found.cert !== used.cert || found.key !== used.key) {
      assertPair(found)
      use(found)
      used = found
      log.info({ valid_to: new X509Certificate(found.cert).validTo }, 'a renewed certificate is in use')
    }
    told = null
    return everyMs
  }
  const onError = (error: unknown): void => {
    const text = String(error)
    if (text !== told) log.error({ err: error }, 'a renewed certificate cannot be used, the present one stays')
    told = text
  }
  return loop({ name: 'certificate watch', turn, onError, retryMs: everyMs })
}
