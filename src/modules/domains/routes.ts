import { type Static, Type } from 'typebox'
import type { RecordStatus } from '../../mail/dns/records.ts'
import {
  type Answer,
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  IdParams,
  list,
  listOf,
  named,
  nullable,
  ONE_LINE,
  PagePagination,
  type Principal,
  pageWindowIfAsked,
  paginationOf,
  single,
  Uuid,
  WholePage,
  WholePageLimit,
} from '../../platform/http.ts'
import { assertWholeAccount } from '../accounts/index.ts'
import { type DomainChange, type DomainFilter, type Domains, MAX_VERIFIABLE_CHARS } from './domains.ts'
import { errors } from './errors.ts'
import type { Holder } from './holder.ts'
import { STATUSES } from './states.ts'
import type { Domain } from './types.ts'
import { wireDomain, wireOptional, wireRecords } from './wire.ts'

const TAG = 'Sending domains'
const PATH = '/api/v1/customer/domains'
const LEGACY_PATH = '/api/customer/domains'
const DEPRECATED_SINCE = '2026-01-01T00:00:00Z'
const MAX_TAGS = 50
const MAX_TAG_CHARACTERS = 128
const MAX_SEARCH_CHARACTERS = 253

const Inherited = nullable(Type.Boolean({ description: 'Null inherits the setting of the account.' }))

// The documented pattern, with the lengths of RFC 1035 section 2.3.4: 253 characters, 63 a label.
const DOMAIN_PATTERN = '^(?=.{4,253}$)(?!(?:.*\\.)?[^.]{64})[a-z0-9]+(?:[-.][a-z0-9]+)*\\.[a-z]{2,}$'
const DomainNameText = Type.String({
  pattern: DOMAIN_PATTERN,
  maxLength: 253,
  description: `A domain name in lowercase ASCII letters, digits, dots and single hyphens: no https://, no path, no underscore, no xn--. One of more than ${MAX_VERIFIABLE_CHARS} characters cannot be verified: the names of its DNS records would be too long.`,
  examples: ['mail.example.com'],
})
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_CHARACTERS, pattern: ONE_LINE }), {
  maxItems: MAX_TAGS,
})

const VerificationStatus = named('VerificationStatus', Type.Enum([...STATUSES]))
const TRACKING = {
  tracking_enabled: Inherited,
  open_tracking_enabled: Inherited,
  click_tracking_enabled: Inherited,
  unsubscribe_header_enabled: Inherited,
  tracking_domain_id: nullable(Uuid),
}

const RECORD_STATUSES: readonly RecordStatus[] = ['pending', 'valid', 'missing', 'mismatch', 'multiple', 'error']
const DnsRecordStatus = named('DnsRecordStatus', Type.Enum([...RECORD_STATUSES]))
const DkimRotation = named(
  'DkimRotation',
  Type.Object({
    selector: Type.String(),
    status: DnsRecordStatus,
    requested_at: DateTime,
  }),
)
const PreviousDkimKey = named(
  'PreviousDkimKey',
  Type.Object({
    selector: Type.String(),
    replaced_at: DateTime,
    keep_record_until: { ...DateTime, description: 'Mail signed with the key may be verified until then.' },
  }),
)

const DOMAIN = {
  id: Uuid,
  domain: Type.String(),
  verification_status: VerificationStatus,
  dkim_selector: Type.String(),
  spf_record: Type.String(),
  dmarc_record: Type.String(),
  is_active: Type.Boolean(),
  tags: Type.Array(Type.String()),
  created_at: DateTime,
  verified_at: nullable(DateTime),
  verification_token: Type.String(),
  dkim_public_key: Type.String({ description: 'Public DKIM key in Base64, as in the p= value of the DNS record.' }),
  dkim_rotation: nullable(DkimRotation),
  previous_dkim_key: nullable(PreviousDkimKey),
  ...TRACKING,
  last_checked_at: nullable(DateTime),
}
const DomainItem = named('Domain', Type.Object(DOMAIN))
const DomainDetail = named(
  'DomainDetail',
  Type.Object({
    ...DOMAIN,
    dkim_private_key: Type.String({ description: 'Private DKIM key as PKCS#8 PEM. Shown only once.' }),
  }),
)

