// The API reference page, rendered from the OpenAPI document that the service serves, so the two cannot differ.

import { escapeText } from 'entities'
import { attribute } from './docs-page.ts'
import { withoutRefs } from './openapi-schemas.ts'

interface Schema {
  /** Its name in the document. */
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema; readonly examples?: NamedExamples }>>
}

type NamedExamples = Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly deprecated?: boolean
  readonly 'x-scope'?: string
  readonly parameters?: readonly (Schema & {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: Schema
  })[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content & { readonly description?: string }>>
}

interface Tag {
  readonly name: string
  readonly description?: string
}

export interface ReferenceDocument {
  /** The order in which operations are listed. */
  readonly tags?: readonly Tag[]
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly servers?: readonly { readonly url: string; readonly description?: string }[]
}

interface Group extends Tag {
  readonly listed: readonly Listed[]
}

interface Listed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The unversioned path of the same operation. */
  readonly legacy: string | null
}

/** Nesting depth beyond which an object is shown only as `object`. */
const MAX_DEPTH = 5

/** @returns HTML: a table of contents, then every operation by tag. Legacy paths are shown with their operation. */
export function referenceHtml(named: ReferenceDocument): string {
  const document = withoutRefs(named)
  const byTag = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags?.[0])
  const groups = (document.tags ?? []).flatMap((tag) => {
    const listed = byTag.get(tag.name) ?? []
    return listed.length === 0 ? [] : [{ ...tag, listed }]
  })
  const server = document.servers?.[0]?.url ?? ''
  return `<h1>API reference</h1>
<p>Base URL: <code>${escapeText(server)}</code>. Send your key as <code>X-API-Key</code> or <code>Authorization: Bearer</code>. Each operation names the
scope it requires; the scope <code>full</code> includes them all. Every error is <code>{error, code, details, request_id}</code>. Each operation lists
the codes it can return, and <a href="/docs/errors">Errors</a> explains them all. <a href="/docs/using-the-api">Using the API</a> tells what all
operations share: lists, errors, rate limits, sizes and safe retries. For programs: <a href="/openapi.json">openapi.json</a>.</p>
<ul class="contents">${groups.map(({ name, listed }) => `<li><a href="#${anchor(name)}">${escapeText(name)}</a> <span class="quiet">${listed.length}</span></li>`).join('')}</ul>
${groups.map((group) => groupHtml(group, server)).join('\n')}`
}

function groupHtml({ name, description, listed }: Group, server: string): string {
  const about = description === undefined ? '' : `<p>${escapeText(description)}</p>\n`
  return `<h2 id="${anchor(name)}">${escapeText(name)}</h2>\n${about}${listed.map((one) => operationHtml(one, server)).join('\n')}`
}

function operationsOf({ paths = {} }: ReferenceDocument): readonly Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.deprecated !== true)
      .map(([method, operation]) => {
        const legacy = path.replace('/api/v1/', '/api/')
        const isThere = legacy !== path && paths[legacy]?.[method]?.deprecated === true
        return { method: method.toUpperCase(), path, operation, legacy: isThere ? legacy : null }
      }),
  )
}

function sentencesOf({ summary = '', description }: Operation): string {
  return description === undefined ? summary : `${summary}. ${description}`
}

function operationHtml({ method, path, operation, legacy }: Listed, server: string): string {
  const scope = operation['x-scope']
  const parameters = operation.parameters ?? []
  const facts = [
    scope === undefined ? 'no key' : `scope <code>${escapeText(scope)}</code>`,
    ...(legacy === null ? [] : [`also at <code>${escapeText(legacy)}</code> (deprecated)`]),
  ]
  const given = parameters.map((one) =>
    row(one.name, describedSchema(one), one.required === true ? 'required' : null, one.in),
  )
  return `<section class="operation"><h3 id="${anchor(`${method} ${path}`)}"><a href="#${anchor(`${method} ${path}`)}">${method} ${escapeText(path)}</a></h3>
<p>${escapeText(sentencesOf(operation))} <span class="quiet">(${facts.join('; ')})</span></p>
${given.length === 0 ? '' : `<h4>Parameters</h4>${table(given)}`}
${bodyHtml(operation.requestBody)}
${requestsHtml({ method, path, operation }, server)}
${answersHtml(operation.responses ?? {})}</section>`
}

/** A parameter's description is beside its schema, not in it. */
function describedSchema({ schema, description }: NonNullable<Operation['parameters']>[number]): Schema {
  return { ...schema, ...(description !== undefined && { description }) }
}

function bodyHtml(body: Content | undefined): string {
  return Object.entries(body?.content ?? {})
    .map(([type, { schema }]) => folded(`Body <span class="quiet">${escapeText(type)}</span>`, schema, 'required'))
    .join('')
}

