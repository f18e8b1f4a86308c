// Parses the heads of requests that the fast path answers (fast-path.ts): a plain GET of a path of words, in HTTP/1.1 (RFC
// 9112), kept alive, without a body. Anything more, or written in another way, is null and left to Node's parser.

export interface FastPathHead {
  /** Path up to and including the last slash. */
  readonly folder: string
  readonly name: string
  readonly host: string
  readonly userAgent: string | undefined
  readonly forwardedFor: string | undefined
}

export const MAX_HEAD_BYTES = 16_384
const MAX_FIELDS = 64
const NAME = /^[\w-]+$/
const FOLDER = /^\/(?:[\w/-]*\/)?$/
// One head and nothing after it: a field value holds no CR and no LF, so the empty line is the end.
const FIELDS = /^(?:[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+\r\n$/
const METHOD = 'GET '
const VERSION = ' HTTP/1.1\r\n'
/** Fields that make a request more than a plain one, or that its answer must take into account. */
const MORE: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'proxy-connection',
  'purpose',
  'sec-purpose',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-moz',
  'x-purpose',
  'x-request-id',
])
/** Number of heads whose parsed fields are cached; longer heads are not. */
const MAX_KNOWN = 256
const MAX_KNOWN_CHARS = 1_024

type Fields = Pick<FastPathHead, 'host' | 'userAgent' | 'forwardedFor'>

/**
 * Makes a parser of heads. Mail programs and proxies send the same fields each time, so parsed fields are cached.
 *
 * @returns parses a text in which each character is one byte
 */
export function fastPathHeads(): (text: string) => FastPathHead | null {
  const known = new Map<string, Fields | null>()
  const fieldsIn = (text: string): Fields | null => {
    const found = known.get(text)
    if (found !== undefined) return found
    const read = fieldsOf(text)
    if (text.length > MAX_KNOWN_CHARS || read?.forwardedFor !== undefined) return read
    if (known.size === MAX_KNOWN) known.clear()
    known.set(text, read)
    return read
  }
  return (text) => {
    if (text.length > MAX_HEAD_BYTES || !text.startsWith(METHOD)) return null
    const end = text.indexOf(VERSION)
    const slash = text.lastIndexOf('/', end - 1)
    if (end === -1 || slash < METHOD.length) return null
    const folder = text.slice(METHOD.length, slash + 1)
    const name = text.slice(slash + 1, end)
    if (!NAME.test(name) || !FOLDER.test(folder)) return null
    const fields = fieldsIn(text.slice(end + VERSION.length))
    if (fields === null) return null
    return { folder, name, host: fields.host, userAgent: fields.userAgent, forwardedFor: fields.forwardedFor }
  }
}

function fieldsOf(fields: string): Fields | null {
  if (!FIELDS.test(fields)) return null
  let host: string | undefined
  let userAgent: string | undefined
  let forwardedFor: string | undefined
  let count = 0
  for (let at = 0; at < fields.length - 2; ) {
    const end = fields.indexOf('\r\n', at)
    const colon = fields.indexOf(':', at)
    const field = fields.slice(at, colon).toLowerCase()
    const value = fields.slice(colon + 1, end).replace(/^[ \t]+|[ \t]+$/g, '')
    at = end + 2
    if (++count > MAX_FIELDS || MORE.has(field)) return null
    if (field === 'host') {
      if (host !== undefined) return null
      host = value
    } else if (field === 'user-agent') userAgent ??= value
    else if (field === 'x-forwarded-for') {
      if (forwardedFor !== undefined) return null
      forwardedFor = value
    } else if (field === 'connection' && value.toLowerCase() !== 'keep-alive') return null
  }
  return host === undefined ? null : { host, userAgent, forwardedFor }
}