const CHECK = {
  status: DnsRecordStatus,
  found: Type.Array(Type.String()),
  error: nullable(Type.String()),
}
const DnsRecord = named(
  'DnsRecord',
  Type.Object({
    type: Type.String(),
    purpose: Type.String(),
    name: Type.String({ description: 'Full name of the record, without a trailing dot.' }),
    host: Type.String({
      description: 'Name of the record relative to the registrable domain. `@` for the domain itself.',
    }),
    value: Type.String(),
    ttl: Type.Integer({ description: 'Time to live, in seconds.' }),
    priority: nullable(Type.Integer()),
    required: Type.Boolean(),
    ...CHECK,
    last_checked_at: nullable(DateTime),
  }),
)
const Check = named('DnsCheck', Type.Object({ ...CHECK, expected: Type.String() }))
const DNS = {
  domain: Type.String(),
  dns_records: Type.Array(DnsRecord),
  optional_records: Type.Array(DnsRecord),
}
const VERIFIED = {
  verified: Type.Boolean(),
  verification_status: VerificationStatus,
  checks: named('DomainChecks', Type.Object({ ownership: Check, spf: Check, dkim: Check, dmarc: Check })),
  dns_records: Type.Array(DnsRecord),
  next_check_at: nullable(DateTime),
}
const DELETED = named('DeletedDomain', Type.Object({ id: Uuid, domain: Type.String() }))

const NewDomain = named(
  'CreateDomainRequest',
  Type.Object({ domain: DomainNameText, tags: Type.Optional(Tags) }, { additionalProperties: false }),
)
const Change = named(
  'UpdateDomainRequest',
  Type.Object(
    {
      tracking_enabled: Type.Optional(TRACKING.tracking_enabled),
      open_tracking_enabled: Type.Optional(TRACKING.open_tracking_enabled),
      click_tracking_enabled: Type.Optional(TRACKING.click_tracking_enabled),
      unsubscribe_header_enabled: Type.Optional(TRACKING.unsubscribe_header_enabled),
      tracking_domain_id: Type.Optional(TRACKING.tracking_domain_id),
      tags: Type.Optional(Tags),
    },
    { additionalProperties: false },
  ),
)

const READ = { scope: 'domains:read' }
const WRITE = { scope: 'domains:write' }
const VERIFY = { scope: 'domains:write', rate: 'verify' }

