// The line format of a journal's files (journal.ts): a CRC-32 in eight hexadecimal digits, a blank, the line, a line feed.
// Zeros after the last line are preallocated space.

import { crc32 } from 'node:zlib'

/** Lines encoded to the bytes that will be written as they are added: nothing else is kept of them while they wait. */
export interface Sheet {
  readonly lines: number
  /** The size of the buffer, however full it is. */
  readonly roomBytes: number
  /** @param line without line breaks */
  add(line: string): void
  /** Valid until more is added or everything is cleared. */
  bytes(): Buffer
  read(): string[]
  clear(): void
}

const LF = 10
const SPACE = 32
const HEX = Buffer.from('0123456789abcdef')
const CHECKSUM_CHARS = 8
/** Most bytes that one character of a string takes. */
const UTF8_BYTES = 3
const FIRST_BYTES = 16_384

export function newSheet(): Sheet {
  let room = Buffer.allocUnsafeSlow(FIRST_BYTES)
  let end = 0
  let lines = 0
  const add = (line: string): void => {
    const most = CHECKSUM_CHARS + 2 + line.length * UTF8_BYTES
    if (end + most > room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(room.length * 2, end + most))
      room.copy(larger, 0, 0, end)
      room = larger
    }
    // Byte by byte in place: many thousand lines a second pass through here.
    const from = end + CHECKSUM_CHARS + 1
    const to = from + room.write(line, from)
    const sum = crc32(room.subarray(from, to))
    for (let i = 0; i < CHECKSUM_CHARS; i++) room[end + i] = HEX[(sum >>> (28 - 4 * i)) & 15] as number
    room[from - 1] = SPACE
    room[to] = LF
    end = to + 1
    lines++
  }
  return {
    get lines() {
      return lines
    },
    get roomBytes() {
      return room.length
    },
    add,
    bytes: () => room.subarray(0, end),
    read: () => linesFrom(room.subarray(0, end), 0, lines).lines,
    clear: () => {
      end = 0
      lines = 0
    },
  }
}

export function sheetOf(lines: readonly string[]): Sheet {
  const sheet = newSheet()
  for (const line of lines) sheet.add(line)
  return sheet
}

/**
 * Reads at most `most` lines from `start`; a line with a wrong checksum is skipped.
 *
 * @returns `end`: where the next line begins; equal to `start` when there are no more lines
 */
export function linesFrom(bytes: Buffer, start: number, most: number): { lines: string[]; end: number } {
  const lines: string[] = []
  let at = start
  while (at < bytes.length && bytes[at] !== 0 && lines.length < most) {
    const end = bytes.indexOf(LF, at)
    const line = bytes.toString('utf8', at, end === -1 ? bytes.length : end)
    const text = line.slice(CHECKSUM_CHARS + 1)
    if (text !== '' && line.slice(0, CHECKSUM_CHARS) === checksum(text)) lines.push(text)
    at = end === -1 ? bytes.length : end + 1
  }
  return { lines, end: at }
}

/** Everything up to and including the last complete line. */
export function wholeIn(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(LF) + 1)
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(CHECKSUM_CHARS, '0')
}
