// A receiver's reply as an email keeps it: whole up to a limit, and one that is cut says so. The attempt and the events have
// it whole.

import { storableText } from '../../platform/db/storable-text.ts'

const MAX_RESPONSE_CHARS = 1_000
const CUT = '…'

/** @returns text that PostgreSQL can store */
export function storedResponse(text: string): string {
  const storable = storableText(text)
  if (storable.length <= MAX_RESPONSE_CHARS) return storable
  return `${storableText(storable, MAX_RESPONSE_CHARS - CUT.length)}${CUT}`
}
