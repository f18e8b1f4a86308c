// The format of stored content: one byte of version, four bytes with the length of the head, the head as JSON, then the texts
// and attachments as they are. The head holds the length of each part, so large parts are never copied into JSON.

import type { ComposedContent, Content, StoredAttachment, SubmittedContent } from './types.ts'

const VERSION = 1
const HEAD_OFFSET = 5

interface Head {
  readonly kind: Content['kind']
  /** The lengths of the parts after the head, in order. */
  readonly lengths: readonly number[]
  readonly fields: Record<string, unknown>
}

export function encodeContent(content: Content): Buffer {
  return Buffer.concat(contentStretches(content))
}

/** The bytes of `encodeContent` as consecutive stretches: attachments and messages are not copied. */
export function contentStretches(content: Content): readonly Buffer[] {
  if (content.kind === 'submitted') {
    const { message, ...fields } = content
    return encode({ kind: 'submitted', lengths: [message.length], fields }, [message])
  }
  const { html, text, attachments, ...fields } = content
  const texts = [html, text].map((part) => (part === null ? null : Buffer.from(part)))
  const parts = [...texts.filter((part) => part !== null), ...attachments.map((attachment) => attachment.content)]
  const heads = attachments.map(({ content: _, ...rest }) => rest)
  return encode(
    {
      kind: 'composed',
      lengths: parts.map((part) => part.length),
      fields: { ...fields, html: html !== null, text: text !== null, attachments: heads },
    },
    parts,
  )
}

function encode(head: Head, parts: readonly Buffer[]): readonly Buffer[] {
  const json = JSON.stringify(head)
  const jsonBytes = Buffer.byteLength(json)
  const first = Buffer.allocUnsafe(HEAD_OFFSET + jsonBytes)
  first.writeUInt8(VERSION, 0)
  first.writeUInt32BE(jsonBytes, 1)
  first.write(json, HEAD_OFFSET)
  return [first, ...parts]
}

/** @throws when the bytes are not content stored by this version */
export function decodeContent(bytes: Buffer): Content {
  if (bytes[0] !== VERSION) throw new Error(`content of unknown version ${bytes[0]}`)
  const headEnd = HEAD_OFFSET + bytes.readUInt32BE(1)
  const head = JSON.parse(bytes.toString('utf8', HEAD_OFFSET, headEnd)) as Head
  const parts = partsOf(bytes, headEnd, head.lengths)
  if (head.kind === 'submitted') {
    return { ...(head.fields as unknown as SubmittedContent), message: parts.shift() ?? Buffer.alloc(0) }
  }
  const fields = head.fields as unknown as Omit<ComposedContent, 'html' | 'text' | 'attachments'> & {
    readonly html: boolean
    readonly text: boolean
    readonly attachments: readonly Omit<StoredAttachment, 'content'>[]
  }
  const html = fields.html ? (parts.shift()?.toString('utf8') ?? '') : null
  const text = fields.text ? (parts.shift()?.toString('utf8') ?? '') : null
  const attachments = fields.attachments.map((rest) => ({ ...rest, content: parts.shift() ?? Buffer.alloc(0) }))
  return { ...fields, html, text, attachments }
}

function partsOf(bytes: Buffer, start: number, lengths: readonly number[]): Buffer[] {
  let offset = start
  const parts = lengths.map((length) => bytes.subarray(offset, (offset += length)))
  if (offset !== bytes.length) throw new Error('stored content is torn')
  return parts
}
