// How lines stand in a journal's files (journal.ts): each behind its CRC-32 in eight hexadecimal digits and a blank, ended by a
// line feed. Zeros behind the last are room that was not written yet.

import { crc32 } from 'node:zlib'

/** Lines as the bytes that will be written, made as they come: nothing else is kept of them while they wait. */
export interface Sheet {
  readonly lines: number
  /** What it takes, however full. */
  readonly roomBytes: number
  /** @param line without line breaks */
  add(line: string): void
  /** Good until more is added, or all is cleared. */
  bytes(): Buffer
  read(): string[]
  clear(): void
}

const LF = 10
const SPACE = 32
const HEX = Buffer.from('0123456789abcdef')
const CHECKSUM_CHARS = 8
/** Of one character of a string, at most. */
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
    // Byte by byte in place: many thousand a second come through here.
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
 * Reads what stands from `start`, at most so many lines; one whose checksum is wrong is passed over.
 *
 * @returns `end`: where the next one begins; where the lines end, it is `start`
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

/** Up to and with the last line that is whole. */
export function wholeIn(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(LF) + 1)
}

function checksum(line: string): string {
  return crc32(line).toString(16).padStart(CHECKSUM_CHARS, '0')
}