export function domainRoutes(domains: Domains): readonly AnyEndpoint[] {
  const { spfMechanism } = domains
  const item = (domain: Domain): object => wireDomain(domain, spfMechanism)
  const both = (path: string): { path: string; legacyPath: string; legacyDeprecatedSince: string; tag: string } => {
    const legacyPath = LEGACY_PATH + path
    return { path: PATH + path, legacyPath, legacyDeprecatedSince: DEPRECATED_SINCE, tag: TAG }
  }
  return [
    endpoint({
      ...both(''),
      method: 'GET',
      access: READ,
      operationId: 'listDomains',
      summary: 'List sending domains',
      query: Type.Object({
        search: Type.Optional(
          Type.String({
            maxLength: MAX_SEARCH_CHARACTERS,
            pattern: '^[^\\u0000]*$',
            description: 'Part of the domain name, case-insensitive.',
          }),
        ),
        verification_status: Type.Optional(VerificationStatus),
        page: WholePage,
        limit: WholePageLimit,
      }),
      answers: { 200: listOf(DomainItem, PagePagination, { domains: Type.Array(DomainItem) }) },
      handle: async ({ principal, query }) => answerList(domains, holderOf(principal), query, item),
    }),
    endpoint({
      ...both(''),
      method: 'POST',
      access: WRITE,
      operationId: 'createDomain',
      summary:
        'Add a sending domain. The response has the DNS records to publish, and the private DKIM key, which is returned only here.',
      examples: exampleBody({ domain: 'mail.shop.example', tags: ['shop'] }),
      body: NewDomain,
      answers: { 201: dataOf(DomainDetail, { domain: DomainDetail }) },
      errors: [errors.already_exists],
      handle: async ({ principal, body }) => {
        // The key could not see the new domain.
        assertWholeAccount(principal, 'A key bound to domains cannot add one')
        const { domain, privateKeyPem } = await domains.add(principal.accountId, {
          name: body.domain,
          tags: body.tags ?? [],
        })
        const detail = { ...item(domain), dkim_private_key: privateKeyPem }
        return single(detail, { status: 201, also: { domain: detail } })
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: READ,
      operationId: 'getDomain',
      summary: 'Get a sending domain',
      params: IdParams,
      answers: { 200: dataOf(DomainItem, { domain: DomainItem }) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => answerDomain(await domains.get(holderOf(principal), params.id), item),
    }),
    endpoint({
      ...both('/{id}/dns'),
      method: 'GET',
      access: READ,
      operationId: 'getDomainDns',
      summary: 'List the DNS records to publish',
      params: IdParams,
      answers: { 200: dataOf(named('DomainDns', Type.Object(DNS)), DNS) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        const domain = await domains.get(holderOf(principal), params.id)
        const dns = {
          domain: domain.name,
          dns_records: wireRecords(domain, spfMechanism),
          optional_records: wireOptional(domain, domains, await domains.trackingRecord(domain)),
        }
        return single(dns, { also: dns })
      },
    }),
    endpoint({
      ...both('/{id}/verify'),
      method: 'POST',
      access: VERIFY,
      operationId: 'verifyDomain',
      summary:
        'Verify the DNS records of a sending domain now. For a check that fails, the response says what was expected, what was found and what to fix.',
      params: IdParams,
      answers: {
        200: dataOf(named('DomainVerification', Type.Object({ ...DOMAIN, ...VERIFIED })), {
          success: Type.Boolean(),
          domain: DomainItem,
          ...VERIFIED,
        }),
      },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        const { domain, checks } = await domains.verify(holderOf(principal), params.id)
        const outcome = {
          verified: domain.status === 'verified',
          verification_status: domain.status,
          checks,
          dns_records: wireRecords(domain, spfMechanism),
          next_check_at: domain.nextCheckAt?.toISOString() ?? null,
        }
        const shown = item(domain)
        return single({ ...shown, ...outcome }, { also: { success: true, domain: shown, ...outcome } })
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{id}/dkim/rotate`,
      tag: TAG,
      access: WRITE,
      operationId: 'rotateDomainDkim',
      summary:
        'Make new DKIM keys for a sending domain. They replace the current ones once their record is found in the DNS.',
      params: IdParams,
      answers: { 200: dataOf(DomainItem, { domain: DomainItem }) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) =>
        answerDomain(await domains.beginDkimRotation(holderOf(principal), params.id), item),
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{id}/dkim/rotate`,
      tag: TAG,
      access: WRITE,
      operationId: 'cancelDomainDkimRotation',
      summary: 'Drop the new DKIM keys of a sending domain and keep the current ones',
      params: IdParams,
      answers: { 200: dataOf(DomainItem, { domain: DomainItem }) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) =>
        answerDomain(await domains.cancelDkimRotation(holderOf(principal), params.id), item),
    }),
    endpoint({
      method: 'PATCH',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: WRITE,
      operationId: 'updateDomain',
      summary: 'Update the settings of a sending domain',
      params: IdParams,
      examples: exampleBody(
        { open_tracking_enabled: false, click_tracking_enabled: null },
        'Opens are not tracked; clicks as the account has it',
      ),
      body: Change,
      answers: { 200: dataOf(DomainItem, { domain: DomainItem }) },
      errors: [errors.not_found],
      handle: async ({ principal, params, body }) =>
        answerDomain(await domains.change(holderOf(principal), params.id, changeOf(body)), item),
    }),
    endpoint({
      ...both('/{id}'),
      method: 'DELETE',
      access: WRITE,
      operationId: 'deleteDomain',
      summary: 'Delete a sending domain. Its queued emails fail.',
      params: IdParams,
      answers: { 200: dataOf(DELETED, { success: Type.Boolean(), message: Type.String(), domain: DELETED }) },
      errors: [errors.not_found, errors.invalid_state],
      handle: async ({ principal, params }) => {
        const { id, name } = await domains.remove(holderOf(principal), params.id)
        const removed = { id, domain: name }
        return single(removed, { also: { success: true, message: `${name} was removed`, domain: removed } })
      },
    }),
  ]
}

function holderOf({ accountId, domainIds }: Principal): Holder {
  return { accountId, domainIds: domainIds?.map((id) => id.toLowerCase()) ?? null }
}

async function answerList(
  domains: Domains,
  holder: Holder,
  query: {
    readonly search?: string
    readonly verification_status?: NonNullable<DomainFilter['status']>
    readonly page?: number
    readonly limit?: number
  },
  item: (domain: Domain) => object,
): Promise<Answer> {
  const window = pageWindowIfAsked(query)
  const filter = { search: query.search ?? null, status: query.verification_status ?? null }
  const { domains: page, total } = await domains.list(holder, window ?? { limit: null, offset: 0 }, filter)
  const items = page.map(item)
  return list(items, paginationOf(window, items.length, total), { domains: items })
}

function answerDomain(domain: Domain, item: (domain: Domain) => object): Answer {
  const shown = item(domain)
  return single(shown, { also: { domain: shown } })
}

function changeOf(body: Static<typeof Change>): DomainChange {
  const change: Record<string, unknown> = {}
  for (const [wire, name] of CHANGEABLE) {
    if (body[wire] !== undefined) change[name] = body[wire]
  }
  return change
}

const CHANGEABLE = [
  ['tracking_enabled', 'trackingEnabled'],
  ['open_tracking_enabled', 'openTrackingEnabled'],
  ['click_tracking_enabled', 'clickTrackingEnabled'],
  ['unsubscribe_header_enabled', 'unsubscribeHeaderEnabled'],
  ['tracking_domain_id', 'trackingDomainId'],
  ['tags', 'tags'],
] as const satisfies readonly (readonly [keyof Static<typeof Change>, keyof DomainChange])[]
