// Templates: stored by the account, rendered when an email is accepted. A change makes a new version and applies to emails
// accepted after it. Older versions can be read, previewed, sent and restored; restoring makes a new version too. The number
// and size of an account's templates are limited so that one answer can list them all. It keeps 50 versions of each, and
// 256 MB of versions in all: beyond that the oldest are deleted, the current ones never.

import { checkHeaderText } from '../../mail/mime/headers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Db } from '../../platform/db.ts'
import { type FieldFault, validationError } from '../../platform/errors.ts'
import type { Ids } from '../../platform/ids.ts'
import { recentlyUsed } from '../../platform/recently-used.ts'
import { errors } from './errors.ts'
import * as limits from './limits.ts'
import { type SendRequest, unlessBlank } from './request.ts'
import * as sql from './sql.ts'
import { type ParsedTemplate, parseTemplate } from './template-parse.ts'
import { render, type StepsOfCall, type Variables } from './template-render.ts'

/** What is filled in. */
export interface TemplateParts {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

export interface TemplateContent extends TemplateParts {
  readonly name: string
}

export interface Template extends TemplateContent {
  readonly id: string
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The name and content of one version of a template. */
export interface TemplateVersion extends TemplateContent {
  readonly id: string
  readonly version: number
  /** When it became the current one. */
  readonly createdAt: Date
}

export interface Preview {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly missing: readonly string[]
}

export interface Templates {
  /** Oldest first. @param slice null: all of them */
  list(
    accountId: string,
    slice: { readonly offset: number; readonly limit: number } | null,
  ): Promise<{ readonly templates: readonly Template[]; readonly total: number }>
  /** @throws ApiError not_found */
  get(accountId: string, id: string): Promise<Template>
  /** @throws ApiError validation_error */
  create(accountId: string, content: TemplateContent): Promise<Template>
  /** @throws ApiError not_found, validation_error */
  replace(accountId: string, id: string, content: TemplateContent): Promise<Template>
  /** @throws ApiError not_found */
  remove(accountId: string, id: string): Promise<void>
  /** Newest first, including the current one. @throws ApiError not_found */
  versions(
    accountId: string,
    id: string,
    slice: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly versions: readonly TemplateVersion[]; readonly total: number }>
  /** @throws ApiError not_found */
  version(accountId: string, id: string, version: number): Promise<TemplateVersion>
  /** Makes the content of an older version a new version. @throws ApiError not_found */
  restore(accountId: string, id: string, version: number): Promise<Template>
  /** @param version null for the current one. @throws ApiError not_found, validation_error */
  preview(accountId: string, id: string, version: number | null, variables: Variables): Promise<Preview>
  /** Renders a template that is not stored. @throws ApiError validation_error */
  previewDraft(draft: TemplateParts, variables: Variables): Preview
  /** For SendingOptions. */
  filler(accountId: string): Filler
}

/**
 * Renders the templates that the messages of one call name; subject, html and text of the request take precedence. Messages
 * that ask at the same time share one read of a template; it is kept no longer than that, because it may be large.
 *
 * @returns what renders it, which may block the event loop for a moment
 * @throws ApiError validation_error, both of them
 */
export type Filler = (request: SendRequest) => Promise<() => SendRequest>

interface Parsed {
  readonly subject: ParsedTemplate
  readonly html: ParsedTemplate | null
  readonly text: ParsedTemplate | null
}

const MAX_PARSED = 200
const MARKER_BYTES = 16
/** For the templates of one call together. */
const MAX_CALL_STEPS = 4_000_000

export function templatesOf({
  database,
  clock,
  ids,
}: {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
}): Templates {
  /** By id and version. */
  const known = recentlyUsed<Parsed>(MAX_PARSED)
  const parsed = (template: TemplateVersion): Parsed => {
    const name = `${template.id} ${template.version}`
    const made = known.get(name) ?? parseAll(template)
    known.set(name, made)
    return made
  }
  const find = async (db: Db, accountId: string, id: string): Promise<Template | null> => {
    const row = await db.one<sql.TemplateRow>(sql.templateById, [accountId, id])
    return row === null ? null : templateOf(row)
  }
  const get = async (accountId: string, id: string): Promise<Template> => {
    const template = await database.tenant(accountId, (db) => find(db, accountId, id))
    if (template === null) throw errors.not_found()
    return template
  }

  const versionAt = async (db: Db, accountId: string, id: string, version: number): Promise<TemplateVersion | null> => {
    const row = await db.one<sql.TemplateVersionRow>(sql.versionOf, [accountId, id, version])
    return row === null ? null : contentOf(row)
  }
  const chosen = async (accountId: string, id: string, number: number | null): Promise<TemplateVersion | null> => {
    if (number === null) return find(database.system, accountId, id)
    const found = await versionAt(database.system, accountId, id, number)
    if (found === null && (await find(database.system, accountId, id)) !== null) {
      throw fault('template_version', 'exists', 'is not a version that is kept of this template')
    }
    return found
  }
  const version = async (accountId: string, id: string, number: number): Promise<TemplateVersion> => {
    const found = await database.tenant(accountId, (db) => versionAt(db, accountId, id, number))
    if (found === null) throw errors.not_found()
    return found
  }
  const replace = async (db: Db, accountId: string, id: string, content: TemplateContent): Promise<Template> => {
    const row = await db.one<sql.TemplateRow>(sql.replaceTemplate, [id, accountId, ...columns(content), clock.now()])
    if (row === null) throw errors.not_found()
    await keep(db, accountId, id)
    return templateOf(row)
  }

  const filledWith = ({ subject, html, text }: Parsed, request: SendRequest, call: StepsOfCall): SendRequest => {
    const own = { html: unlessBlank(request.html), text: unlessBlank(request.text) }
    const filled = renderAll(
      {
        subject: request.subject === null ? subject : [],
        html: own.html === null ? html : null,
        text: own.text === null ? text : null,
      },
      request.variables,
      ids,
      call,
    )
    const content = { html: own.html ?? filled.html, text: own.text ?? filled.text }
    if (unlessBlank(content.html) === null && content.text === null) {
      throw fault('html', 'required', 'is blank once filled in, and there is no text')
    }
    return { ...request, ...content, subject: request.subject ?? filled.subject }
  }

  return {
    get,
    version,
    versions: (accountId, id, { offset, limit }) =>
      database.tenant(accountId, async (db) => {
        const total = await db.one<{ count: number }>(sql.countVersions, [accountId, id])
        if (total === null || total.count === 0) throw errors.not_found()
        const rows = await db.query<sql.TemplateVersionRow>(sql.versionsOf, [accountId, id, offset, limit])
        return { versions: rows.map(contentOf), total: total.count }
      }),
    restore: (accountId, id, number) =>
      database.tenant(accountId, async (db) => {
        const before = await versionAt(db, accountId, id, number)
        if (before === null) throw errors.not_found()
        return replace(db, accountId, id, before)
      }),
    list: (accountId, slice) =>
      database.tenant(accountId, async (db) => {
        const { offset, limit } = slice ?? { offset: 0, limit: limits.MAX_TEMPLATES }
        const rows = await db.query<sql.TemplateRow>(sql.templates, [accountId, offset, limit])
        const total = await db.one<{ count: number }>(sql.countTemplates, [accountId])
        return { templates: rows.map(templateOf), total: total?.count ?? 0 }
      }),
    create: async (accountId, content) => {
      check(content)
      return database.tenant(accountId, async (db) => {
        const id = ids.next()
        const row = await db.one<sql.TemplateRow>(sql.addTemplate, [id, accountId, ...columns(content), clock.now()])
        await keep(db, accountId, id)
        return templateOf(row as sql.TemplateRow)
      })
    },
    replace: async (accountId, id, content) => {
      check(content)
      return database.tenant(accountId, (db) => replace(db, accountId, id, content))
    },
    remove: async (accountId, id) => {
      await database.tenant(accountId, async (db) => {
        if ((await db.execute(sql.removeTemplate, [accountId, id])) === 0) throw errors.not_found()
        await db.execute(sql.removeVersions, [accountId, id])
      })
    },
    preview: async (accountId, id, number, variables) => {
      const template = await (number === null ? get(accountId, id) : version(accountId, id, number))
      return renderAll(parsed(template), variables, ids)
    },
    previewDraft: (draft, variables) => {
      check(draft)
      return renderAll(parseAll(draft), variables, ids)
    },
    filler: (accountId) => {
      const call = { left: MAX_CALL_STEPS }
      const reading = new Map<string, Promise<Parsed>>()
      const read = async (id: string, number: number | null): Promise<Parsed> => {
        const template = await chosen(accountId, id, number)
        if (template === null) throw fault('template_id', 'exists', 'is not a template of this account')
        return parsed(template)
      }
      return async (request) => {
        const { templateId: id, templateVersion: number } = request
        if (id === null) return () => request
        const name = `${id.toLowerCase()} ${number}`
        const found = reading.get(name) ?? read(id, number).finally(() => reading.delete(name))
        reading.set(name, found)
        const template = await found
        return () => filledWith(template, request, call)
      }
    },
  }
}

/** Runs in the transaction that added or changed a template: exceeding the limits rolls it back, and old versions are deleted. */
async function keep(db: Db, accountId: string, id: string): Promise<void> {
  await checkRoom(db, accountId)
  await db.execute(sql.keepVersion, [accountId, id])
  await db.execute(sql.dropVersions, [accountId, limits.MAX_TEMPLATE_VERSIONS, limits.MAX_TEMPLATE_HISTORY_BYTES])
}

/** Every check of a template before it is stored. */
function check(content: TemplateParts): void {
  const faults = templateFaults(content)
  if (faults.length > 0) throw validationError(faults)
}

/** The same checks for unvalidated input: the schema reports values that are not text. */
export function templateFaults(content: unknown): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const { name, subject, html = null, text = null } = (content ?? {}) as Readonly<Record<string, unknown>>
  for (const [field, value] of Object.entries({ name, subject })) {
    if (typeof value !== 'string') continue
    const found = checkHeaderText(value)
    if (found !== null) {
      const message = `contains the control character ${found.character}`
      faults.push({ field, rule: 'control_character', message })
    }
  }
  if (html === null && text === null)
    faults.push({ field: 'html', rule: 'required', message: 'html or text is required' })
  for (const [field, source] of Object.entries({ subject, html, text })) {
    if (typeof source !== 'string') continue
    if (Buffer.byteLength(source) > limits.MAX_PART_BYTES) {
      faults.push({ field, rule: 'max_bytes', message: `is larger than ${limits.MAX_PART_BYTES} bytes` })
    }
    const read = parseTemplate(source, limits.MAX_TEMPLATE_TAGS)
    if ('fault' in read) faults.push({ field, rule: 'template', message: read.fault })
  }
  return faults
}

async function checkRoom(db: Db, accountId: string): Promise<void> {
  await db.query(sql.lockTemplates, [accountId])
  const size = await db.one<{ count: number; bytes: number }>(sql.templatesSize, [accountId])
  if ((size?.count ?? 0) > limits.MAX_TEMPLATES) {
    throw fault('name', 'max_templates', `an account keeps at most ${limits.MAX_TEMPLATES} templates`)
  }
  if ((size?.bytes ?? 0) > limits.MAX_TEMPLATES_BYTES) {
    throw fault('html', 'max_bytes', `all templates together take at most ${limits.MAX_TEMPLATES_BYTES} bytes`)
  }
}

function parseAll({ subject, html, text }: TemplateParts): Parsed {
  return { subject: parse(subject), html: html === null ? null : parse(html), text: text === null ? null : parse(text) }
}

function parse(source: string): ParsedTemplate {
  const read = parseTemplate(source)
  if ('fault' in read) throw new Error(`a stored template cannot be read: ${read.fault}`)
  return read
}

function renderAll(
  { subject, html, text }: Parsed,
  variables: Variables,
  ids: Ids,
  call: StepsOfCall = { left: MAX_CALL_STEPS },
): Preview {
  const marker = `\ue000${ids.bytes(MARKER_BYTES).toString('hex')}\ue001`
  const missing = new Set<string>()
  const one = (field: string, template: ParsedTemplate, form: 'html' | 'plain'): string => {
    const filled = render(template, variables, { form, maxBytes: limits.MAX_PART_BYTES, marker, call })
    if (filled === 'too_large') throw fault('variables', 'max_bytes', `make the ${field} too large`)
    for (const name of filled.missing) missing.add(name)
    return filled.text
  }
  const preview = {
    subject: one('subject', subject, 'plain'),
    html: html === null ? null : one('html', html, 'html'),
    text: text === null ? null : one('text', text, 'plain'),
  }
  const found = checkHeaderText(preview.subject)
  if (found !== null) {
    throw fault('subject', 'control_character', `contains the control character ${found.character} once filled in`)
  }
  if (limits.isLongerThan(limits.MAX_SUBJECT_CHARS, preview.subject)) {
    throw fault('subject', 'maxLength', `has more than ${limits.MAX_SUBJECT_CHARS} characters once filled in`)
  }
  return { ...preview, missing: [...missing] }
}

function fault(field: string, rule: string, message: string): Error {
  return validationError([{ field, rule, message }])
}

function columns({ name, subject, html, text }: TemplateContent): readonly unknown[] {
  return [name, subject, html, text]
}

function contentOf(row: sql.TemplateVersionRow): TemplateVersion {
  const { id, name, subject, html, text, version, created_at: createdAt } = row
  return { id, name, subject, html, text, version, createdAt }
}

function templateOf(row: sql.TemplateRow): Template {
  const { id, name, subject, html, text, version, created_at: createdAt, updated_at: updatedAt } = row
  return { id, name, subject, html, text, version, createdAt, updatedAt }
}
