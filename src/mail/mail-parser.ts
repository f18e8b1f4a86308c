// What takes a mail for its letter and what for a file beside it: the service that tells of the files and the browser that saves
// one read a message alike. Knows nothing of Node.

import PostalMime from 'postal-mime'

const NESTING_MOST = 100
/** Of all parts together. */
const HEADERS_BYTES = 1_048_576

/** What is read here of a part of the parser's. */
interface ParserPart {
  readonly parentNode?: ParserPart
  readonly childNodes: readonly ParserPart[]
  readonly contentType: ParserField & { readonly multipart: string | false }
  readonly contentDisposition: ParserField
  readonly contentId?: string
}

interface ParserField {
  readonly parsed: { readonly value: string; readonly params: Readonly<Record<string, string>> }
}

/**
 * The parser takes every text that is not marked `attachment` for a piece of the letter. One that has a name or a Content-ID
 * is a file that is shown beside it (RFC 2183 section 2.1) and stays whole, but for where the letter itself stands: some
 * programs give that an id as well.
 */
export class MailParser extends PostalMime {
  constructor() {
    super({
      maxNestingDepth: NESTING_MOST,
      maxHeadersSize: HEADERS_BYTES,
      attachmentEncoding: 'arraybuffer',
      forceRfc822Attachments: true,
    })
  }

  /** A method of the parser's own that its types do not tell of; the version is pinned. */
  isInlineTextNode(part: ParserPart): boolean {
    const { contentType, contentDisposition } = part
    const type = contentType.parsed.value
    if ((type !== 'text/html' && type !== 'text/plain') || contentDisposition.parsed.value === 'attachment')
      return false
    const isFile =
      hasValue(contentDisposition.parsed.params['filename']) ||
      hasValue(contentType.parsed.params['name']) ||
      hasValue(part.contentId)
    return !isFile || isLetter(part)
  }
}

function hasValue(text: string | undefined): boolean {
  return text !== undefined && text !== ''
}

/** All of a message, the first part of a multipart, or one way of several to say it. */
function isLetter(part: ParserPart): boolean {
  for (let at = part; at.parentNode !== undefined; at = at.parentNode) {
    if (at.parentNode.contentType.multipart === 'alternative') return true
    if (at.parentNode.childNodes[0] !== at) return false
  }
  return true
}
