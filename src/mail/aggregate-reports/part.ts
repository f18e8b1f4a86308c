// What aggregate reports about TLS and DMARC have in common: they come as a part of a mail, packed, from anyone who has read
// the report address in the DNS. So reading is bounded: 5 levels and 50 parts of a mail, 64 KB of a part's header, 10 MB packed,
// 10 MB and a hundred times as much unpacked. Texts are cut. Nothing is fetched.

import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { fieldValue, parseHeaderBlock } from '../mime/headers.ts'
import { boundaryOf, partsBetween, type ReadingBudget, readingBudget } from '../mime/multipart.ts'

const LEVELS_MOST = 5
const PARTS_MOST = 50
const HEADER_BYTES = 65_536
const PACKED_BYTES = 10 * 1_048_576
const UNPACKED_BYTES = 10 * 1_048_576
const RATIO_MOST = 100
/** What a report that packs well may unpack to in any case. */
const SMALL_BYTES = 1_048_576
const TEXT_CHARS = 255

export interface ReportForm<Report> {
  /** The media types that a report may have. */
  readonly types: RegExp
  /** @returns null when the bytes are no report. Never throws */
  readonly parse: (bytes: Buffer) => Report | null
}

/** The first part of a mail that is a report; null when there is none. Never throws. @param raw the mail as received */
export function reportIn<Report>(raw: Buffer, form: ReportForm<Report>): Report | null {
  return reportInEntity(raw, form, 0, { parts: PARTS_MOST, budget: readingBudget() })
}

function reportInEntity<Report>(
  entity: Buffer,
  form: ReportForm<Report>,
  level: number,
  left: { parts: number; readonly budget: ReadingBudget },
): Report | null {
  if (left.parts-- <= 0) return null
  const { fields, bodyStart } = parseHeaderBlock(entity, HEADER_BYTES)
  const value = (key: string): string => {
    const field = fields.find((one) => one.key === key)
    return field === undefined ? '' : fieldValue(entity, field).slice(0, 1_000)
  }
  const content = value('content-type')
  const type = (content.split(';', 1)[0] ?? '').trim().toLowerCase()
  const body = entity.subarray(bodyStart)
  if (type.startsWith('multipart/')) {
    const boundary = level < LEVELS_MOST ? boundaryOf(content) : null
    if (boundary === null) return null
    for (const { start, end } of partsBetween(body, boundary, left.budget)) {
      const found = reportInEntity(body.subarray(start, end), form, level + 1, left)
      if (found !== null) return found
    }
    return null
  }
  if (!form.types.test(type)) return null
  const isBase64 = value('content-transfer-encoding').trim().toLowerCase() === 'base64'
  const bytes = isBase64 ? Buffer.from(body.toString('latin1', 0, PACKED_BYTES * 2), 'base64') : body
  return bytes.length > PACKED_BYTES ? null : form.parse(bytes)
}

/**
 * The content of what is attached: gzip, the first file of a zip archive, or the bytes as they are. The names in an archive are
 * not looked at. Null when it unpacks to too much. @throws when the bytes are damaged
 */
export function unpacked(bytes: Buffer): Buffer | null {
  const most = Math.min(UNPACKED_BYTES, Math.max(SMALL_BYTES, bytes.length * RATIO_MOST))
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, { maxOutputLength: most })
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') return bytes
  let files = 0
  // A file takes the size that the archive states, so a wrong one truncates it.
  const [content] = Object.values(
    unzipSync(bytes, { filter: ({ originalSize }) => files++ === 0 && originalSize <= most }),
  )
  return content === undefined ? null : Buffer.from(content.buffer, content.byteOffset, content.length)
}

/** Cleans a text for the database and for display; null for anything but a string. */
export function reportText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  const clean = value.slice(0, TEXT_CHARS).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
  return clean.toWellFormed().trim()
}

/** A domain name as it is stored: in lower case, without a final dot. */
export function reportDomain(text: string): string {
  return text.slice(0, TEXT_CHARS).trim().toLowerCase().replace(/\.$/, '')
}
