// Where log lines go: a file descriptor that may be full, closed by its reader, or read by nobody. None of these is a reason
// to stop or to wait: lines that cannot be written wait, up to MAX_WAITING_BYTES, and are tried again; further lines are
// lost, and their number is logged in their place. When the process exits, waiting lines are tried once more.
//
// A line is written synchronously, by the thread that logs it: with a write in the thread pool, an exiting process could
// neither know how much of it was written nor put the next line behind it.

import fs from 'node:fs'

export interface LogStreamOptions {
  /** A pipe or socket must not block; that of `process.stderr` does not once `process.stderr` was accessed. */
  readonly fd: number
  /** Called when lines were lost and there is room again for one that says so. */
  readonly onLost: (lines: number) => void
  /** Like `fs.writeSync`; for tests. */
  readonly writeSync?: (fd: number, bytes: Buffer) => number
}

export interface LogStream {
  /** @param line including its line end */
  write(line: string): void
}

const MAX_WAITING_BYTES = 1_048_576
/** First and longest wait for a retry, doubled while nothing is taken: an active reader of a pipe soon makes room. */
const AGAIN_AFTER_MS = [5, 200] as const
/** Longest wait for a slow reader at exit, in ms; a closed reader or a full disk is not waited for. */
const LEAVE_WITHIN_MS = 500
const LEAVE_STEP_MS = 20

export function logStream({ fd, onLost, writeSync = fs.writeSync }: LogStreamOptions): LogStream {
  let waiting: string[] = []
  let waitingBytes = 0
  /** The bytes being written or retried; begins with the rest of a line that was partly written. */
  let batch = Buffer.alloc(0)
  /** A write is running or waiting for a retry. */
  let isBusy = false
  let lost = 0
  let [againMs] = AGAIN_AFTER_MS as readonly [number, number]

  const take = (): void => {
    if (batch.length > 0) return
    batch = Buffer.from(waiting.join(''))
    waiting = []
    waitingBytes = 0
    if (lost === 0) return
    // Logged in place: after the last line that was kept.
    const lines = lost
    lost = 0
    onLost(lines)
  }

  /** Writes the waiting lines. @throws as writeSync does, with the remainder in `batch` */
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
