// Loaded into a service by NODE_OPTIONS: how long its event loop stood still, over its whole life. Written at its end, as JSON in
// milliseconds, into the file that BENCH_LOOP names; the 10 ms at which the loop is looked at are taken off.

import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_LOOP
if (isMainThread && file !== undefined && process.argv[1]?.endsWith('main.ts') && process.argv[2] === 'serve') {
  const delays = monitorEventLoopDelay({ resolution: 10 })
  // Its start is another matter.
  setTimeout(() => delays.enable(), 5_000).unref()
  process.on('exit', () => {
    const ms = (ns) => Math.max(0, Math.round(ns / 1e6 - 10))
    const of = { p50: ms(delays.percentile(50)), p99: ms(delays.percentile(99)), max: ms(delays.max) }
    writeFileSync(file, JSON.stringify(of))
  })
}
