// Which keys a table cannot hold, told by one bit in 8 KB that stay near the processor: a Bloom filter of one hash. Most
// words of a mail are in no table, and looking for them in the tables themselves was a third of the time.

const BITS = 65_536
export type Sieve = Int32Array

export function sieveOf(keys: Iterable<number>): Sieve {
  const sieve = new Int32Array(BITS / 32)
  for (const key of keys) {
    const bit = bitOf(key)
    sieve[bit >> 5] = (sieve[bit >> 5] as number) | (1 << (bit & 31))
  }
  return sieve
}

/** False: none of the keys. */
export function mayHold(sieve: Sieve, key: number): boolean {
  const bit = bitOf(key)
  return ((sieve[bit >> 5] as number) & (1 << (bit & 31))) !== 0
}

function bitOf(key: number): number {
  return (key ^ (key >>> 15)) & (BITS - 1)
}
