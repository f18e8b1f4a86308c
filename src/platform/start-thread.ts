// The first module of a thread: reports that the thread's own module is loaded. Until then no time limit of a job runs.

import { parentPort, workerData } from 'node:worker_threads'

await import(String(workerData))
parentPort?.postMessage(null)
