// Schemas as the document shows them: in the form client generators read best, each named schema once under its name.

import { isDeepStrictEqual } from 'node:util'
import { NAME } from './schema-names.ts'

type Node = Readonly<Record<string, unknown>>

const REF = '#/components/schemas/'
const SCALARS = ['string', 'integer', 'number', 'boolean']
/** TypeBox's pattern for the keys of a record: any name. */
const ANY_NAME = '^.*$'

export interface NamedSchemas {
  /** The named schemas found so far, by name, sorted by name. */
  readonly all: () => Readonly<Record<string, object>>
  /** Returns a copy with each named schema replaced by a reference. @throws Error when two different schemas share a name */
  readonly read: <T>(value: T) => T
  readonly add: (name: string, schema: object) => void
}

export function namedSchemas(): NamedSchemas {
  const known = new Map<string, object>()
  const add = (name: string, schema: object): void => {
    const before = known.get(name)
    if (before !== undefined && !isDeepStrictEqual(before, schema))
      throw new Error(`two schemas that differ are called ${name}; give one of them a name of its own`)
    known.set(name, schema)
  }
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read)
    if (value === null || typeof value !== 'object') return value
    const { [NAME]: name, ...own } = value as Node
    const schema = plain(Object.fromEntries(Object.entries(own).map(([key, inner]) => [key, read(inner)])))
    if (typeof name !== 'string') return schema
    add(name, schema)
    return { $ref: REF + name }
  }
  return {
    all: () => Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
    read: read as NamedSchemas['read'],
    add: (name, schema) => add(name, read(schema) as object),
  }
}

/** Simplifies a schema without changing its meaning. Other objects of a document have none of these keys and stay as is. */
function plain(node: Node): Node {
  return orNull(choice(record(withType(node))))
}

/**
 * Adds `type: string` to enumerations of strings and to schemas with a media type, which generators do not infer. Turns a
 * string constant into an enumeration of one, which more of them support.
 */
function withType(node: Node): Node {
  if (node['contentMediaType'] !== undefined) return { type: 'string', ...node }
  const { const: word, ...rest } = node
  if (typeof word === 'string') return { ...rest, type: 'string', enum: [word] }
  const { enum: words } = node
  const isText = Array.isArray(words) && words.every((one) => typeof one === 'string')
  return isText && node['type'] === undefined ? { type: 'string', ...node } : node
}

function record(node: Node): Node {
  const { patternProperties, ...rest } = node
  const values = (patternProperties as Node | undefined)?.[ANY_NAME] ?? rest['additionalProperties']
  const isAny = values !== null && typeof values === 'object' && Object.keys(values).length === 0
  if (patternProperties === undefined && !isAny) return node
  return { ...rest, additionalProperties: isAny ? true : values }
}

/** Flattens nested choices, and merges choices between strings into one enumeration. */
function choice(node: Node): Node {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf)) return node
  const branches = (anyOf as Node[]).flatMap((one) =>
    Array.isArray(one['anyOf']) && Object.keys(one).length === 1 ? (one['anyOf'] as Node[]) : [one],
  )
  const words = branches.flatMap((one) => wordsOf(one) ?? [])
  const [first] = branches.filter((one) => wordsOf(one) !== null)
  const merged = branches.flatMap((one) => {
    if (wordsOf(one) === null) return [one]
    return one === first ? [{ type: 'string', enum: words }] : []
  })
  const [only] = merged
  return merged.length === 1 && only !== undefined ? { ...only, ...rest } : { ...rest, anyOf: merged }
}

/** @returns the strings of an enumeration; null for any other schema, or one with further keys */
function wordsOf({ type, enum: words, ...more }: Node): readonly string[] | null {
  if (Object.keys(more).length > 0 || type !== 'string') return null
  return Array.isArray(words) ? (words as readonly string[]) : null
}

/** JSON Schema 2020-12: null can be one of several types. Not for enumerations, which would have to list null as well. */
function orNull(node: Node): Node {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return node
  const [one, other] = anyOf as [Node, Node]
  if (!isDeepStrictEqual(other, { type: 'null' }) || !SCALARS.includes(one['type'] as string)) return node
  const isMore = 'enum' in one || Object.keys(rest).some((key) => key in one)
  return isMore ? node : { ...one, ...rest, type: [one['type'], 'null'] }
}

/**
 * Inlines every reference, for readers of the document that have no use for names. A named schema gets its name as its
 * title.
 */
export function withoutRefs<Document extends object>(document: Document): Document {
  const found = new Map<string, unknown>()
  const at = (ref: string): unknown => {
    const steps = ref.slice('#/'.length).split('/')
    return steps.reduce<unknown>((inner, step) => (inner as Node | undefined)?.[step], document)
  }
  const target = (ref: string): unknown => {
    if (found.has(ref)) return found.get(ref)
    // Ends the recursion of a schema that refers to itself.
    found.set(ref, {})
    const title = ref.startsWith(REF) ? { title: ref.slice(REF.length) } : {}
    found.set(ref, { ...(follow(at(ref)) as object), ...title })
    return found.get(ref)
  }
  const follow = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(follow)
    if (value === null || typeof value !== 'object') return value
    const { $ref: ref, ...rest } = value as Node
    const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, follow(inner)]))
    return typeof ref === 'string' ? { ...(target(ref) as object), ...own } : own
  }
  return follow(document) as Document
}
