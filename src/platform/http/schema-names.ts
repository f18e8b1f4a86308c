// Names of schemas. A schema carries its name where it is declared. The document holds the schema once, under that name,
// and refers to it everywhere else. Validation ignores names, so they do not change what is accepted or answered.

import type { TSchema } from 'typebox'

export const NAME = 'x-name'

/** Gives a schema a name: a domain term in PascalCase, as a generated client will show it. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  const kept = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties({}, { ...kept, [NAME]: { value: name, enumerable: true } }) as Schema
}

/** Names a schema derived from another: `Email` becomes `EmailList`. It stays unnamed when the other has no name. */
export function namedAfter<Schema extends TSchema>(origin: TSchema, suffix: string, schema: Schema): Schema {
  const name = (origin as { readonly [NAME]?: string })[NAME]
  return name === undefined ? schema : named(name + suffix, schema)
}
