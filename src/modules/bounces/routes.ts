import { Type } from 'typebox'
import { parseAddress, suppressionKey } from '../../mail/address.ts'
import type { DkimReason, DkimResult } from '../../mail/authentication/dkim-check.ts'
import { BOUNCE_CATEGORIES } from '../../mail/smtp/bounce.ts'
import type { Database } from '../../platform/db.ts'
import { PARAMETER_WORDS, parameterError } from '../../platform/errors.ts'
import { listPage } from '../../platform/http/list-page.ts'
import {
  type AnyEndpoint,
  CursorPagination,
  DateTime,
  domainsSeen,
  endpoint,
  FromTime,
  ListLimit,
  ListOffset,
  list,
  listOf,
  named,
  nullable,
  placeCursor,
  ToTime,
} from '../../platform/http.ts'
import { ComplaintDkim } from '../events/index.ts'
import type { Bounce, BounceType } from './record.ts'
import * as sql from './sql.ts'

export interface BounceRoutesOptions {
  readonly database: Database
}

const Text = nullable(Type.String())
const BounceTypeName = named('BounceType', Type.Enum(['hard', 'soft', 'block', 'complaint', 'unknown']))
const CategoryName = named('BounceCategory', Type.Enum([...BOUNCE_CATEGORIES, 'spam_complaint']))
const Uuid = Type.String({ format: 'uuid' })
/** When a bounce happened, in ms, and its id. The bounce itself may be erased before the next page is asked for. */
const CURSOR = /^(?:(\d{1,14})\.)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

const BounceItem = named(
  'Bounce',
  Type.Object({
    id: Type.String(),
    email_id: Text,
    message_id: Text,
    recipient: Type.String(),
    from: Text,
    subject: Text,
    domain_id: Text,
    tag: Text,
    metadata: nullable(Type.Record(Type.String(), Type.Unknown())),
    type: BounceTypeName,
    category: CategoryName,
    smtp_code: nullable(Type.Integer()),
    enhanced_code: Text,
    diagnostic_code: Text,
    error_message: Text,
    command: nullable(named('BounceCommand', Type.Enum(['connect', 'mail', 'rcpt', 'data']))),
    remote_mta: nullable(named('RemoteMta', Type.Object({ host: Text, ip: Text }))),
    source: named('BounceSource', Type.Enum(['smtp', 'dsn', 'arf', 'api'])),
    feedback_type: Text,
    attempt: nullable(Type.Integer()),
    suppressed: Type.Boolean(),
    suppression_id: Text,
    sandbox: Type.Boolean(),
    report_dkim: nullable(ComplaintDkim),
    bounced_at: DateTime,
    created_at: DateTime,
  }),
)

const Query = Type.Object({
  from: FromTime,
  to: ToTime,
  type: Type.Optional(BounceTypeName),
  recipient: Type.Optional(Type.String()),
  domain_id: Type.Optional(Uuid),
  category: Type.Optional(CategoryName),
  email_id: Type.Optional(Uuid),
  include_sandbox: Type.Boolean({ default: false, description: 'Whether bounces of sandbox emails are included.' }),
  include_complaints: Type.Boolean({ default: true, description: 'Whether complaints are listed beside bounces.' }),
  limit: ListLimit,
  offset: ListOffset,
  cursor: placeCursor(CURSOR),
})

export function bounceRoutes({ database }: BounceRoutesOptions): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/api/v1/customer/bounces',
      legacyPath: '/api/customer/bounces',
      access: { scope: 'bounces:read' },
      operationId: 'listBounces',
      summary: 'List bounces and complaints, newest first',
      tag: 'Bounces',
      query: Query,
      answers: { 200: listOf(BounceItem, CursorPagination, { success: Type.Boolean() }) },
      handle: async ({ principal: { accountId, domainIds }, query, signal }) => {
        const { limit, offset, cursor = null } = query
        const [, atMs, afterId = null] = CURSOR.exec(cursor ?? '') ?? []
        const after = atMs === undefined ? null : new Date(Number(atMs))
        const filter = [
          accountId,
          query.from === undefined ? null : new Date(query.from),
          query.to === undefined ? null : new Date(query.to),
          query.type ?? null,
          query.recipient === undefined ? null : recipientOf(query.recipient),
          domainsSeen(query.domain_id, domainIds),
          query.category ?? null,
          query.email_id ?? null,
          query.include_sandbox,
          query.include_complaints,
        ]
        const [rows, count] = await database.reading(
          accountId,
          (db) =>
            Promise.all([
              db.query<BounceRow>(sql.LIST_BOUNCES, [
                ...[...filter, afterId, limit + 1],
                ...[cursor === null ? offset : 0, after],
              ]),
              db.one<{ total: number }>(sql.COUNT_BOUNCES, filter),
            ]),
          signal,
        )
        const shown = listPage(
          rows,
          { limit, offset, cursor },
          count?.total ?? 0,
          ({ bounced_at: at, id }) => `${at.getTime()}.${id}`,
        )
        const pagination = { total: shown.total, limit, offset, next_cursor: shown.next }
        return list(shown.rows.map(wireBounce), pagination, { success: true })
      },
    }),
  ]
}

function recipientOf(text: string): string {
  const parsed = parseAddress(text.trim())
  if (parsed.ok) return suppressionKey(parsed.address)
  throw parameterError('recipient', 'email', PARAMETER_WORDS.email)
}

interface BounceRow {
  readonly id: string
  readonly email_id: string | null
  readonly message_id: string | null
  readonly recipient: string
  readonly sender: string | null
  readonly subject: string | null
  readonly domain_id: string | null
  readonly tag: string | null
  readonly metadata: Record<string, unknown> | null
  readonly type: BounceType
  readonly category: string
  readonly smtp_code: number | null
  readonly enhanced_code: string | null
  readonly diagnostic_code: string | null
  readonly error_message: string | null
  readonly command: string | null
  readonly remote_host: string | null
  readonly remote_ip: string | null
  readonly source: string
  readonly feedback_type: string | null
  readonly attempt: number | null
  readonly suppressed: boolean
  readonly suppression_id: string | null
  readonly sandbox: boolean
  readonly report_dkim: DkimResult | null
  readonly report_dkim_domain: string | null
  readonly report_dkim_reason: DkimReason | null
  readonly bounced_at: Date
  readonly created_at: Date
}

function wireBounce(row: BounceRow): Bounce {
  const { remote_host: host, remote_ip: ip, report_dkim: result, report_dkim_domain: domain } = row
  return {
    id: row.id,
    email_id: row.email_id,
    message_id: row.message_id,
    recipient: row.recipient,
    from: row.sender,
    subject: row.subject,
    domain_id: row.domain_id,
    tag: row.tag,
    metadata: row.metadata,
    type: row.type,
    category: row.category,
    smtp_code: row.smtp_code,
    enhanced_code: row.enhanced_code,
    diagnostic_code: row.diagnostic_code,
    error_message: row.error_message,
    command: row.command,
    remote_mta: host === null && ip === null ? null : { host, ip },
    source: row.source,
    feedback_type: row.feedback_type,
    attempt: row.attempt,
    suppressed: row.suppressed,
    suppression_id: row.suppression_id,
    sandbox: row.sandbox,
    report_dkim: result === null ? null : { result, domain, reason: row.report_dkim_reason },
    bounced_at: row.bounced_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}
