// Several delivery workers in one process, each with mail of its own.

import type { Service } from '../../platform/lifecycle.ts'
import type { Delivery } from './worker.ts'

/** @param needed a service that the workers need: it starts before them and stops after them */
export function sideBySide(workers: readonly Delivery[], needed: Service | null = null): Delivery {
  return {
    name: 'delivery',
    start: async () => {
      await needed?.start()
      for (const worker of workers) await worker.start()
    },
    stop: async (deadline) => {
      await Promise.all(workers.map((worker) => worker.stop(deadline)))
      await needed?.stop(deadline)
    },
    wake: () => {
      for (const worker of workers) worker.wake()
    },
    turn: async () => {
      let count = 0
      for (const worker of workers) count += await worker.turn()
      return count
    },
    idle: async () => {
      await Promise.all(workers.map((worker) => worker.idle()))
    },
    get held() {
      return workers.reduce((sum, { held }) => sum + held, 0)
    },
  }
}
