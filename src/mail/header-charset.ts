// Text that stands in header fields in bare bytes (RFC 5322 allows ASCII alone, RFC 6532 UTF-8; old programs write whatever
// charset their letter is in).
//
// It is UTF-8 where it can be. Else it is in the charset that the message names for its text, the first that says more than
// ASCII and UTF-8 do; what has not these bytes, or no name, is windows-1252, as the Encoding standard takes Latin-1 to be. That
// has all bytes; five of them are controls, which no header of ours can say.

import { isUtf8 } from 'node:buffer'
import { fieldValue, parseHeaderBlock, type RawField } from './headers.ts'
import { boundaryOf, headerWithin, partsBetween, type ReadingBudget, readingBudget } from './multipart.ts'

/** A field's value on one line: line ends removed, blanks around dropped. */
export type FieldText = (field: RawField) => string

type Decoder = InstanceType<typeof TextDecoder>

const NESTING_MOST = 20
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]{1,40})/i
const WESTERN = new TextDecoder('windows-1252')

/** @param message whole: for bytes that are not UTF-8 its parts are looked at, once */
export function fieldTexts(message: Buffer): FieldText {
  let named: Decoder | null | undefined
  return (field) => {
    const bytes = message.subarray(field.valueStart, field.end)
    if (isUtf8(bytes)) return fieldValue(message, field)
    if (named === undefined) named = decoderNamed(message, readingBudget(), 0)
    return decoded(bytes, named ?? WESTERN)
      .replace(/\r?\n/g, '')
      .trim()
  }
}

function decoded(bytes: Buffer, decoder: Decoder): string {
  try {
    return decoder.decode(bytes)
  } catch {
    return WESTERN.decode(bytes)
  }
}

/** Of an entity, or of the first text below it that names one; null: none does. */
function decoderNamed(entity: Buffer, budget: ReadingBudget, depth: number): Decoder | null {
  const head = depth === 0 ? parseHeaderBlock(entity) : headerWithin(entity, budget)
  const field = head?.fields.find(({ key }) => key === 'content-type')
  if (head === null || field === undefined) return null
  const type = fieldValue(entity, field)
  if (!/^(?:text|multipart)\//i.test(type)) return null
  const decoder = decoderOf(CHARSET.exec(type)?.[1] ?? 'us-ascii')
  const boundary = /^multipart/i.test(type) ? boundaryOf(type) : null
  if (decoder !== null || boundary === null || depth === NESTING_MOST) return decoder
  const body = entity.subarray(head.bodyStart)
  for (const { start, end } of partsBetween(body, boundary, budget)) {
    const below = decoderNamed(body.subarray(start, end), budget, depth + 1)
    if (below !== null) return below
  }
  return null
}

/** @returns null: no bytes that are not UTF-8 are in it, or nobody knows it */
function decoderOf(name: string): Decoder | null {
  if (/^(?:us-)?ascii$/i.test(name)) return null
  try {
    const decoder = new TextDecoder(name, { fatal: true })
    return decoder.encoding.startsWith('utf-') ? null : decoder
  } catch {
    return null
  }
}
