// The body of a send, as a schema: what the OpenAPI document shows and what types and shapes are held against. What a
// schema cannot say (addresses, header names, sizes, times) is read in `request.ts`.

import { type TSchema, Type } from 'typebox'
import { RESERVED_HEADERS } from '../../mail/headers.ts'
import { named } from '../../platform/http.ts'
import { SANDBOX_RESULTS } from '../outbox/index.ts'
import * as limits from './limits.ts'

const closed = { additionalProperties: false } as const

/** Null is the same as absent: what many clients send for a field that they leave empty. */
const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** What schemas of strings cannot hold is said in words; `request.ts` holds it. */
const HEADERS = `at most ${limits.MAX_CUSTOM_HEADERS}, each name once in whatever case and each value at most ${limits.MAX_HEADER_CHARS} characters. Refused are those that the service sets itself: From, Sender, To, Cc, Bcc, Subject, Date, Message-ID, Return-Path, Received, MIME-Version, Authentication-Results, Delivered-To, Content-*, DKIM-*, ARC-*, Resent-*, ${RESERVED_HEADERS.join(', ')}; and Reply-To beside reply_to`
const METADATA = `at most ${limits.MAX_METADATA_KEYS} names of 1 to ${limits.MAX_METADATA_KEY_CHARS} characters, and ${limits.MAX_METADATA_BYTES} bytes of JSON`
const PART = `at most ${limits.MAX_PART_BYTES} bytes. Beside a template_id it takes the place of the template's and goes out as it is written, placeholders too (but for {{unsubscribe}})`
const SCHEDULED_AT = `at most ${limits.MAX_SCHEDULE_AHEAD_MS / 86_400_000} days ahead; a moment that has passed means now`

const NamedMailbox = named('NamedMailbox', Type.Object({ email: Type.String(), name: maybe(Type.String()) }, closed))
/** RFC 5322 section 3.4: an address, with the name of whose it is or without. */
const Party = named(
  'Mailbox',
  Type.Union([Type.String({ description: 'an address, or `Name <address>`' }), NamedMailbox]),
)
const Parties = Type.Union([Party, Type.Array(Party, { maxItems: limits.MAX_RECIPIENTS })])
const Recipients = Type.Union([Party, Type.Array(Party, { minItems: 1, maxItems: limits.MAX_RECIPIENTS })])

export const Stream = named('Stream', Type.Union([Type.Literal('transactional'), Type.Literal('broadcast')]))
const TlsPolicy = named('TlsPolicy', Type.Union([Type.Literal('opportunistic'), Type.Literal('required')]))
const SandboxResult = named('SandboxResult', Type.Union(SANDBOX_RESULTS.map((result) => Type.Literal(result))))

const Attachment = named(
  'Attachment',
  Type.Object(
    {
      filename: Type.String({ minLength: 1, maxLength: limits.MAX_FILENAME_CHARS }),
      content: Type.String({ description: 'base64' }),
      content_type: maybe(
        Type.String({
          maxLength: 255,
          description:
            'such as `text/csv; charset=utf-8`; by the file name when absent; `message/rfc822` goes as octets unless it is 7-bit',
        }),
      ),
      content_id: maybe(Type.String({ minLength: 1, maxLength: 255 })),
      disposition: maybe(Type.Union([Type.Literal('attachment'), Type.Literal('inline')])),
    },
    closed,
  ),
)

/** The four settings that a request, a domain and an account have in common; null = inherit. */
export const TrackingOverride = {
  tracking_enabled: maybe(Type.Boolean()),
  open_tracking_enabled: maybe(Type.Boolean()),
  click_tracking_enabled: maybe(Type.Boolean()),
  unsubscribe_header_enabled: maybe(Type.Boolean()),
} as const

export const SendBody = named(
  'SendRequest',
  Type.Object(
    {
      from: Type.String({ description: 'an address, or `Name <address>`' }),
      from_name: maybe(Type.String({ maxLength: limits.MAX_HEADER_CHARS })),
      to: Recipients,
      cc: maybe(Parties),
      bcc: maybe(Parties),
      reply_to: maybe(Parties),
      subject: maybe(
        Type.String({
          maxLength: limits.MAX_SUBJECT_CHARS,
          description:
            "required without a template_id; beside one it takes the place of the template's, as it is written",
        }),
      ),
      html: maybe(Type.String({ description: PART })),
      text: maybe(Type.String({ description: PART })),
      headers: maybe(Type.Record(Type.String(), Type.String(), { description: HEADERS })),
      attachments: maybe(Type.Array(Attachment, { maxItems: limits.MAX_ATTACHMENTS })),
      tag: maybe(Type.String({ maxLength: limits.MAX_TAG_CHARS })),
      metadata: maybe(Type.Record(Type.String(), Type.Unknown(), { description: METADATA })),
      ...TrackingOverride,
      is_bulk: maybe(Type.Boolean()),
      stream: maybe(Stream),
      scheduled_at: maybe(Type.String({ format: 'date-time', description: SCHEDULED_AT })),
      expires_at: maybe(
        Type.String({ format: 'date-time', description: 'tried no longer than this; lies after scheduled_at' }),
      ),
      template_id: maybe(Type.String({ format: 'uuid' })),
      template_version: maybe(
        Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'the present one when absent' }),
      ),
      variables: maybe(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'those of the template; refused without a template_id, unless there are none',
        }),
      ),
      tls_policy: maybe(TlsPolicy),
      sandbox: maybe(Type.Boolean()),
      sandbox_result: maybe(SandboxResult),
      override_soft_block: maybe(Type.Boolean()),
    },
    closed,
  ),
)

/** The body of a risk preview: one recipient, and of a send what the verdict looks at. */
export const PreviewBody = named(
  'RiskPreviewRequest',
  Type.Object(
    {
      to: Type.String({ description: 'an address' }),
      subject: Type.String({ maxLength: limits.MAX_SUBJECT_CHARS }),
      html: SendBody.properties.html,
      text: SendBody.properties.text,
      is_bulk: SendBody.properties.is_bulk,
      from: maybe(SendBody.properties.from),
      from_name: SendBody.properties.from_name,
      reply_to: SendBody.properties.reply_to,
      stream: SendBody.properties.stream,
      headers: SendBody.properties.headers,
      attachments: SendBody.properties.attachments,
    },
    closed,
  ),
)
