// A bounded table that forgets first what was used least recently.

import { LRUCache } from 'lru-cache'

// Counted as a size: given as `max`, LRUCache reserves the places beforehand, which takes 7 MB for the tables of one process.
export function recentlyUsed<Value extends {}>(maxEntries: number): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 })
}
