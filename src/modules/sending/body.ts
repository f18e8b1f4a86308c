// The body of a send, as a schema: it is shown in the OpenAPI document, and types and shapes are validated against it. What a
// schema cannot express (addresses, header names, sizes, times) is checked in `request.ts`.

import { type TSchema, Type } from 'typebox'
import { RESERVED_HEADERS } from '../../mail/mime/headers.ts'
import { named, nullable } from '../../platform/http.ts'
import { SANDBOX_RESULTS } from '../outbox/index.ts'
import * as limits from './limits.ts'

const closed = { additionalProperties: false } as const

/** Null is the same as absent: many clients send it for a field that they leave empty. */
const maybe = <T extends TSchema>(schema: T, description?: string) =>
  Type.Optional(nullable(schema, description === undefined ? {} : { description }))

/** What string schemas cannot express is described in words; `request.ts` enforces it. */
const HEADERS = `Additional message headers, by name: at most ${limits.MAX_CUSTOM_HEADERS}, each name once (case-insensitive), each value at most ${limits.MAX_HEADER_CHARS} characters. Headers that the service sets itself are refused: From, Sender, To, Cc, Bcc, Subject, Date, Message-ID, Return-Path, Received, MIME-Version, Authentication-Results, Delivered-To, Content-*, DKIM-*, ARC-*, Resent-*, ${RESERVED_HEADERS.join(', ')}. Reply-To is refused together with reply_to.`
const METADATA = `Your own data, returned with the email and its events: at most ${limits.MAX_METADATA_KEYS} keys of 1 to ${limits.MAX_METADATA_KEY_CHARS} characters, and ${limits.MAX_METADATA_BYTES} bytes as JSON.`
const PART = `At most ${limits.MAX_PART_BYTES} bytes. With a template_id, it replaces the part of the template and is sent as written: placeholders are not filled in, except {{unsubscribe}}.`
const SCHEDULED_AT = `When to send the email, at most ${limits.MAX_SCHEDULE_AHEAD_MS / 86_400_000} days ahead. A time in the past means now.`

const NamedMailbox = named('NamedMailbox', Type.Object({ email: Type.String(), name: maybe(Type.String()) }, closed))
/** RFC 5322 section 3.4: an address, with or without a display name. */
const Party = named(
  'Mailbox',
  Type.Union([Type.String({ description: 'Email address, or `Name <address>`.' }), NamedMailbox]),
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
      content: Type.String({ description: 'Content of the file, Base64-encoded.' }),
      content_type: maybe(
        Type.String({
          maxLength: 255,
          description:
            'Media type, such as `text/csv; charset=utf-8`. Derived from the file name when absent. `message/rfc822` is sent as `application/octet-stream` unless it is 7-bit.',
        }),
      ),
      content_id: maybe(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Content-ID of the attachment, by which the HTML can refer to it as `cid:`.',
        }),
      ),
      disposition: maybe(Type.Union([Type.Literal('attachment'), Type.Literal('inline')])),
    },
    closed,
  ),
)

const INHERITS = 'When absent or null, the setting of the domain or else of the account applies.'
const ALSO_TRACKING = 'Takes effect only while tracking_enabled is true as well.'

/** The four settings that a request, a domain and an account share; null: inherit. */
export const TrackingOverride = {
  tracking_enabled: maybe(Type.Boolean({ description: `Turns tracking of opens and clicks on or off. ${INHERITS}` })),
  open_tracking_enabled: maybe(
    Type.Boolean({ description: `Whether opens are tracked. ${ALSO_TRACKING} ${INHERITS}` }),
  ),
  click_tracking_enabled: maybe(
    Type.Boolean({ description: `Whether clicks are tracked. ${ALSO_TRACKING} ${INHERITS}` }),
  ),
  unsubscribe_header_enabled: maybe(
    Type.Boolean({ description: `Whether a List-Unsubscribe header is added. ${INHERITS}` }),
  ),
} as const

export const SendBody = named(
  'SendRequest',
  Type.Object(
    {
      from: Type.String({ description: 'Email address, or `Name <address>`.' }),
      from_name: maybe(
        Type.String({
          maxLength: limits.MAX_HEADER_CHARS,
          description: 'Name of the sender. Overrides a name in from.',
        }),
      ),
      to: Recipients,
      cc: maybe(Parties),
      bcc: maybe(Parties),
      reply_to: maybe(Parties),
      subject: maybe(
        Type.String({
          maxLength: limits.MAX_SUBJECT_CHARS,
          description:
            'Required without a template_id. With one, it replaces the subject of the template and is sent as written.',
        }),
      ),
      html: maybe(Type.String({ description: PART })),
      text: maybe(Type.String({ description: PART })),
      headers: maybe(Type.Record(Type.String(), Type.String(), { description: HEADERS })),
      attachments: maybe(Type.Array(Attachment, { maxItems: limits.MAX_ATTACHMENTS })),
      tag: maybe(Type.String({ maxLength: limits.MAX_TAG_CHARS })),
      metadata: maybe(Type.Record(Type.String(), Type.Unknown(), { description: METADATA })),
      ...TrackingOverride,
      is_bulk: maybe(
        Type.Boolean({
          description: 'Whether this is bulk email, which always has a List-Unsubscribe header. Default false.',
        }),
      ),
      stream: maybe(
        Stream,
        '`transactional` (default) is email caused by an action of a user. `broadcast` is email to many; it always has a List-Unsubscribe header.',
      ),
      scheduled_at: maybe(Type.String({ format: 'date-time', description: SCHEDULED_AT })),
      expires_at: maybe(
        Type.String({
          format: 'date-time',
          description: 'Delivery is not attempted after this time. Must be after scheduled_at.',
        }),
      ),
      template_id: maybe(Type.String({ format: 'uuid' })),
      template_version: maybe(
        Type.Integer({
          minimum: 1,
          maximum: 2_147_483_647,
          description: 'Version of the template. The current version when absent.',
        }),
      ),
      variables: maybe(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Values of the template variables. Refused without a template_id, unless empty.',
        }),
      ),
      tls_policy: maybe(
        TlsPolicy,
        '`opportunistic` (default) uses TLS when the receiving server offers it. `required` delivers over TLS only.',
      ),
      sandbox: maybe(
        Type.Boolean({
          description: 'If true, the email goes to the sandbox inbox and is not delivered. Default false.',
        }),
      ),
      sandbox_result: maybe(
        SandboxResult,
        'Simulated outcome of a sandbox email. When absent, the one that a recipient such as `bounce@sandbox.test` names, or else `deliver`.',
      ),
      override_soft_block: maybe(
        Type.Boolean({
          description:
            'If true, a risk verdict of `soft_block` does not stop the email. Suppressed and unsubscribed addresses are still refused. Default false.',
        }),
      ),
    },
    closed,
  ),
)

/** The body of a risk preview: one recipient, and those parts of a send that affect the verdict. */
export const PreviewBody = named(
  'RiskPreviewRequest',
  Type.Object(
    {
      to: Type.String({ description: 'Email address of the recipient.' }),
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
