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
  const say = (code: number, enhanced: string, words: string): FinalReply => ({
    code,
    enhanced,
    text: `${code} ${enhanced} ${words}`,
  })
  switch (email.sandboxResult) {
    case 'deliver':
      return conclusionOf(context, report({ kind: 'delivered', said: say(250, '2.0.0', 'taken by the sandbox') }))
    case 'bounce': {
      const said = say(550, '5.1.1', 'no such user in the sandbox')
      return conclusionOf(
        context,
        report({ kind: 'bounced', said, type: 'hard', category: 'invalid_recipient', command: 'rcpt' }),
      )
    }
    case 'defer': {
      const said = say(451, '4.7.1', 'the sandbox asks to come back later')
      const verdict = { kind: 'deferred', said, cause: 'recipient', category: 'expired', command: 'rcpt' } as const
      return conclusionOf(context, report(verdict))
    }
    case 'fail': {
      const said = { code: null, enhanced: '4.4.1', text: '4.4.1 no connection, as the sandbox was asked' }
      return conclusionOf(context, report({ kind: 'failed', said, cause: 'connection' }))
    }
    case 'suppress':
      return endedWithoutAttempt(context, { status: 'suppressed', reason: 'manual' })
    case 'complain':
      return complained(context, report({ kind: 'delivered', said: say(250, '2.0.0', 'taken by the sandbox') }))
  }
}

function complained(context: Context, report: AttemptReport): Conclusion {
  const taken = conclusionOf(context, report)
  const { said } = report.verdict
  const refusal = { said, type: 'complaint', category: 'spam_complaint', command: null } as const
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
