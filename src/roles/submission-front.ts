// Submission with its sessions in a thread of their own (submission-thread.ts); the house (submission-desk.ts) stays in
// this one. Of a message nothing but its bytes crosses, once.
//
// A thread that ends by itself has lost every session, and so would the process that had them: it goes down the same way
// and is started again. What was answered 250 is committed, whoever ends.

import { Worker } from 'node:worker_threads'
import type { Address } from '../mail/address.ts'
import { type Calls, callsOver } from '../platform/calls.ts'
import type { Principal } from '../platform/http.ts'
import { giveBack, MAX_IN_MEMORY_BYTES, type Turns } from '../platform/intake.ts'
import type { Fields, Logger } from '../platform/log.ts'
import type { Submission, SubmissionPorts, SubmissionSettings } from './submission.ts'
import type { Credentials, Desk, Login, SubmittedEnvelope } from './submission-desk.ts'
import { replyForm } from './submission-replies.ts'

export interface FrontOptions {
  readonly settings: SubmissionSettings
  readonly desk: Desk<Principal>
  readonly log: Logger
  readonly turns: Turns
}

const MAX_PRINCIPALS = 10_000
const STOPS_LATE_MS = 1_000

export function submissionInThread({ settings, desk, log, turns }: FrontOptions): Submission {
  let running: { readonly thread: Worker; readonly calls: Calls } | null = null
  let ports: SubmissionPorts = { starttls: [], implicitTls: [] }
  const answers = { ...deskAnswers(desk), ...turnAnswers(turns), log: ([level, ...what]: Said) => log[level](...what) }

  const begin = (): { readonly thread: Worker; readonly calls: Calls } => {
    const thread = new Worker(new URL('./submission-thread.ts', import.meta.url), {
      name: 'submission',
      workerData: settings,
    })
    const calls = callsOver(thread, answers, replyForm)
    const ended = (error: Error): void => {
      calls.end(error)
      if (running?.thread !== thread) return
      running = null
      queueMicrotask(() => {
        throw error
      })
    }
    thread.once('error', ended)
    thread.once('exit', () => ended(new Error('the thread of submission ended')))
    return { thread, calls }
  }

  return {
    name: 'submission',
    ports: () => ports,
    useCertificate: (certificate) => {
      running?.calls.call('useCertificate', [certificate]).catch((err: unknown) => {
        log.error({ err }, 'submission could not take the renewed certificate')
      })
    },
    start: async () => {
      const begun = begin()
      try {
        ports = (await begun.calls.call('start', [])) as SubmissionPorts
        running = begun
      } catch (error) {
        await begun.thread.terminate()
        throw error
      }
    },
    stop: async (deadline) => {
      if (running === null) return
      const { thread, calls } = running
      const late = Promise.withResolvers<void>()
      const hurry = (): void => {
        calls.call('abort', []).catch(() => undefined)
        setTimeout(late.resolve, STOPS_LATE_MS).unref()
      }
      const stopped = calls.call('stop', [])
      if (deadline.aborted) hurry()
      else deadline.addEventListener('abort', hurry, { once: true })
      try {
        await Promise.race([stopped, late.promise])
      } finally {
        deadline.removeEventListener('abort', hurry)
        running = null
        await thread.terminate()
      }
    },
  }
}

type Said = readonly [level: 'error' | 'warn' | 'info' | 'debug', fields: Fields, message: string]
type Answer<Args extends readonly unknown[]> = (args: Args, bytes: Buffer) => unknown

/** The thread knows a user by a text that says all of the principal, so that nothing here must be kept for it. */
function deskAnswers(desk: Desk<Principal>): {
  readonly authenticate: Answer<readonly [Credentials]>
  readonly admit: Answer<readonly [who: string, domain: string]>
  readonly mayReceive: Answer<readonly [who: string, recipient: Address]>
  readonly submit: Answer<readonly [who: string, envelope: SubmittedEnvelope]>
} {
  const read = new Map<string, Principal>()
  const principalOf = (who: string): Principal => {
    const known = read.get(who)
    if (known !== undefined) return known
    if (read.size >= MAX_PRINCIPALS) read.clear()
    const principal = JSON.parse(who) as Principal
    read.set(who, principal)
    return principal
  }
  return {
    authenticate: async ([credentials]): Promise<Login<string>> => {
      const answer = await desk.authenticate(credentials)
      return answer.kind === 'ok' ? { kind: 'ok', principal: JSON.stringify(answer.principal) } : answer
    },
    admit: ([who, domain]) => desk.admit(principalOf(who), domain),
    mayReceive: ([who, recipient]) => desk.mayReceive(principalOf(who), recipient),
    submit: async ([who, envelope], raw) => {
      const text = await desk.submit(principalOf(who), envelope, raw)
      if (raw.length > MAX_IN_MEMORY_BYTES) giveBack(raw)
      return text
    },
  }
}

/** A turn of the thread's is one of this thread's that lasts until the thread says so. */
function turnAnswers(turns: Turns): {
  readonly takeTurn: Answer<readonly [bytes: number]>
  readonly endTurn: Answer<readonly [turn: number]>
} {
  const ends = new Map<number, () => void>()
  let last = 0
  return {
    takeTurn: ([bytes]) =>
      new Promise<number>((entered, failed) => {
        const turn = ++last
        const whole = (): Promise<void> => {
          entered(turn)
          return new Promise((over) => void ends.set(turn, over))
        }
        turns.take(bytes, whole).catch(failed)
      }),
    endTurn: ([turn]) => {
      ends.get(turn)?.()
      ends.delete(turn)
    },
  }
}
