// Extracts an email's files from its source as it was sent: the API lists them, possibly in another order than the source.
// Independent of the browser.

import { MailParser } from '../../../src/mail/mime/mail-parser.ts'

/** As listed by the API. */
export interface Listed {
  readonly filename: string | null
  readonly content_type: string
  readonly content_id: string | null
  /** Bytes. */
  readonly size: number
}

interface Found {
  readonly filename: string | null
  readonly contentId: string | null
  readonly content: Uint8Array<ArrayBuffer>
}

/** From the most certain on: a Content-ID may be re-encoded, and an attached message gets new line ends. */
const ALIKE: readonly ((listed: Listed, found: Found) => boolean)[] = [
  (listed, found) => nameIs(listed, found) && idIs(listed, found) && listed.size === found.content.length,
  (listed, found) => nameIs(listed, found) && listed.size === found.content.length,
  (listed, found) => nameIs(listed, found) && idIs(listed, found),
]

/** @returns the content of the file at `place` in the list; null when the source has no such file */
export async function fileIn(
  source: Uint8Array<ArrayBuffer>,
  list: readonly Listed[],
  place: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const found = await filesIn(source)
  const wanted = list[place]
  if (wanted === undefined) return null
  for (const isAlike of ALIKE) {
    const alike = found.filter((one) => isAlike(wanted, one))
    // Of several indistinguishable ones, the one at the same position.
    const before = list.slice(0, place).filter((one) => alike.some((file) => isAlike(one, file))).length
    const file = alike[before] ?? alike.at(-1)
    if (file !== undefined) return file.content
  }
  return null
}

async function filesIn(source: Uint8Array<ArrayBuffer>): Promise<readonly Found[]> {
  const { attachments } = await new MailParser().parse(source)
  return attachments.map(({ filename, contentId, content }) => ({
    filename,
    contentId: contentId?.replace(/^<|>$/g, '') ?? null,
    content: typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content),
  }))
}

function nameIs({ filename }: Listed, found: Found): boolean {
  return (filename ?? '') === (found.filename ?? '')
}

function idIs({ content_id: id }: Listed, { contentId }: Found): boolean {
  return (id ?? '') === (contentId ?? '')
}

const ENDINGS: Readonly<Record<string, string>> = {
  'message/rfc822': 'eml',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/calendar': 'ics',
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
}

/** File name for saving: its own name or a generated one. The browser removes a path. */
export function savedAs({ filename, content_type: type }: Listed, place: number): string {
  if (filename !== null && filename.trim() !== '') return filename
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const ending = ENDINGS[bare] ?? /^image\/([a-z]{2,5})$/.exec(bare)?.[1] ?? 'bin'
  return `attachment-${place + 1}.${ending}`
}
