// Standard output of the command line. A file is written here: `process.stdout` loses what a full disk does not take of a
// line, and reports nothing. A reader that leaves early (`| head`) is no fault.

import fs from 'node:fs'

const FD = 1

export interface Output {
  /** @param line without its line end; bytes are written as they are, and for a terminal without what would steer it */
  print(line: string | Buffer): void
  /** @throws when a line could not be written, for any reason but a reader that left */
  assertWritten(): void
}

export function standardOutput(): Output {
  let fault: NodeJS.ErrnoException | null = null
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') fault ??= error
  }
  // Without a listener, the first error would end the process.
  process.stdout.on('error', failed)
  const about = fs.fstatSync(FD)
  const isStream = process.stdout.isTTY || about.isFIFO() || about.isSocket()
  const writeAll = (bytes: Buffer): void => {
    try {
      for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(fs.writeSync(FD, rest))
    } catch (error) {
      failed(error as NodeJS.ErrnoException)
    }
  }
  return {
    print: (line) => {
      const bytes = typeof line === 'string' ? Buffer.from(`${line}\n`) : process.stdout.isTTY ? harmless(line) : line
      if (isStream) process.stdout.write(bytes)
      else writeAll(bytes)
    },
    assertWritten: () => {
      if (fault !== null)
        throw new Error(`the command was carried out, but its output could not be written: ${fault.message}`, {
          cause: fault,
        })
    },
  }
}

/** For a terminal: control characters, such as those that begin its commands, become spaces. */
export function harmless(bytes: Buffer): Buffer {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
  const text = bytes
    .toString()
    .replaceAll(/\r\n/g, '\n')
    .replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, ' ')
  return Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
}
