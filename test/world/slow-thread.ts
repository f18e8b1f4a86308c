// A thread whose modules take longer to load than a piece of its work may take, as on a busy machine.

import { parentPort } from 'node:worker_threads'

for (const since = performance.now(); performance.now() - since < 1_500; );
parentPort?.on('message', (text: string) => parentPort?.postMessage(text.toUpperCase()))
