// What buffers take, garbage not counted.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose_gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of buffers that something holds on to. */
export function kept(): number {
  // What the first finds is swept in the background; the second waits for that.
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}
