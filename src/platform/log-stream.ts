// Where the log's lines go: a file descriptor that may be full, closed by its reader, or read by nobody. None of these is a
// reason to stop or to wait: what cannot be written waits, up to MAX_WAITING_BYTES behind the write under way, and is tried again;
// what comes beyond is lost, and how many lines that were is told in their place. On the way out what waits is tried once
// more. One write is under way at a time, of all that came meanwhile.

import fs from 'node:fs'

export interface LogStreamOptions {
  /** A pipe or socket must not block; that of `process.stderr` does not once that was touched. */
  readonly fd: number
  /** So many lines were lost, and there is room for one that says so. */
  readonly onLost: (lines: number) => void
  /** As `fs.write` and `fs.writeSync`; for tests. */
  readonly files?: Pick<typeof fs, 'write' | 'writeSync'>
}

export interface LogStream {
  /** @param line with its end */
  write(line: string): void
}

const MAX_WAITING_BYTES = 1_048_576
const AGAIN_AFTER_MS = 200
/** For a reader that is slow; one that is gone, or a full disk, is not waited for. */
const LEAVE_WITHIN_MS = 500
const LEAVE_STEP_MS = 20

export function logStream({ fd, onLost, files = fs }: LogStreamOptions): LogStream {
  let waiting: string[] = []
  let waitingBytes = 0
  /** What is being written, or is to be written again: the rest of a line that was begun stands at its head. */
  let batch = Buffer.alloc(0)
  let isBusy = false
  let isUnderWay = false
  let lost = 0

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

  const next = (): void => {
    take()
    if (batch.length === 0) {
      isBusy = false
      process.off('exit', leave)
      return
    }
    isUnderWay = true
    files.write(fd, batch, (error, written) => {
      isUnderWay = false
      if (error !== null) {
        setTimeout(next, AGAIN_AFTER_MS).unref()
        return
      }
      batch = batch.subarray(written)
      next()
    })
  }

  const leave = (): void => {
    // What is under way is another thread's, which has it written or never will.
    if (isUnderWay) batch = Buffer.alloc(0)
    let leftMs = LEAVE_WITHIN_MS
    for (take(); batch.length > 0; take()) {
      try {
        batch = batch.subarray(files.writeSync(fd, batch))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || leftMs <= 0) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEAVE_STEP_MS)
        leftMs -= LEAVE_STEP_MS
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
      process.on('exit', leave)
      next()
    },
  }
}
