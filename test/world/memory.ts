// Memory held by buffers, without garbage.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of objects that are still referenced, with those of buffers. */
export function heap(): number {
  const buffers = kept()
  return process.memoryUsage().heapUsed + buffers
}

/** Bytes of buffers that are still referenced. */
export function kept(): number {
  // The first collection sweeps in the background; the second waits for that.
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}
