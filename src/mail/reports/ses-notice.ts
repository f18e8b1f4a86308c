// Reads Amazon SES notices: JSON about bounces, mailed if the SES customer asks for it and passed on by mailing gateways.

import { type Feedback, readFeedback } from './arf.ts'
import type { ReportParts } from './parts.ts'
import type { ReportedRecipient } from './result.ts'
import { quotedReply, verdictOf } from './words.ts'

const MOST_RECIPIENTS = 100

type Notice =
  | { readonly kind: 'bounce' | 'delivered'; readonly recipients: readonly ReportedRecipient[]; readonly original: [] }
  | { readonly kind: 'complaint'; readonly feedback: Feedback; readonly original: [] }

/** @returns null when the mail is not an SES notice */
export function readSesNotice(report: ReportParts): Notice | null {
  const text = report.parts[0]?.text.trimStart() ?? ''
  if (!text.startsWith('{"notificationType"') && !text.startsWith('{"eventType"')) return null
  const notice = parsed(text)
  const kind = stringAt(notice, 'notificationType') ?? stringAt(notice, 'eventType')
  if (kind === 'Complaint') {
    const type = stringAt(at(notice, 'complaint'), 'complaintFeedbackType') ?? 'abuse'
    const part = { type: 'message/feedback-report', text: `Feedback-Type: ${type.replace(/[^\w-]/g, '')}\n` }
    const feedback = readFeedback({ ...report, parts: [part] })
    return feedback === null ? null : { kind: 'complaint', feedback, original: [] }
  }
  if (kind === 'Delivery') return { kind: 'delivered', recipients: [], original: [] }
  const bounced = at(at(notice, 'bounce'), 'bouncedRecipients')
  if (kind !== 'Bounce' || !Array.isArray(bounced)) return null
  return { kind: 'bounce', recipients: bounced.slice(0, MOST_RECIPIENTS).map(recipientOf), original: [] }
}

function recipientOf(value: unknown): ReportedRecipient {
  const diagnostic = stringAt(value, 'diagnosticCode')
  const reply = diagnostic === null ? null : quotedReply(diagnostic)
  const status = stringAt(value, 'status')
  const words = reply?.words ?? diagnostic ?? ''
  const address = stringAt(value, 'emailAddress')
  return {
    address,
    action: 'failed',
    diagnostic,
    command: null,
    remoteHost: null,
    remoteIp: null,
    ...verdictOf({ words, reply, status: /^[245]\.\d{1,3}\.\d{1,3}$/.exec(status ?? '')?.[0] ?? null, command: null }),
  }
}

/** Parses the object at the beginning of the text; the text after it (how to unsubscribe) is not JSON. */
function parsed(text: string): unknown {
  const end = text.search(/\n--|\n\n/)
  try {
    return JSON.parse((end < 0 ? text : text.slice(0, end)).replaceAll('\n', ''))
  } catch {
    return null
  }
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : null
}

function stringAt(value: unknown, name: string): string | null {
  const found = at(value, name)
  return typeof found === 'string' ? found.slice(0, 2_000) : null
}
