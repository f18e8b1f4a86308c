// The heads of requests that the quick lane answers (lane.ts): a plain GET of a path of words, in HTTP/1.1 (RFC 9112),
// kept alive, without a body. Whoever says anything more, or says it in another way, is left to Node's parser: null.

export interface LaneHead {
  /** Up to and with the last slash. */
  readonly folder: string
  readonly name: string
  readonly userAgent: string | undefined
  readonly forwardedFor: string | undefined
}

export const MAX_HEAD_BYTES = 16_384
const MAX_FIELDS = 64
// One head and nothing behind it: a field's value holds no CR and no LF, so the empty line is the end.
const HEAD = /^GET (\/[\w/-]*\/)([\w-]+) HTTP\/1\.1\r\n((?:[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+)\r\n$/
/** Fields that make a request more than a plain one, or that its answer must heed. */
const MORE: ReadonlySet<string> = new Set([
  'content-length',
  'expect',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
])

/** @param text each byte one character */
export function laneHeadOf(text: string): LaneHead | null {
  const match = text.length > MAX_HEAD_BYTES ? null : HEAD.exec(text)
  if (match === null) return null
  const [, folder = '', name = '', fields = ''] = match
  let hosts = 0
  let userAgent: string | undefined
  let forwardedFor: string | undefined
  let count = 0
  for (let at = 0; at < fields.length; ) {
    const end = fields.indexOf('\r\n', at)
    const colon = fields.indexOf(':', at)
    const field = fields.slice(at, colon).toLowerCase()
    const value = fields.slice(colon + 1, end).replace(/^[ \t]+|[ \t]+$/g, '')
    at = end + 2
    if (++count > MAX_FIELDS || MORE.has(field)) return null
    if (field === 'host') hosts++
    else if (field === 'user-agent') userAgent ??= value
    else if (field === 'x-forwarded-for') {
      if (forwardedFor !== undefined) return null
      forwardedFor = value
    } else if (field === 'connection' && value.toLowerCase() !== 'keep-alive') return null
  }
  return hosts === 1 ? { folder, name, userAgent, forwardedFor } : null
}
