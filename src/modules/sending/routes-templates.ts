import { Type } from 'typebox'
import { parameterError } from '../../platform/errors.ts'
import {
  type AnyEndpoint,
  DateTime,
  dataOf,
  endpoint,
  exampleBody,
  FRAMED_HEADERS,
  IdParams,
  list,
  listOf,
  named,
  nullable,
  Page,
  PageLimit,
  PagePagination,
  pageWindow,
  pageWindowIfAsked,
  paginationOf,
  raw,
  single,
  typed,
  Uuid,
  WholePage,
  WholePageLimit,
} from '../../platform/http.ts'
import { errors } from './errors.ts'
import * as limits from './limits.ts'
import {
  type Template,
  type TemplateContent,
  type Templates,
  type TemplateVersion,
  templateFaults,
} from './templates.ts'

const PATH = '/api/v1/templates'
const TAG = 'Templates'
/** Fits into a URL with room to spare. */
const MAX_QUERY_VARIABLES_CHARS = 4_096
const READ = { scope: 'templates:read' }
const WRITE = { scope: 'templates:write' }
const NullableText = nullable(Type.String())

const TemplateItem = named(
  'Template',
  Type.Object({
    id: Uuid,
    name: Type.String(),
    subject: Type.String(),
    html: NullableText,
    text: NullableText,
    version: Type.Integer(),
    created_at: DateTime,
    updated_at: DateTime,
  }),
)
const TAGS = `At most ${limits.MAX_TEMPLATE_TAGS} tags.`
const PARTS = {
  subject: Type.String({
    maxLength: limits.MAX_SUBJECT_CHARS,
    description: 'Mustache template. Values are not escaped.',
  }),
  html: Type.Optional(nullable(Type.String({ description: `Mustache template. {{x}} is HTML-escaped. ${TAGS}` }))),
  text: Type.Optional(nullable(Type.String({ description: `Mustache template. Values are not escaped. ${TAGS}` }))),
}
const TemplateBody = named(
  'TemplateRequest',
  Type.Object(
    { name: Type.String({ minLength: 1, maxLength: limits.MAX_TEMPLATE_NAME_CHARS }), ...PARTS },
    { additionalProperties: false },
  ),
)
const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const VersionParams = Type.Object({ id: Uuid, version: Version })
const TemplateVersionItem = named(
  'TemplateVersion',
  Type.Object({
    id: Uuid,
    version: Version,
    name: Type.String(),
    subject: Type.String(),
    html: NullableText,
    text: NullableText,
    created_at: DateTime,
  }),
)
// Null is the same as absent, as in a send.
const Variables = Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown())))
const PreviewBody = named(
  'PreviewTemplateRequest',
  Type.Object({ version: Type.Optional(nullable(Version)), variables: Variables }, { additionalProperties: false }),
)
const PreviewDraftBody = named(
  'PreviewTemplateDraftRequest',
  Type.Object({ ...PARTS, variables: Variables }, { additionalProperties: false }),
)
const PreviewData = named(
  'TemplatePreview',
  Type.Object({
    subject: Type.String(),
    html: NullableText,
    text: NullableText,
    missing: Type.Array(Type.String(), { description: 'Variables that the template uses but that were not given.' }),
  }),
)