/** Each example of a body, as a command for a shell where a key is all that it needs. */
function requestsHtml(
  { method, path, operation }: Pick<Listed, 'method' | 'path' | 'operation'>,
  server: string,
): string {
  const examples = Object.values(operation.requestBody?.content?.['application/json']?.examples ?? {})
  return examples
    .map(({ summary, value }) => {
      const body = JSON.stringify(value, null, 2)
      const command = [
        `curl -sS${method === 'POST' ? '' : ` -X ${method}`} '${server}${path}'`,
        '-H "X-API-Key: $POSTHORN_KEY"',
        "-H 'Content-Type: application/json'",
        `-d '${body.replaceAll("'", `'\\''`)}'`,
      ]
      const text = operation['x-scope'] === undefined ? body : command.join(' \\\n  ')
      const title = summary === undefined || summary === 'Example' ? 'Example' : `Example: ${summary}`
      return `<details><summary>${escapeText(title)}</summary>${program(text)}</details>`
    })
    .join('')
}

function program(text: string): string {
  return `<pre tabindex="0"><code>${escapeText(text)}</code></pre>`
}

function answersHtml(responses: NonNullable<Operation['responses']>): string {
  const entries = Object.entries(responses)
  const good = entries
    .filter(([status]) => Number(status) < 400)
    .map(([status, { content = {} }]) => {
      const [first] = Object.entries(content)
      const examples = Object.values(first?.[1].examples ?? {}).map(
        ({ summary = '', value }) =>
          `<details><summary>Response ${status}, example: ${escapeText(summary)}</summary>${program(JSON.stringify(value, null, 2))}</details>`,
      )
      return [
        folded(
          `Response ${status}${first === undefined ? '' : ` <span class="quiet">${escapeText(first[0])}</span>`}`,
          first?.[1].schema,
          'always present',
        ),
        ...examples,
      ].join('')
    })
  const bad = entries
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { description = '' }]) => {
      const codes = description.split(', ').map((code) => `<code>${escapeText(code)}</code>`)
      return `<tr><td>${status}</td><td>${codes.join(' ')}</td></tr>`
    })
  const errors =
    bad.length === 0
      ? ''
      : `<details><summary>Errors</summary><div class="scroll" tabindex="0"><table><thead><tr><th>status</th><th>codes</th></tr></thead><tbody>${bad.join('')}</tbody></table></div></details>`
  return good.join('') + errors
}

/** @param must label of a required field */
function folded(title: string, schema: Schema | undefined, must: string): string {
  if (schema === undefined) return `<p>${title}</p>`
  const rows = fieldsOf(schema, { prefix: '', depth: 0, must })
  if (rows.length === 0) return `<p>${title}: ${typeWords(schema)}</p>`
  const name = schema.title === undefined ? '' : ` <code>${escapeText(schema.title)}</code>`
  return `<details><summary>${title}${name}</summary>${table(rows)}</details>`
}

interface Place {
  readonly prefix: string
  readonly depth: number
  readonly must: string
}

/** Rows for an object's fields; the fields of nested objects follow their own row. */
function fieldsOf(schema: Schema, place: Place): readonly string[] {
  const { prefix, depth, must } = place
  if (depth > MAX_DEPTH) return []
  const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((part) => fieldsOf(part, place))
  const below = { ...place, depth: depth + 1 }
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, { ...below, prefix: `${prefix}[]` })
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const named = prefix === '' ? name : `${prefix}.${name}`
    const presence = schema.required?.includes(name) === true ? must : null
    return [row(named, field, presence), ...fieldsOf(field, { ...below, prefix: named })]
  })
  return [...new Set([...parts, ...items, ...fields])]
}

function row(name: string, schema: Schema, must: string | null, place?: string): string {
  const notes = [
    ...(place === undefined ? [] : [`in ${place}`]),
    ...(must === null ? [] : [must]),
    ...new Set(branchesOf(schema).flatMap(limitsOf)),
    ...new Set(
      branchesOf(schema).flatMap(({ description }) => (description === undefined ? [] : [escapeText(description)])),
    ),
  ]
  return `<tr><td><code>${escapeText(name)}</code></td><td>${typeWords(schema)}</td><td>${notes.join('; ')}</td></tr>`
}

function table(rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0"><table><thead><tr><th>name</th><th>type</th><td></td></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function typeWords(schema: Schema): string {
  if (schema.const !== undefined) return `<code>${escapeText(JSON.stringify(schema.const))}</code>`
  if (schema.enum !== undefined) return schema.enum.map((one) => `<code>${escapeText(String(one))}</code>`).join(', ')
  const parts = schema.anyOf ?? schema.allOf
  if (parts !== undefined) return [...new Set(parts.map(typeWords))].join(' or ')
  // A choice of many objects, such as events, is shown by its name: their fields would bury everything else.
  if (schema.oneOf !== undefined)
    return schema.title === undefined ? 'object' : `<code>${escapeText(schema.title)}</code>`
  if (schema.type === 'object' && schema.title !== undefined) return `<code>${escapeText(schema.title)}</code>`
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'anything' : typeWords(schema.items)}`
  if (schema.type === undefined) return schema.properties === undefined ? 'anything' : 'object'
  const type = typeof schema.type === 'string' ? schema.type : schema.type.join(' or ')
  return escapeText(schema.format === undefined ? type : `${type}, ${schema.format}`)
}

/** The schema and its anyOf and allOf branches: a nullable field has its limits in a branch. */
function branchesOf(schema: Schema): readonly Schema[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap(branchesOf)]
}

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const range = (name: string, from: number | undefined, to: number | undefined): string[] => {
    if (from === undefined && to === undefined) return []
    if (from === undefined) return [`${name}at most ${to}`]
    return [to === undefined ? `${name}at least ${from}` : `${name}${from} to ${to}`]
  }
  return [
    ...range('', minimum, maximum),
    ...range('length ', minLength, maxLength),
    ...range('items ', minItems, maxItems),
    ...(schema.default === undefined ? [] : [`default <code>${escapeText(JSON.stringify(schema.default))}</code>`]),
  ]
}

function anchor(text: string): string {
  return attribute(
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, ''),
  )
}
