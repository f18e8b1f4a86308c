// The results of sandbox mail: as its `sandbox_result` asks, in the words of a receiver that does not exist.

import {
  bounceOf,
  type Conclusion,
  type Context,
  conclusionOf,
  endedWithoutAttempt,
  eventOf,
  localReport,
} from './results.ts'
import type { AttemptReport, FinalReply, Verdict } from './types.ts'

export function sandboxConclusion(context: Context): Conclusion {
  const { email, now } = context
  const report = (verdict: Verdict): AttemptReport => ({ ...localReport(verdict, now, 0), host: 'sandbox' })
  const sandboxReply = (code: number, enhanced: string, words: string): FinalReply => ({
    code,
    enhanced,
    text: `${code} ${enhanced} ${words}`,
  })
  switch (email.sandboxResult) {
    case 'deliver':
      return conclusionOf(
        context,
        report({ kind: 'delivered', finalReply: sandboxReply(250, '2.0.0', 'taken by the sandbox') }),
      )
    case 'bounce': {
      const finalReply = sandboxReply(550, '5.1.1', 'no such user in the sandbox')
      return conclusionOf(
        context,
        report({ kind: 'bounced', finalReply, type: 'hard', category: 'invalid_recipient', command: 'rcpt' }),
      )
    }
    case 'defer': {
      const finalReply = sandboxReply(451, '4.7.1', 'greylisted: the sandbox asks to come back later')
      const verdict = {
        kind: 'deferred',
        finalReply,
        cause: 'recipient',
        category: 'expired',
        command: 'rcpt',
      } as const
      return conclusionOf(context, report(verdict))
    }
    case 'fail': {
      const finalReply = { code: null, enhanced: '4.4.1', text: '4.4.1 no connection, as the sandbox was asked' }
      return conclusionOf(context, report({ kind: 'failed', finalReply, cause: 'connection' }))
    }
    case 'suppress':
      return endedWithoutAttempt(context, { status: 'suppressed', reason: 'manual' })
    case 'complain':
      return complained(
        context,
        report({ kind: 'delivered', finalReply: sandboxReply(250, '2.0.0', 'taken by the sandbox') }),
      )
  }
}

function complained(context: Context, report: AttemptReport): Conclusion {
  const taken = conclusionOf(context, report)
  const { finalReply } = report.verdict
  const refusal = { finalReply, type: 'complaint', category: 'spam_complaint', command: null } as const
  const complaint = eventOf(context, 'email.complained', {
    feedback_type: 'abuse',
    reporting_mta: null,
    arrival_date: context.now.toISOString(),
    suppressed: true,
  })
  return {
    ...taken,
    result: { ...taken.result, status: 'complained' },
    events: [...taken.events, complaint],
    bounce: {
      ...bounceOf(context, report, refusal, 'bounced'),
      source: 'arf',
      feedbackType: 'abuse',
      smtpCode: null,
      enhancedCode: null,
      diagnosticCode: null,
      errorMessage: null,
      attempt: null,
      endsAs: null,
    },
  }
}
