import { Type } from 'typebox'
import {
  type Answer,
  type AnyEndpoint,
  bare,
  bareOf,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  list,
  listOf,
  named,
  nullable,
  PagePagination,
  pageWindowIfAsked,
  paginationOf,
  Uuid,
  WholePage,
  WholePageLimit,
} from '../../platform/http.ts'
import { errors } from './errors.ts'
import type { TrackingDomainRow, TrackingDomains } from './tracking-domains.ts'

const TAG = 'Tracking domains'
const PATH = '/api/v1/customer/tracking-domains'
const LEGACY_PATH = '/api/customer/tracking-domains'
const READ = { scope: 'tracking_domains:read' }
const WRITE = { scope: 'tracking_domains:write' }
const VERIFY = { scope: 'tracking_domains:write', rate: 'verify', bucket: 'tracking_verify' }

// Limits of RFC 1035 section 2.3.4: 253 characters, 63 per label.
const NAME = '^(?=.{4,253}$)(?!(?:.*\\.)?[^.]{64})[a-z0-9]+(?:[-.][a-z0-9]+)*\\.[a-z]{2,}$'
const NewName = named(
  'CreateTrackingDomainRequest',
  Type.Object(
    {
      domain: Type.String({
        pattern: NAME,
        maxLength: 253,
        description:
          'A domain name in lowercase ASCII letters, digits, dots and single hyphens: no https://, no path, no underscore, no xn--.',
        examples: ['track.example.com'],
      }),
    },
    { additionalProperties: false },
  ),
)

const FIELDS = {
  id: Uuid,
  domain: Type.String(),
  cname_target: Type.String(),
  is_verified: Type.Boolean(),
  ssl_enabled: Type.Boolean(),
  created_at: DateTime,
  dns_setup: named(
    'TrackingDnsSetup',
    Type.Object({
      record_type: Type.String(),
      hostname: Type.String(),
      value: Type.String(),
      instructions: Type.String(),
    }),
  ),
  verified_at: nullable(DateTime),
  ssl_status: named('SslStatus', Type.Enum(['none', 'pending', 'issued', 'failed'])),
  ssl_expires_at: nullable(DateTime),
  ssl_error: nullable(Type.String()),
  verification: named(
    'TrackingCheck',
    Type.Object({
      expected: Type.String(),
      found: nullable(Type.String()),
      error: nullable(Type.String()),
      checked_at: nullable(DateTime),
    }),
  ),
}
const TrackingDomain = named('TrackingDomain', Type.Object(FIELDS))
const VERIFIED = { success: Type.Boolean(), verified: Type.Boolean() }
const Bare = bareOf(TrackingDomain)
const Deleted = named('Deleted', Type.Object({ id: Uuid, deleted: Type.Boolean() }))

/** @param now decides whether the certificate is still valid */
export function wireTrackingDomain(row: TrackingDomainRow, now: Date): object {
  const status = sslStatus(row, now)
  return {
    id: row.id,
    domain: row.name,
    cname_target: row.cname_target,
    is_verified: row.verified_at !== null,
    ssl_enabled: status === 'issued',
    created_at: row.created_at.toISOString(),
    dns_setup: {
      record_type: 'CNAME',
      hostname: row.name,
      value: row.cname_target,
      instructions: `Publish a CNAME record for ${row.name} with the value ${row.cname_target}, then verify. It may take 5 to 30 minutes until it is seen.`,
    },
    verified_at: row.verified_at?.toISOString() ?? null,
    ssl_status: status,
    ssl_expires_at: status === 'none' ? null : (row.ssl_expires_at?.toISOString() ?? null),
    ssl_error: row.ssl_error,
    verification: {
      expected: row.cname_target,
      found: row.found,
      error: row.check_error,
      checked_at: row.checked_at?.toISOString() ?? null,
    },
  }
}

/** An expired certificate whose renewal is still due no longer counts as issued. */
function sslStatus(
  { ssl_status: stored, ssl_expires_at: until, ssl_error: error }: TrackingDomainRow,
  now: Date,
): TrackingDomainRow['ssl_status'] {
  if (stored !== 'issued' || (until !== null && until > now)) return stored
  return error === null ? 'pending' : 'failed'
}

export function trackingRoutes(names: TrackingDomains, now: () => Date): readonly AnyEndpoint[] {
  const answer = (row: TrackingDomainRow, more: { status?: number; also?: Record<string, unknown> } = {}): Answer =>
    bare(wireTrackingDomain(row, now()), more)
  const at = (path: string): { path: string; legacyPath: string; tag: string } => ({
    path: PATH + path,
    legacyPath: LEGACY_PATH + path,
    tag: TAG,
  })
  return [
    endpoint({
      ...at(''),
      method: 'GET',
      access: READ,
      operationId: 'listTrackingDomains',
      summary: 'List tracking domains',
      query: Type.Object({ page: WholePage, limit: WholePageLimit }),
      answers: { 200: listOf(TrackingDomain, PagePagination) },
      handle: async ({ principal: { accountId }, query }) => {
        const total = await names.count(accountId)
        const window = pageWindowIfAsked(query)
        const rows = await names.list(accountId, window ?? { offset: 0, limit: null })
        const items = rows.map((row) => wireTrackingDomain(row, now()))
        return list(items, paginationOf(window, items.length, total))
      },
    }),
    endpoint({
      ...at(''),
      method: 'POST',
      access: WRITE,
      operationId: 'createTrackingDomain',
      summary: 'Add a tracking domain',
      examples: exampleBody({ domain: 'links.shop.example' }),
      body: NewName,
      answers: { 201: Bare },
      errors: [errors.already_exists],
      handle: async ({ principal, body }) => answer(await names.add(principal.accountId, body.domain), { status: 201 }),
    }),
    endpoint({
      ...at('/{id}'),
      method: 'GET',
      access: READ,
      operationId: 'getTrackingDomain',
      summary: 'Get a tracking domain',
      params: IdParams,
      answers: { 200: Bare },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => answer(await names.get(principal.accountId, params.id)),
    }),
    endpoint({
      ...at('/{id}/verify'),
      method: 'POST',
      access: VERIFY,
      operationId: 'verifyTrackingDomain',
      summary: 'Verify the CNAME record of a tracking domain now',
      params: IdParams,
      answers: { 200: named('TrackingDomainVerification', bareOf(TrackingDomain, VERIFIED)) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        const row = await names.verify(principal.accountId, params.id)
        return answer(row, { also: { success: true, verified: row.verified_at !== null } })
      },
    }),
    endpoint({
      ...at('/{id}'),
      method: 'DELETE',
      access: WRITE,
      operationId: 'deleteTrackingDomain',
      summary: 'Delete a tracking domain',
      params: IdParams,
      query: Type.Object({
        force: Type.Optional(
          Type.Boolean({ description: 'Deletes the domain even while sending domains use it; they lose it.' }),
        ),
      }),
      answers: { 200: named('DeleteTrackingDomainResponse', dataOf(Deleted, { success: Type.Boolean() })) },
      errors: [errors.not_found, errors.tracking_domain_in_use],
      handle: async ({ principal, params, query }) => {
        await names.remove(principal, params.id, query.force === true)
        return { status: 200, body: { success: true, data: { id: params.id, deleted: true } } }
      },
    }),
  ]
}
