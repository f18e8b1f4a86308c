// The API document as tests read it: with every reference replaced by the schema it refers to.

import { withoutRefs } from '../../src/platform/http/openapi-schemas.ts'
import type { Reply } from './world.ts'

/** The part of a schema that tests read. */
export interface Typed {
  readonly type?: string | readonly string[]
}

interface Asks {
  get(path: string): Promise<Reply>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read every part of the document
export async function documentOf(api: Asks): Promise<any> {
  return withoutRefs((await api.get('/openapi.json')).body)
}

/** Whether the schema allows values of this type: a nullable one has several types. */
export function isOfType({ type }: Typed, name: string): boolean {
  return typeof type === 'string' ? type === name : type?.includes(name) === true
}
