// Decides which parts of a mail belong to the letter and which are files. The service that lists the files and the browser that
// saves one share this code, so it does not depend on Node.

import PostalMime from 'postal-mime'

const NESTING_MOST = 100
/** Limit for the headers of all parts together. */
const HEADERS_BYTES = 1_048_576

/** The fields of a parser's part that are used here. */
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
 * The parser treats every text not marked `attachment` as part of the letter. Here, a text with a name or a Content-ID is a
 * file shown beside the letter (RFC 2183 section 2.1) and is kept whole, unless it is at the position of the letter itself:
 * some programs give that an id as well.
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

  /** Overrides an internal method of the parser that its types do not declare; the version is pinned. */
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

/** Whether a part is the whole message, the first part of its multiparts, or one of several alternatives. */
function isLetter(part: ParserPart): boolean {
  for (let at = part; at.parentNode !== undefined; at = at.parentNode) {
    if (at.parentNode.contentType.multipart === 'alternative') return true
    if (at.parentNode.childNodes[0] !== at) return false
  }
  return true
}
