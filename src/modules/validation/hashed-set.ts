// A set of texts that only answers whether a text is in it, at 8 bytes per text: sorted 53-bit hashes. Lists of 100,000 or more
// domains or names would take about 15 MB as strings in every process; here they take one. Collisions are possible but
// negligible: with 200,000 texts, one in 4 * 10^10 lookups.

import { createRequire } from 'node:module'

/** Reads the data of a package and keeps no reference to it. */
export function readOnce<T>(file: string): T {
  // A module keeps the modules that it requires as children, and each module keeps its first parent, whatever the cache
  // contains. So everything loaded here is removed from the cache, and `require` itself must not outlive the call either.
  const require = createRequire(import.meta.url)
  const before = new Set(Object.keys(require.cache))
  const value = require(file) as T
  for (const loaded of Object.keys(require.cache)) if (!before.has(loaded)) delete require.cache[loaded]
  return value
}

export class HashedSet {
  readonly #hashes: Float64Array

  constructor(texts: Iterable<string>) {
    this.#hashes = Float64Array.from(texts, hashOf).sort()
  }

  get size(): number {
    return this.#hashes.length
  }

  has(text: string): boolean {
    const hash = hashOf(text)
    let low = 0
    let high = this.#hashes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#hashes[middle] ?? 0) < hash) low = middle + 1
      else high = middle
    }
    return this.#hashes[low] === hash
  }
}

/** cyrb53: two 32-bit halves mixed into one another, of which 53 bits are kept. */
function hashOf(text: string): number {
  let one = 0xdeadbeef
  let two = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    one = Math.imul(one ^ unit, 2_654_435_761)
    two = Math.imul(two ^ unit, 1_597_334_677)
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909)
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909)
  return 4_294_967_296 * (two & 0x1f_ffff) + (one >>> 0)
}
