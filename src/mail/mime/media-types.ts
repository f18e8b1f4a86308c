// Media types of attachments (RFC 2045 section 5.1, RFC 6838 section 4.2): parsed if given, else derived from the file name.
// Mail programs show and open a file by its type; they offer octets only for download.

import { isAscii, isUtf8 } from 'node:buffer'

export interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly type: string
  /** In the order given, each name once, in lower case, without RFC 2231 parameters (`name*`). */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

export const OCTETS = 'application/octet-stream'

const NAMES = /^([a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126})[ \t]*/i
const PARAMETER = /^;[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)=(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*/i

/** @returns null when the text is not a media type: other characters, a line end, half a parameter */
export function parseMediaType(text: string): MediaType | null {
  const given = text.trim()
  const [head = '', type = ''] = NAMES.exec(given) ?? []
  if (type === '' || /[^\x20-\x7e\t]/.test(given)) return null
  const parameters = new Map<string, string>()
  let rest = given.slice(head.length)
  while (rest !== '') {
    const [all, name = '', token, quoted = ''] = PARAMETER.exec(rest) ?? []
    if (all === undefined) return null
    const key = name.toLowerCase()
    if (key !== '' && !key.includes('*') && !parameters.has(key))
      parameters.set(key, token ?? quoted.replace(/\\(.)/g, '$1'))
    rest = rest.slice(all.length)
  }
  return { type: type.toLowerCase(), parameters: [...parameters] }
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument'

/** Types of common attachments by file name extension. Without programs, which stay octets. */
const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['7z', 'application/x-7z-compressed'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', `${OFFICE}.wordprocessingml.document`],
  ['epub', 'application/epub+zip'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['heic', 'image/heic'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['ics', 'text/calendar'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json'],
  ['log', 'text/plain'],
  ['m4a', 'audio/mp4'],
  ['md', 'text/markdown'],
  ['mov', 'video/quicktime'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['odp', `${OPEN_DOCUMENT}.presentation`],
  ['ods', `${OPEN_DOCUMENT}.spreadsheet`],
  ['odt', `${OPEN_DOCUMENT}.text`],
  ['ogg', 'audio/ogg'],
  ['pdf', 'application/pdf'],
  ['pkpass', 'application/vnd.apple.pkpass'],
  ['png', 'image/png'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', `${OFFICE}.presentationml.presentation`],
  ['rtf', 'application/rtf'],
  ['svg', 'image/svg+xml'],
  ['tar', 'application/x-tar'],
  ['tif', 'image/tiff'],
  ['tiff', 'image/tiff'],
  ['txt', 'text/plain'],
  ['vcf', 'text/vcard'],
  ['wav', 'audio/wav'],
  ['webm', 'video/webm'],
  ['webp', 'image/webp'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', `${OFFICE}.spreadsheetml.sheet`],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
])

/**
 * The type of a file that was given none; octets for an unknown extension. Non-ASCII UTF-8 text gets a charset, because
 * text without one counts as ASCII (RFC 2046 section 4.1.2).
 */
export function mediaTypeOf(filename: string, content: Buffer): string {
  const [, ending = ''] = /\.([a-z0-9]{1,8})$/i.exec(filename.trim()) ?? []
  const type = BY_ENDING.get(ending.toLowerCase()) ?? OCTETS
  return type.startsWith('text/') && !isAscii(content) && isUtf8(content) ? `${type}; charset=utf-8` : type
}
