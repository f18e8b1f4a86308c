// An MX for tests, at a free port of loopback.

import os from 'node:os'
import { systemClock } from '../../src/platform/clock.ts'
import { largeTurns } from '../../src/platform/files/body-spool.ts'
import { createLogger } from '../../src/platform/log.ts'
import { type Mx, type MxOptions, mxService } from '../../src/roles/mx.ts'

export const MX_HOST = 'mail.posthorn.test'

/** Its only return path is `b+x`, unless `options` have another `inbound`. */
export async function startMx(options: Partial<MxOptions> = {}): Promise<Mx> {
  const mx = mxService({
    spoolFolder: os.tmpdir(),
    turns: largeTurns(),
    host: '127.0.0.1',
    port: 0,
    hostname: MX_HOST,
    isOurHost: (host) => host === MX_HOST,
    certificate: null,
    inbound: inboundFor(async () => undefined),
    unsubscribe: null,
    clock: systemClock(),
    log: createLogger('silent'),
    rateLimits: true,
    disk: { hasRoom: () => true, takesMail: () => true },
    ...options,
  })
  await mx.start()
  return mx
}

/** Takes the mail for `b+x`. */
export function inboundFor(take: MxOptions['inbound']['take']): MxOptions['inbound'] {
  return {
    tokenOf: (local) => (local === 'b+x' ? { emailId: '', firstAccountId: '', lastAccountId: '' } : null),
    providerOf: () => null,
    take,
  }
}
