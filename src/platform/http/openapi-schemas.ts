// Schemas as the document has them: said as generators of clients read them best, each that has a name once under it.

import { isDeepStrictEqual } from 'node:util'
import { NAME } from './names.ts'

type Node = Readonly<Record<string, unknown>>

const REF = '#/components/schemas/'
const SCALARS = ['string', 'integer', 'number', 'boolean']
/** What TypeBox makes of a record: every name. */
const ANY_NAME = '^.*$'

export interface NamedSchemas {
  /** What was named in all that was read so far, by name, in the order of names. */
  readonly all: () => Readonly<Record<string, object>>
  /** The same, with a reference in place of each schema that has a name. @throws Error: two that differ have one name */
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

/** The same as it is said in fewer words. Other objects of a document have none of these keys and stay as they are. */
function plain(node: Node): Node {
  return orNull(choice(record(withType(node))))
}

/**
 * Words alone do not tell a generator what they are, nor does a media type; an enumeration of one word is read by more of
 * them than a constant.
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

/** A choice between choices is one; one between words is an enumeration. */
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

/** @returns null: it is something else, or says more of itself */
function wordsOf({ type, enum: words, ...more }: Node): readonly string[] | null {
  if (Object.keys(more).length > 0 || type !== 'string') return null
  return Array.isArray(words) ? (words as readonly string[]) : null
}

/** JSON Schema 2020-12: null is a type beside others. An enumeration would have to name it as a value too. */
function orNull(node: Node): Node {
  const { anyOf, ...rest } = node
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return node
  const [one, other] = anyOf as [Node, Node]
  if (!isDeepStrictEqual(other, { type: 'null' }) || !SCALARS.includes(one['type'] as string)) return node
  const isMore = 'enum' in one || Object.keys(rest).some((key) => key in one)
  return isMore ? node : { ...one, ...rest, type: [one['type'], 'null'] }
}

/**
 * The document with each reference followed: what readers of it go by, who want to know nothing of names. A schema that
 * had one has it as its title.
 */
export function withoutRefs<Document extends object>(document: Document): Document {
  const found = new Map<string, unknown>()
  const at = (ref: string): unknown => {
    const steps = ref.slice('#/'.length).split('/')
    return steps.reduce<unknown>((inner, step) => (inner as Node | undefined)?.[step], document)
  }
  const target = (ref: string): unknown => {
    if (found.has(ref)) return found.get(ref)
    // Whoever refers to itself ends here.
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
