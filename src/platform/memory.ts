// How much memory there is: the limit of this process's control group (a container, systemd's MemoryMax), which it shares
// with its neighbours in the group, and what is left of it. The kernel kills processes of a group that exceeds its limit,
// so code that is about to need much checks first. Without a limit there is always room: the page cache can shrink.

import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface Memory {
  /** Infinity: no limit is set. */
  readonly limitBytes: number
  /** What may still be used, counting memory that the kernel reclaims by itself as free; Infinity without a limit. */
  freeBytes(): number
  /** Collects this thread's garbage at once, if the service was started with that option. Takes some 50 ms. */
  collect(): void
}

interface Names {
  readonly limit: string
  readonly usage: string
  /** Fields of memory.stat: page cache, which can be read again. */
  readonly files: readonly string[]
  /** Field of memory.stat: the part of it that is in use, mostly programs, and mapped shared memory. */
  readonly mapped: string
  /** Field of memory.stat: shared memory, most of it PostgreSQL's, which is none of `files`. */
  readonly shared: string
}

const SECOND: Names = {
  limit: 'memory.max',
  usage: 'memory.current',
  files: ['inactive_file', 'active_file'],
  mapped: 'file_mapped',
  shared: 'shmem',
}
const FIRST: Names = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  files: ['total_inactive_file', 'total_active_file'],
  mapped: 'total_mapped_file',
  shared: 'total_shmem',
}
/** Below this limit everything makes do with less: connections, shared buffers. */
export const LITTLE_MEMORY_BYTES = 1_073_741_824
/** Collecting takes some 10 ms, much less than a job of this size. */
const MUCH_BYTES = 1_048_576
/** Version 1 of control groups writes "no limit" as a number near 2^63. */
const NO_LIMIT = 2 ** 50

/**
 * For threads, after a job of this size: what a large one leaves, ten times its size, would stay until the next. Waits until the
 * result is on its way.
 */
export function collectAfter(bytes: number): void {
  if (bytes >= MUCH_BYTES) setImmediate(() => globalThis.gc?.())
}

/** @param root where control groups are mounted; @param own the file that names the groups of this process */
export function systemMemory(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): Memory {
  const bounds = groupsOf(root, read(own)).flatMap(({ folder, names }) => {
    const limitBytes = Number(read(path.join(folder, names.limit)).trim() || Number.NaN)
    return limitBytes < NO_LIMIT ? [{ folder, names, limitBytes }] : []
  })
  return {
    limitBytes: Math.min(Number.POSITIVE_INFINITY, ...bounds.map(({ limitBytes }) => limitBytes)),
    freeBytes: () =>
      bounds.reduce(
        (least, { folder, names, limitBytes }) => Math.min(least, limitBytes - takenBytes(folder, names)),
        Number.POSITIVE_INFINITY,
      ),
    collect: () => globalThis.gc?.(),
  }
}

/** The process's own groups and all their ancestors: each may have a limit. */
function groupsOf(root: string, text: string): readonly { readonly folder: string; readonly names: Names }[] {
  const [, first] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(text) ?? []
  const [, second = '/'] = /^0::(.*)$/m.exec(text) ?? []
  const base = first === undefined ? root : path.join(root, 'memory')
  const names = first === undefined ? SECOND : FIRST
  const parts = (first ?? second).split('/').filter((part) => part !== '')
  return [...parts.keys(), parts.length].map((depth) => ({ folder: path.join(base, ...parts.slice(0, depth)), names }))
}

function takenBytes(folder: string, { usage, files, mapped, shared }: Names): number {
  const stat = read(path.join(folder, 'memory.stat'))
  const of = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0)
  const givenUp = files.reduce((sum, name) => sum + of(name), 0) - Math.max(0, of(mapped) - of(shared))
  return Number(read(path.join(folder, usage))) - Math.max(0, givenUp)
}

/** @returns '' when the file does not exist */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
