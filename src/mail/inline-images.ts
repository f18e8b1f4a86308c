// The pictures that a mail brings along, put into its html where that names them (RFC 2392 section 2): for a frame that may load
// nothing. What is named and is no picture, or is not there, stays as it is written.

export interface Enclosed {
  /** Without angle brackets. */
  readonly contentId: string | null
  readonly contentType: string
  readonly content: Buffer
}

/** 25 MB as base64: each picture once. One that html names again and again would make it larger than any mail can be. */
const INLINED_CHARS_MOST = 35_000_000
/** An address, where html has one: in an attribute or in `url()` of a style; not the words of a letter. */
const REFERENCE = /(?<=["'(=;])cid:([^\s"'<>()&;]+(?:&amp;[^\s"'<>()&;]+)*)/gi
/** Nothing that could end the attribute that it comes to stand in. */
const PICTURE = /^image\/[\w.+-]+/i

export function withInlineImages(html: string, enclosed: readonly Enclosed[]): string {
  const pictures = new Map<string, Enclosed>()
  for (const part of enclosed.toReversed())
    if (part.contentId !== null && PICTURE.test(part.contentType)) pictures.set(part.contentId, part)
  if (pictures.size === 0) return html
  const addresses = new Map<Enclosed, string>()
  let left = INLINED_CHARS_MOST
  return html.replaceAll(REFERENCE, (written, name: string) => {
    const picture = pictures.get(idOf(name))
    if (picture === undefined) return written
    const address = addresses.get(picture) ?? dataAddress(picture)
    addresses.set(picture, address)
    if (address.length > left) return written
    left -= address.length
    return address
  })
}

function idOf(name: string): string {
  const text = name.replaceAll('&amp;', '&')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function dataAddress({ contentType, content }: Enclosed): string {
  const [type = ''] = PICTURE.exec(contentType) ?? []
  return `data:${type.toLowerCase()};base64,${content.toString('base64')}`
}
