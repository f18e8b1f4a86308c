// Loaded into a service by NODE_OPTIONS: measures how long its event loop was blocked, over its whole life. At exit it writes
// JSON in milliseconds to the file named by BENCH_LOOP; the 10 ms of the sampling interval are subtracted.

import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_LOOP
if (isMainThread && file !== undefined && process.argv[1]?.endsWith('main.ts') && process.argv[2] === 'serve') {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  // The start is not measured.
  setTimeout(() => delays.enable(), 5_000).unref()
  process.on('exit', () => {
    const ms = (ns) => Math.max(0, Math.round(ns / 1e6 - 10))
    const of = { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) }
    writeFileSync(file, JSON.stringify(of))
  })
}
