// Random decisions from a seed: the same seed gives the same sequence.

export interface Chance {
  /** In [0, 1). */
  next(): number
  /** A whole number in [from, to]. */
  whole(from: number, to: number): number
  pick<T>(among: readonly T[]): T
  shuffled<T>(all: readonly T[]): T[]
}

/** Mulberry32. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    whole,
    pick: (among) => among[whole(0, among.length - 1)] as (typeof among)[number],
    shuffled: (all) => {
      const mixed = [...all]
      for (let last = mixed.length - 1; last > 0; last--) {
        const other = whole(0, last)
        ;[mixed[last], mixed[other]] = [mixed[other] as (typeof mixed)[number], mixed[last] as (typeof mixed)[number]]
      }
      return mixed
    },
  }
}
