// Decides which parts of a mail belong to the letter and which are files. The service that lists the files and the browser that
// saves one share this code, so it does not depend on Node.

import PostalMime from 'postal-mime'

const NESTING_MOST = 100
const PARTS_MOST = 1_000
/** Lines and line ends that a part has before they are joined. */
const CHUNKS_MOST = 2_048
/** Limit for the headers of all parts together. */
const HEADERS_BYTES = 1_048_576

/** The fields of a parser's part that are used here. */
interface ParserPart {
  content: ArrayBuffer | null
  readonly contentTransferEncoding: { readonly encoding: string }
  readonly parentNode?: ParserPart
  readonly childNodes: readonly ParserPart[]
  readonly contentType: ParserField & { readonly multipart: string | false }
  readonly contentDisposition: ParserField
  readonly contentId?: string
}

interface ParserField {
  readonly parsed: { readonly value: string; readonly params: Readonly<Record<string, string>> }
}

/** Internals of the parser that its types do not declare; the version is pinned. */
interface ParserInternals {
  readonly attachments: readonly { content: ArrayBuffer }[]
  /** The part that lines are read into. */
  readonly currentNode?: { readonly contentDecoder: ParserDecoder | null }
  processLine(line: Uint8Array, isFinal: boolean): Promise<void>
  collectNode(part: ParserPart, ...around: unknown[]): Promise<void>
  collectAttachment(part: ParserPart, content: ArrayBuffer, ...around: unknown[]): void
}
/** Of a part without an encoding, `chunks` holds a line and a line end in turn. */
interface ParserDecoder {
  readonly chunks: (Uint8Array | string)[]
}
const Parser = PostalMime as unknown as new (
  ...options: ConstructorParameters<typeof PostalMime>
) => PostalMime & ParserInternals

/** The message has more parts than any real one, however their boundary is written. */
export class TooManyParts extends Error {}

/**
 * The parser treats every text not marked `attachment` as part of the letter. Here, a text with a name or a Content-ID is a
 * file shown beside the letter (RFC 2183 section 2.1) and is kept whole, unless it is at the position of the letter itself:
 * some programs give that an id as well. It also adds a line end to most parts and changes those of calendars; here, every part
 * has its sender's.
 */
export class MailParser extends Parser {
  readonly #parts = new WeakSet<object>()
  /** The message itself is not counted. */
  #count = -1
  /** For each part, how many of its first chunks are joined lines. */
  readonly #joined = new WeakMap<ParserDecoder, number>()

  constructor() {
    super({
      maxNestingDepth: NESTING_MOST,
      maxHeadersSize: HEADERS_BYTES,
      attachmentEncoding: 'arraybuffer',
      forceRfc822Attachments: true,
    })
  }

  /**
   * The parser's two objects a line take 2 KB: 700 MB for 25 MB of text. So lines are joined while more come in.
   *
   * @throws TooManyParts
   */
  override processLine(line: Uint8Array, isFinal: boolean): Promise<void> {
    this.#countPart()
    const processed = super.processLine(line, isFinal)
    const decoder = this.currentNode?.contentDecoder
    if (decoder != null && decoder.chunks.length >= CHUNKS_MOST) this.#join(decoder)
    return processed
  }

  #countPart(): void {
    const { currentNode: part } = this
    if (part === undefined || this.#parts.has(part)) return
    this.#parts.add(part)
    if (++this.#count > PARTS_MOST) throw new TooManyParts()
  }

  #join(decoder: ParserDecoder): void {
    const { chunks } = decoder
    const done = this.#joined.get(decoder) ?? 0
    if (chunks.length - done < CHUNKS_MOST || chunks.at(-1) !== '\n') return
    chunks.push(joined(chunks.splice(done)))
    this.#joined.set(decoder, done + 1)
  }

  override async collectNode(part: ParserPart, ...around: unknown[]): Promise<void> {
    if (part.content !== null && part.contentType.multipart === false)
      part.content = withoutAddedEnd(part, part.content)
    await super.collectNode(part, ...around)
  }

  override collectAttachment(part: ParserPart, content: ArrayBuffer, ...around: unknown[]): void {
    super.collectAttachment(part, content, ...around)
    const file = this.attachments.at(-1)
    if (file !== undefined) file.content = isEncoded(part) ? content : withCrlf(content)
  }

  /** Overrides an internal method, too. */
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

function joined(chunks: readonly (Uint8Array | string)[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    if (typeof chunk === 'string') bytes[at] = LF
    else bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const LF = 0x0a
const CRLF = [0x0d, LF] as const

/**
 * The parser ends every line with LF, the last one too. That line end is no content: it belongs to the delimiter that follows
 * (RFC 2046 section 5.1.1), or to the transport when it ends the message.
 */
function withoutAddedEnd({ contentTransferEncoding }: ParserPart, content: ArrayBuffer): ArrayBuffer {
  if (contentTransferEncoding.encoding === 'base64') return content
  return new Uint8Array(content).at(-1) === LF ? content.slice(0, -1) : content
}

/** Whether an LF in the decoded part may stand for itself. */
function isEncoded({ contentTransferEncoding }: ParserPart): boolean {
  return contentTransferEncoding.encoding === 'base64' || contentTransferEncoding.encoding === 'quoted-printable'
}

function withCrlf(content: ArrayBuffer): ArrayBuffer {
  const bytes = new Uint8Array(content)
  let feeds = 0
  for (const byte of bytes) if (byte === LF) feeds++
  const out = new Uint8Array(bytes.length + feeds)
  let at = 0
  for (const byte of bytes) {
    if (byte === LF) {
      out.set(CRLF, at)
      at += CRLF.length
    } else out[at++] = byte
  }
  return out.buffer
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
