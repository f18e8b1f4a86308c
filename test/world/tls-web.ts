// The declared web, from which receivers' policies are read and to which reports are sent, and the sender of reports.

import { type ReportMail, tlsReportLoop } from '../../src/modules/transport/index.ts'
import type { Connector, Outcome, OutgoingRequest } from '../../src/platform/network/connect.ts'
import type { Fixture } from './delivery-fixture.ts'

export interface Web extends Connector {
  readonly asked: OutgoingRequest[]
  answer: Partial<Extract<Outcome, { kind: 'answered' }>> | 'down'
}

export function web(body: string): Web {
  const made: Web = {
    asked: [],
    answer: { body: Buffer.from(body) },
    request: async (asked) => {
      made.asked.push(asked)
      if (made.answer === 'down') return { kind: 'failed', failure: 'connect', detail: 'down' }
      const headers = { 'content-type': 'text/plain; charset=utf-8' }
      return { kind: 'answered', status: 200, headers, body: Buffer.alloc(0), whole: true, ...made.answer }
    },
    close: async () => undefined,
  }
  return made
}

/** One search for reports that are due. @param mail queues a mail */
export async function lookForReports(h: Fixture, connector: Connector, mail: (mail: ReportMail) => Promise<boolean>) {
  const { database, clock, zones, options } = h
  const taken = Promise.withResolvers<void>()
  const reports = tlsReportLoop({
    database,
    clock,
    resolver: zones,
    connector,
    hostname: options.hostname,
    contact: 'ops@posthorn.test',
    mail: (_, report) => mail(report),
    onMailed: () => undefined,
    onError: (error) => void h.logged.push(String(error)),
    onTurn: taken.resolve,
  })
  await reports.start()
  await taken.promise
  await reports.stop(AbortSignal.timeout(5_000))
}
