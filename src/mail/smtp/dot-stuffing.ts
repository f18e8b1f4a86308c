// Transparency of message data (RFC 5321 section 4.5.2): what goes over the wire between DATA and the reply to the final dot.

const DOT = Buffer.from('.')
const FINAL_DOT = Buffer.from('.\r\n')
const CRLF_FINAL_DOT = Buffer.from('\r\n.\r\n')
/** Each doubled dot adds two slices. A slice costs 128 bytes and a write, so beyond this limit a copy is cheaper. */
const SLICES_MOST = 2_000

/**
 * The message with leading dots doubled (RFC 5321 section 4.5.2) and the final dot, as slices of the given buffer. A dot
 * after a bare CR or LF is doubled as well, so that a lenient server does not take it for the end of data. Almost no message
 * has a leading dot, which two native searches establish. A message with very many of them is copied instead.
 */
export function wireParts(message: Buffer): readonly Buffer[] {
  const ended = message.length === 0 || (message[message.length - 1] === 0x0a && message[message.length - 2] === 0x0d)
  const final = ended ? FINAL_DOT : CRLF_FINAL_DOT
  const parts: Buffer[] = []
  let done = 0
  if (message[0] === 0x2e) parts.push(DOT)
  let afterLf = message.indexOf('\n.')
  let afterCr = message.indexOf('\r.')
  while (afterLf !== -1 || afterCr !== -1) {
    const found = afterCr === -1 || (afterLf !== -1 && afterLf < afterCr) ? afterLf : afterCr
    if (parts.length >= SLICES_MOST) return [withDotsDoubled(message), final]
    parts.push(message.subarray(done, found + 1), DOT)
    done = found + 1
    if (found === afterLf) afterLf = message.indexOf('\n.', done)
    else afterCr = message.indexOf('\r.', done)
  }
  if (done < message.length) parts.push(done === 0 ? message : message.subarray(done))
  parts.push(final)
  return parts
}

/** Works byte by byte: with few bytes between dots, a search would cost more. */
function withDotsDoubled(message: Buffer): Buffer {
  let dots = 0
  for (let at = 0; at < message.length; at++) if (isLeadingDot(message, at)) dots++
  const doubled = Buffer.allocUnsafe(message.length + dots)
  let to = 0
  for (let at = 0; at < message.length; at++) {
    if (isLeadingDot(message, at)) doubled[to++] = 0x2e
    doubled[to++] = message[at] as number
  }
  return doubled
}

function isLeadingDot(message: Buffer, at: number): boolean {
  return message[at] === 0x2e && (at === 0 || message[at - 1] === 0x0a || message[at - 1] === 0x0d)
}
