// The document of the API as tests read it: each reference followed, so that a schema stands where it is meant.

import { withoutRefs } from '../src/platform/http/openapi-schemas.ts'
import type { Reply } from './world.ts'

/** What a reader needs of a schema. */
export interface Typed {
  readonly type?: string | readonly string[]
}

interface Asks {
  get(path: string): Promise<Reply>
}

// biome-ignore lint/suspicious/noExplicitAny: every part of the document is looked into
export async function documentOf(api: Asks): Promise<any> {
  return withoutRefs((await api.get('/openapi.json')).body)
}

/** Whether a value of this type fits: one that may be null has several. */
export function isOfType({ type }: Typed, name: string): boolean {
  return typeof type === 'string' ? type === name : type?.includes(name) === true
}
