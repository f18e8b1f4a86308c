// The thread in which submission's sessions live (submission-front.ts starts it): TLS, the dialogue and the message on its
// way in are half of what a submission costs, and run beside the other half. Everything that is decided, counted or stored
// is asked of the house, in the main thread.

import { inspect } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { callsOver } from '../platform/calls.ts'
import type { Certificate } from '../platform/certificates.ts'
import { systemClock } from '../platform/clock.ts'
import type { Turns } from '../platform/intake.ts'
import type { Fields, Logger } from '../platform/log.ts'
import { type SubmissionSettings, submissionService } from './submission.ts'
import type { Credentials, Login, SubmittedEnvelope } from './submission-desk.ts'
import { replyForm } from './submission-replies.ts'

if (parentPort === null) throw new Error('this is a thread')
const stopping = new AbortController()

const house = callsOver(
  parentPort,
  {
    start: async () => {
      await service.start()
      return service.ports()
    },
    useCertificate: ([certificate]: readonly Certificate[]) =>
      certificate === undefined ? undefined : service.useCertificate(certificate),
    stop: () => service.stop(stopping.signal),
    abort: () => stopping.abort(new Error('submission is late')),
  },
  replyForm,
)

const turns: Turns = {
  take: async (bytes, work) => {
    const turn = await house.call('takeTurn', [bytes])
    try {
      return await work()
    } finally {
      await house.call('endTurn', [turn])
    }
  },
}

const service = submissionService<string>({
  ...(workerData as SubmissionSettings),
  desk: {
    authenticate: async (credentials: Credentials) =>
      (await house.call('authenticate', [credentials])) as Login<string>,
    admit: async (who, domain) => void (await house.call('admit', [who, domain])),
    mayReceive: async (who, recipient) => void (await house.call('mayReceive', [who, recipient])),
    submit: async (who, envelope: SubmittedEnvelope, raw) =>
      (await house.call('submit', [who, envelope], raw)) as string,
  },
  clock: systemClock(),
  log: logger(),
  turns,
})

function logger(): Logger {
  const say = (level: 'error' | 'warn' | 'info' | 'debug') => {
    return (fields: Fields, message: string): void => {
      house.call('log', [level, plain(fields), message]).catch(() => undefined)
    }
  }
  const log = { error: say('error'), warn: say('warn'), info: say('info'), debug: say('debug') }
  return { ...log, child: () => logger() }
}

/** Errors carry what cannot travel: sockets, functions. */
function plain({ err, ...fields }: Fields): Fields {
  if (!(err instanceof Error)) return { ...fields, ...(err !== undefined && { err: inspect(err) }) }
  const copy = new Error(err.message)
  if (err.stack !== undefined) copy.stack = err.stack
  return { ...fields, err: copy }
}

process.on('unhandledRejection', (err) => logger().error({ err }, 'unhandled rejection'))