export function templateRoutes(templates: Templates): readonly AnyEndpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: PATH,
      tag: TAG,
      access: READ,
      operationId: 'listTemplates',
      summary: 'List templates',
      query: Type.Object({ page: WholePage, limit: WholePageLimit }),
      answers: { 200: listOf(TemplateItem, PagePagination) },
      handle: async ({ principal, query }) => {
        const window = pageWindowIfAsked(query)
        const { templates: found, total } = await templates.list(principal.accountId, window)
        return list(found.map(wire), paginationOf(window, found.length, total))
      },
    }),
    endpoint({
      method: 'POST',
      path: PATH,
      tag: TAG,
      access: WRITE,
      operationId: 'createTemplate',
      summary: 'Create a template',
      examples: exampleBody({
        name: 'Receipt',
        subject: 'Your order {{order}}',
        html: '<p>Thank you, {{name}}.</p>',
        text: 'Thank you, {{name}}.',
      }),
      body: TemplateBody,
      moreFaults: templateFaults,
      bodyLimitBytes: limits.MAX_TEMPLATE_BODY_BYTES,
      answers: { 201: dataOf(TemplateItem) },
      handle: async ({ principal, body }) =>
        single(wire(await templates.create(principal.accountId, contentOf(body))), { status: 201 }),
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/preview`,
      tag: TAG,
      access: { ...READ, reads: true },
      operationId: 'previewTemplateDraft',
      summary: 'Preview a template that is not stored, with variables',
      examples: exampleBody({
        subject: 'Your order {{order}}',
        html: '<p>Thank you, {{name}}.</p>',
        variables: { order: 'A-1001', name: 'Jo' },
      }),
      body: PreviewDraftBody,
      moreFaults: templateFaults,
      bodyLimitBytes: limits.MAX_TEMPLATE_BODY_BYTES,
      answers: { 200: dataOf(PreviewData) },
      handle: async ({ body: { subject, html = null, text = null, variables } }) =>
        single(templates.previewDraft({ subject, html, text }, variables ?? {})),
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: READ,
      operationId: 'getTemplate',
      summary: 'Get a template',
      params: IdParams,
      answers: { 200: dataOf(TemplateItem) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => single(wire(await templates.get(principal.accountId, params.id))),
    }),
    endpoint({
      method: 'PUT',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: WRITE,
      operationId: 'replaceTemplate',
      summary: 'Replace a template. Its version number increases by one.',
      params: IdParams,
      examples: exampleBody({
        name: 'Receipt',
        subject: 'Your order {{order}} is on its way',
        html: '<p>Thank you, {{name}}.</p>',
      }),
      body: TemplateBody,
      moreFaults: templateFaults,
      bodyLimitBytes: limits.MAX_TEMPLATE_BODY_BYTES,
      answers: { 200: dataOf(TemplateItem) },
      errors: [errors.not_found],
      handle: async ({ principal, params, body }) =>
        single(wire(await templates.replace(principal.accountId, params.id, contentOf(body)))),
    }),
    endpoint({
      method: 'DELETE',
      path: `${PATH}/{id}`,
      tag: TAG,
      access: WRITE,
      operationId: 'deleteTemplate',
      summary: 'Delete a template',
      params: IdParams,
      answers: { 200: dataOf(named('Deleted', Type.Object({ id: Uuid, deleted: Type.Boolean() }))) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) => {
        await templates.remove(principal.accountId, params.id)
        return single({ id: params.id, deleted: true })
      },
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{id}/preview`,
      tag: TAG,
      access: { ...READ, reads: true },
      operationId: 'previewTemplate',
      summary: 'Preview a template with variables',
      params: IdParams,
      examples: exampleBody(
        { version: 2, variables: { order: 'A-1001', name: 'Jo' } },
        'The second version, with these values',
      ),
      body: PreviewBody,
      bodyLimitBytes: limits.MAX_TEMPLATE_BODY_BYTES,
      answers: { 200: dataOf(PreviewData) },
      errors: [errors.not_found],
      handle: async ({ principal, params, body }) =>
        single(await templates.preview(principal.accountId, params.id, body.version ?? null, body.variables ?? {})),
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}/preview`,
      tag: TAG,
      access: READ,
      operationId: 'getTemplateHtml',
      summary: 'Get the HTML of a template preview for display in a frame. It cannot run scripts or load anything.',
      params: IdParams,
      query: Type.Object({
        version: Type.Optional(Version),
        variables: Type.Optional(
          Type.String({
            maxLength: MAX_QUERY_VARIABLES_CHARS,
            description: 'Values of the template variables, as a JSON object.',
          }),
        ),
      }),
      answers: { 200: typed('text/html') },
      errors: [errors.not_found],
      handle: async ({ principal, params, query }) => {
        const variables = variablesOf(query.variables ?? '{}')
        const { html } = await templates.preview(principal.accountId, params.id, query.version ?? null, variables)
        return raw('text/html; charset=utf-8', html ?? '', FRAMED_HEADERS)
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}/versions`,
      tag: TAG,
      access: READ,
      operationId: 'listTemplateVersions',
      summary: 'List the stored versions of a template, newest first',
      params: IdParams,
      query: Type.Object({ page: Page, limit: PageLimit }),
      answers: { 200: listOf(TemplateVersionItem, PagePagination) },
      errors: [errors.not_found],
      handle: async ({ principal, params, query }) => {
        const window = pageWindow(query)
        const { versions, total } = await templates.versions(principal.accountId, params.id, window)
        return list(versions.map(wireVersion), paginationOf(window, versions.length, total))
      },
    }),
    endpoint({
      method: 'GET',
      path: `${PATH}/{id}/versions/{version}`,
      tag: TAG,
      access: READ,
      operationId: 'getTemplateVersion',
      summary: 'Get a version of a template',
      params: VersionParams,
      answers: { 200: dataOf(TemplateVersionItem) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) =>
        single(wireVersion(await templates.version(principal.accountId, params.id, params.version))),
    }),
    endpoint({
      method: 'POST',
      path: `${PATH}/{id}/versions/{version}/restore`,
      tag: TAG,
      access: WRITE,
      operationId: 'restoreTemplateVersion',
      summary: 'Restore an older version of a template as a new version',
      params: VersionParams,
      body: named('RestoreTemplateVersionRequest', Type.Object({}, { additionalProperties: false })),
      answers: { 200: dataOf(TemplateItem) },
      errors: [errors.not_found],
      handle: async ({ principal, params }) =>
        single(wire(await templates.restore(principal.accountId, params.id, params.version))),
    }),
  ]
}

function wireVersion({ id, version, name, subject, html, text, createdAt }: TemplateVersion): object {
  return { id, version, name, subject, html, text, created_at: createdAt.toISOString() }
}

/** @throws ApiError invalid_parameter when the text is not a JSON object */
function variablesOf(text: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>
  } catch {
    // Reported below, like any other text that is not an object.
  }
  throw parameterError('variables', 'json_object', 'must be a JSON object')
}

function contentOf(body: {
  name: string
  subject: string
  html?: string | null
  text?: string | null
}): TemplateContent {
  return { name: body.name, subject: body.subject, html: body.html ?? null, text: body.text ?? null }
}

function wire({ id, name, subject, html, text, version, createdAt, updatedAt }: Template): object {
  return {
    id,
    name,
    subject,
    html,
    text,
    version,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}
