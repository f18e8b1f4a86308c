import { type Static, Type } from 'typebox'
import { addressFault, parseAddress, suppressionKey } from '../../mail/address.ts'
import { type FieldFault, validationError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  dataOf,
  domainsSeen,
  endpoint,
  exampleBody,
  named,
  single,
  Uuid,
} from '../../platform/http.ts'
import { type CancelFilter, cancelMany } from './cancel-many.ts'
import type { CancelOptions } from './control.ts'

const MAX_TAG_CHARS = 128
const MAX_ADDRESS_CHARS = 1_100

const Body = named(
  'CancelEmailsRequest',
  Type.Object(
    {
      tag: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TAG_CHARS })),
      domain_id: Type.Optional(Uuid),
      recipient: Type.Optional(Type.String({ maxLength: MAX_ADDRESS_CHARS })),
      from: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only emails accepted at or after this time.' }),
      ),
      to: Type.Optional(Type.String({ format: 'date-time', description: 'Only emails accepted before this time.' })),
    },
    { additionalProperties: false },
  ),
)
const Canceled = named(
  'CanceledEmails',
  Type.Object({
    canceled: Type.Integer(),
    in_progress: Type.Integer({
      description:
        'Number of matching emails not canceled because a delivery attempt was running. They are sent, or wait again, and another call can then cancel them.',
    }),
    more: Type.Boolean({
      description: 'True when the call ended after 20 seconds and more emails may match. Repeat the call to continue.',
    }),
  }),
)

export function cancelManyRoute(options: CancelOptions): AnyEndpoint {
  return endpoint({
    method: 'POST',
    path: '/api/v1/emails/cancel',
    access: { scope: 'send' },
    operationId: 'cancelEmails',
    summary: 'Cancel all scheduled, queued and deferred emails that match a tag, domain, recipient or period',
    tag: 'Emails',
    examples: exampleBody({ tag: 'spring-sale' }, 'Everything that waits and has this tag'),
    body: Body,
    moreFaults,
    answers: { 200: dataOf(Canceled) },
    handle: async ({ principal: { accountId, domainIds }, body }) => {
      const { canceled, inProgress, more } = await cancelMany(options, accountId, wantedOf(body, domainIds))
      return single({ canceled, in_progress: inProgress, more })
    },
  })
}

/** Reported together with the faults that the schema finds. */
function moreFaults(body: unknown): readonly FieldFault[] {
  const given = (body ?? {}) as Readonly<Record<string, unknown>>
  const isNarrow = Object.keys(Body.properties).some((name) => given[name] !== undefined)
  const message = given['recipient'] === undefined ? null : addressFault(given['recipient'])
  return [...(isNarrow ? [] : [NOT_ALL]), ...(message === null ? [] : [{ field: 'recipient', rule: 'email', message }])]
}

const NOT_ALL: FieldFault = {
  field: 'tag',
  rule: 'required',
  message: 'is required, or domain_id, recipient, from or to: without any of them all of the account would be canceled',
}

function wantedOf(body: Static<typeof Body>, boundTo: readonly string[] | null): CancelFilter {
  return {
    tag: body.tag ?? null,
    domainIds: domainsSeen(body.domain_id?.toLowerCase(), boundTo),
    recipientKey: body.recipient === undefined ? null : recipientKey(body.recipient),
    from: body.from === undefined ? null : new Date(body.from),
    to: body.to === undefined ? null : new Date(body.to),
  }
}

function recipientKey(text: string): string {
  const read = parseAddress(text.trim())
  if (!read.ok) throw validationError([{ field: 'recipient', rule: 'email', message: read.reason }])
  return suppressionKey(read.address)
}
