// The files that a mail brings along, taken out of its source as it was sent: the API says which there are, and what the mail
// has of them may stand in another order. Knows nothing of the browser.

import { MailParser } from '../../src/mail/mail-parser.ts'

/** As the API tells of it. */
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

/** From the surest on: a Content-ID is written otherwise where it cannot be sent as it is, and a message's lines are ended anew. */
const ALIKE: readonly ((listed: Listed, found: Found) => boolean)[] = [
  (listed, found) => nameIs(listed, found) && idIs(listed, found) && listed.size === found.content.length,
  (listed, found) => nameIs(listed, found) && listed.size === found.content.length,
  (listed, found) => nameIs(listed, found) && idIs(listed, found),
]

/** @returns what is in the file that stands in the list at `place`; null where the source has none like it */
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
    // Of several that nothing tells apart, the one that comes as late.
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

/** What it is saved as: its own name, or one made for it. The browser takes a path away. */
export function savedAs({ filename, content_type: type }: Listed, place: number): string {
  if (filename !== null && filename.trim() !== '') return filename
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const ending = ENDINGS[bare] ?? /^image\/([a-z]{2,5})$/.exec(bare)?.[1] ?? 'bin'
  return `attachment-${place + 1}.${ending}`
}
