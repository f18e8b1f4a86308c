// Where the log's lines go: a file descriptor that may be full, closed by its reader, or read by nobody. None of these is a
// reason to stop or to wait: what cannot be written waits, up to MAX_WAITING_BYTES, and is tried again; what comes beyond is
// lost, and how many lines that were is told in their place. On the way out what waits is tried once more.
//
// A line is written at once and by the thread that has it: given to a thread of the pool, a process that leaves could neither
// know how much of it was written nor put the next line behind it.

import fs from 'node:fs'

export interface LogStreamOptions {
  /** A pipe or socket must not block; that of `process.stderr` does not once that was touched. */
  readonly fd: number
  /** So many lines were lost, and there is room for one that says so. */
  readonly onLost: (lines: number) => void
  /** As `fs.writeSync`; for tests. */
  readonly writeSync?: (fd: number, bytes: Buffer) => number
}

export interface LogStream {
  /** @param line with its end */
  write(line: string): void
}

const MAX_WAITING_BYTES = 1_048_576
/** Doubled from the first to the last while nothing is taken: a pipe whose reader is at work has room again soon. */
const AGAIN_AFTER_MS = [5, 200] as const
/** For a reader that is slow; one that is gone, or a full disk, is not waited for. */
const LEAVE_WITHIN_MS = 500
const LEAVE_STEP_MS = 20

export function logStream({ fd, onLost, writeSync = fs.writeSync }: LogStreamOptions): LogStream {
  let waiting: string[] = []
  let waitingBytes = 0
  /** What is being written, or is to be written again: the rest of a line that was begun stands at its head. */
  let batch = Buffer.alloc(0)
  /** Being written, or waiting for another try. */
  let isBusy = false
  let lost = 0
  let [againMs] = AGAIN_AFTER_MS as readonly [number, number]

  const take = (): void => {
    if (batch.length > 0) return
    batch = Buffer.from(waiting.join(''))
    waiting = []
    waitingBytes = 0
    if (lost === 0) return
    // Said at its place: behind the last line that was kept.
    const lines = lost
    lost = 0
    onLost(lines)
  }

  /** Writes what waits. @throws as writeSync does, with what is left in `batch` */
  const flush = (): void => {
    for (take(); batch.length > 0; take()) {
      batch = batch.subarray(writeSync(fd, batch))
      ;[againMs] = AGAIN_AFTER_MS
    }
  }

  const later = (): void => {
    setTimeout(again, againMs).unref()
    againMs = Math.min(2 * againMs, AGAIN_AFTER_MS[1])
  }

  const again = (): void => {
    try {
      flush()
    } catch {
      later()
      return
    }
    isBusy = false
    process.off('exit', leave)
  }

  const leave = (): void => {
    for (let leftMs = LEAVE_WITHIN_MS; ; leftMs -= LEAVE_STEP_MS) {
      try {
        return flush()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || leftMs <= 0) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEAVE_STEP_MS)
      }
    }
  }

  return {
    write: (line) => {
      const bytes = Buffer.byteLength(line)
      if (waitingBytes + bytes > MAX_WAITING_BYTES) {
        lost++
        return
      }
      waiting.push(line)
      waitingBytes += bytes
      if (isBusy) return
      isBusy = true
      try {
        flush()
        isBusy = false
      } catch {
        process.on('exit', leave)
        later()
      }
    },
  }
}
