// Replaces `cid:` references in html (RFC 2392 section 2) with the images enclosed in the mail, for display in a frame that may
// load nothing. A reference to a missing part, or to one that is not an image, stays as it is.

export interface Enclosed {
  /** Without angle brackets. */
  readonly contentId: string | null
  readonly contentType: string
  readonly content: Buffer
}

/** 25 MB as base64, enough for each image once. Html that repeats a reference could otherwise outgrow any mail. */
const INLINED_CHARS_MOST = 35_000_000
/** Matches a `cid:` address in an attribute or in `url()` of a style, not in the text of a mail. */
const REFERENCE = /(?<=["'(=;])cid:([^\s"'<>()&;]+(?:&amp;[^\s"'<>()&;]+)*)/gi
/** Allows no character that could end the attribute around it. */
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
