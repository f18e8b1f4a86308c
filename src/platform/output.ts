// Standard output of the command line. A file is written here: `process.stdout` loses what a full disk does not take of a
// line, and reports nothing. A reader that leaves early (`| head`) is no fault.

import fs from 'node:fs'

const FD = 1

export interface Output {
  print(line: string): void
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
  const writeAll = (text: string): void => {
    try {
      for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(fs.writeSync(FD, rest))
    } catch (error) {
      failed(error as NodeJS.ErrnoException)
    }
  }
  return {
    print: (line) => {
      if (isStream) process.stdout.write(`${line}\n`)
      else writeAll(`${line}\n`)
    },
    assertWritten: () => {
      if (fault !== null)
        throw new Error(`the command was carried out, but its output could not be written: ${fault.message}`, {
          cause: fault,
        })
    },
  }
}
