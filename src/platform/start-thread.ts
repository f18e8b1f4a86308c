// The first module of a thread: says that the thread's own has been loaded. Until then no time counts against a piece of work.

import { parentPort, workerData } from 'node:worker_threads'

await import(String(workerData))
parentPort?.postMessage(null)
