// How much memory there is: what a control group allows this process and its neighbours in it (a container, systemd's
// MemoryMax), and how much of that is left. The kernel ends processes of a group that wants more than its limit, so whoever is
// about to need much looks before. Without a limit there is always room: a whole machine has its page cache to give.

import { readFileSync } from 'node:fs'
import path from 'node:path'

export interface Memory {
  /** Infinity: none is set. */
  readonly limitBytes: number
  /** What may still be taken, counting as free what the kernel gives up by itself; Infinity without a limit. */
  freeBytes(): number
  /** Lets the garbage of this thread go now, where the service was started so that it can. It takes some 50 ms. */
  collect(): void
}

interface Names {
  readonly limit: string
  readonly usage: string
  /** Of memory.stat: pages of files, which can be read again. */
  readonly files: readonly string[]
  /** Of memory.stat: those of them that somebody works with, programs above all. */
  readonly mapped: string
}

const SECOND: Names = {
  limit: 'memory.max',
  usage: 'memory.current',
  files: ['inactive_file', 'active_file'],
  mapped: 'file_mapped',
}
const FIRST: Names = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  files: ['total_inactive_file', 'total_active_file'],
  mapped: 'total_mapped_file',
}
/** Under so small a limit everything makes do with less: connections, shared buffers. */
export const LITTLE_MEMORY_BYTES = 1_073_741_824
/** The first version says "none" by a number near 2^63. */
const NO_LIMIT = 2 ** 50

/** @param root where control groups are mounted; @param own the file that names those of this process */
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

/** Its own groups and all above: each may have a limit. */
function groupsOf(root: string, text: string): readonly { readonly folder: string; readonly names: Names }[] {
  const [, first] = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(text) ?? []
  const [, second = '/'] = /^0::(.*)$/m.exec(text) ?? []
  const base = first === undefined ? root : path.join(root, 'memory')
  const names = first === undefined ? SECOND : FIRST
  const parts = (first ?? second).split('/').filter((part) => part !== '')
  return [...parts.keys(), parts.length].map((depth) => ({ folder: path.join(base, ...parts.slice(0, depth)), names }))
}

function takenBytes(folder: string, { usage, files, mapped }: Names): number {
  const stat = read(path.join(folder, 'memory.stat'))
  const of = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0)
  const givenUp = files.reduce((sum, name) => sum + of(name), 0) - of(mapped)
  return Number(read(path.join(folder, usage))) - Math.max(0, givenUp)
}

/** @returns '' where there is no such file */
function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
