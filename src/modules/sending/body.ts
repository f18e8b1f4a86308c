// The body of a send, as a schema: what the OpenAPI document shows and what types and shapes are held against. What a
// schema cannot say (addresses, header names, sizes, times) is read in `request.ts`.

import { Type } from 'typebox'
import { DateTime } from '../../platform/http.ts'
import { SANDBOX_RESULTS } from '../outbox/index.ts'
import * as limits from './limits.ts'

const closed = { additionalProperties: false } as const

const Nullable = Type.Union([Type.Boolean(), Type.Null()])

const Party = Type.Union([
  Type.String(),
  Type.Object({ email: Type.String(), name: Type.Optional(Type.Union([Type.String(), Type.Null()])) }, closed),
])
const Parties = Type.Union([Party, Type.Array(Party, { maxItems: limits.MAX_RECIPIENTS })])

const Attachment = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: limits.MAX_FILENAME_CHARS }),
    content: Type.String({ description: 'base64' }),
    content_type: Type.Optional(Type.String({ maxLength: 255 })),
    content_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    disposition: Type.Optional(Type.Union([Type.Literal('attachment'), Type.Literal('inline')])),
  },
  closed,
)

/** The four settings that a request, a domain and an account have in common; null = inherit. */
export const TrackingOverride = {
  tracking_enabled: Type.Optional(Nullable),
  open_tracking_enabled: Type.Optional(Nullable),
  click_tracking_enabled: Type.Optional(Nullable),
  unsubscribe_header_enabled: Type.Optional(Nullable),
} as const

export const SendBody = Type.Object(
  {
    from: Type.String({ description: 'an address, or `Name <address>`' }),
    from_name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    to: Parties,
    cc: Type.Optional(Parties),
    bcc: Type.Optional(Parties),
    reply_to: Type.Optional(Parties),
    subject: Type.Optional(Type.String({ maxLength: limits.MAX_SUBJECT_CHARS })),
    html: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    attachments: Type.Optional(Type.Array(Attachment, { maxItems: limits.MAX_ATTACHMENTS })),
    tag: Type.Optional(Type.Union([Type.String({ maxLength: limits.MAX_TAG_CHARS }), Type.Null()])),
    metadata: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    ...TrackingOverride,
    is_bulk: Type.Optional(Type.Boolean()),
    stream: Type.Optional(Type.Union([Type.Literal('transactional'), Type.Literal('broadcast')])),
    scheduled_at: Type.Optional(Type.Union([DateTime, Type.Null()])),
    expires_at: Type.Optional(Type.Union([DateTime, Type.Null()])),
    template_id: Type.Optional(Type.Union([Type.String({ format: 'uuid' }), Type.Null()])),
    template_version: Type.Optional(
      Type.Union([
        Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'the present one when absent' }),
        Type.Null(),
      ]),
    ),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    tls_policy: Type.Optional(Type.Union([Type.Literal('opportunistic'), Type.Literal('required')])),
    sandbox: Type.Optional(Type.Boolean()),
    sandbox_result: Type.Optional(Type.Union(SANDBOX_RESULTS.map((result) => Type.Literal(result)))),
    override_soft_block: Type.Optional(Type.Boolean()),
  },
  closed,
)

/** The body of a risk preview: one recipient, and of a send what the verdict looks at. */
export const PreviewBody = Type.Object(
  {
    to: Type.String({ description: 'an address' }),
    subject: Type.String({ maxLength: limits.MAX_SUBJECT_CHARS }),
    html: SendBody.properties.html,
    text: SendBody.properties.text,
    is_bulk: SendBody.properties.is_bulk,
    from: Type.Optional(SendBody.properties.from),
    from_name: SendBody.properties.from_name,
    reply_to: SendBody.properties.reply_to,
    stream: SendBody.properties.stream,
    headers: SendBody.properties.headers,
    attachments: SendBody.properties.attachments,
  },
  closed,
)
