// Resend's calls for one email: https://resend.com/docs/api-reference/emails/retrieve-email, and those that change or cancel it.
// They are those of our own paths, in Resend's form. A call to several recipients made an email for each, so `to` names one.

import { Type } from 'typebox'
import type { Clock } from '../../platform/clock.ts'
import { validationError } from '../../platform/errors.ts'
import { type Answer, type AnyEndpoint, endpoint, IdParams } from '../../platform/http.ts'
import { timeOfId } from '../../platform/ids.ts'
import { isDateTime } from '../../platform/validation.ts'
import type { EventType } from '../events/index.ts'
import { type EmailAsRead, type EmailCalls, statusName } from '../outbox/index.ts'
import { moment, NO_MOMENT, RESEND } from './resend.ts'
import { type Fields, fieldsOf } from './translation.ts'

export interface ResendEmailsOptions {
  readonly emails: EmailCalls
  readonly clock: Pick<Clock, 'now'>
}

const READ = { scope: 'emails:read' }
const STEER = { scope: 'send' }
const Anything = Type.Unknown()
const base = { tag: 'Other vendors', foreign: RESEND, params: IdParams, answers: { 200: Anything } } as const

export function resendEmailEndpoints({ emails, clock }: ResendEmailsOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      ...base,
      method: 'GET',
      path: '/emails/{id}',
      access: READ,
      summary: 'Resend: get an email',
      handle: async ({ principal, params, signal }) => ({
        status: 200,
        body: resendEmail(await emails.read(principal, params.id, signal)),
      }),
    }),
    endpoint({
      ...base,
      method: 'PATCH',
      path: '/emails/{id}',
      access: STEER,
      summary: 'Resend: reschedule an email',
      body: Anything,
      handle: async ({ principal, params, body }) => {
        const at = moment(fieldsOf(body)['scheduled_at'], clock.now())
        if (typeof at !== 'string' || !isDateTime(at)) throw validationError([NO_MOMENT])
        await emails.reschedule(principal, params.id, new Date(at))
        return named(params.id)
      },
    }),
    endpoint({
      ...base,
      method: 'POST',
      path: '/emails/{id}/cancel',
      access: STEER,
      summary: 'Resend: cancel a scheduled email',
      handle: async ({ principal, params }) => {
        await emails.cancel(principal, params.id)
        return named(params.id)
      },
    }),
  ]
}

function named(id: string): Answer {
  return { status: 200, body: { object: 'email', id: id.toLowerCase() } }
}

function resendEmail({ email, readable: { html, text }, events }: EmailAsRead): Fields {
  const { sender, sender_name: name, metadata, scheduled_at: scheduledAt } = email
  return {
    object: 'email',
    id: email.id,
    message_id: `<${email.message_id}>`,
    to: [email.recipient],
    from: name === null ? sender : `${name} <${sender}>`,
    created_at: timeOfId(email.id),
    subject: email.subject,
    html,
    text,
    bcc: [],
    cc: email.cc ?? [],
    reply_to: email.reply_to ?? [],
    last_event:
      lastEvent(events.map(({ event }) => event)) ??
      (statusName(email.status) === 'scheduled' ? 'scheduled' : 'queued'),
    scheduled_at: scheduledAt,
    tags: Object.entries(metadata ?? {}).map(([tag, value]) => ({ name: tag, value: asText(value) })),
  }
}

/** Resend has no name for the other types. */
const LAST_EVENT: Readonly<Partial<Record<EventType, string>>> = {
  'email.scheduled': 'scheduled',
  'email.sent': 'sent',
  'email.deferred': 'delivery_delayed',
  'email.delivered': 'delivered',
  'email.opened': 'opened',
  'email.clicked': 'clicked',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
  'email.failed': 'failed',
  'email.suppressed': 'suppressed',
  'email.canceled': 'canceled',
}

/** @param events from the oldest on */
function lastEvent(events: readonly EventType[]): string | undefined {
  return events.map((event) => LAST_EVENT[event]).findLast((name) => name !== undefined)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
