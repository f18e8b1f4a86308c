// The names of schemas. A name stands in the schema where it is declared; the document has the schema once, under its name,
// and refers to it wherever it stands. Nothing is held against a name, so what the service takes and answers is as without.

import type { TSchema } from 'typebox'

export const NAME = 'x-name'

/** The same schema with a name: that of a thing of the trade, in capitals and small letters, as a generated client has it. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  const kept = Object.getOwnPropertyDescriptors(schema)
  return Object.defineProperties({}, { ...kept, [NAME]: { value: name, enumerable: true } }) as Schema
}

/** Of what is made of another schema alone: `Email` becomes `EmailList`. What is made of a nameless one has no name. */
export function namedAfter<Schema extends TSchema>(origin: TSchema, suffix: string, schema: Schema): Schema {
  const name = (origin as { readonly [NAME]?: string })[NAME]
  return name === undefined ? schema : named(name + suffix, schema)
}
