// Fuzzing: the definition of a target, and the mutation of seeds into inputs.
//
// A target is one parser with its promises. Inputs are made from seeds (the target's own, the corpora, every crash ever
// found) by changing bytes, lines and words, joining two inputs, and repeating a piece of one thousands of times. All
// randomness comes from one number, so a run can be repeated. An input of a new sort joins the seeds, so the search goes
// deeper where it finds something new.

/** Source of all randomness in a run. */
export interface Random {
  /** 0 to most - 1. */
  below(most: number): number
  pick<T>(from: readonly T[]): T
}

export interface Target {
  readonly name: string
  /** Description of the fuzzed code, for people. */
  readonly about: string
  readonly seeds: readonly (string | Buffer)[]
  /** Folders below POSTHORN_CORPORA whose files are seeds too. */
  readonly corpora?: readonly string[]
  /** Texts with a meaning to the parser, inserted anywhere. */
  readonly words: readonly string[]
  /** Makes an input from scratch, for structures that mutation rarely finds. */
  readonly make?: (random: Random) => Buffer
  /** Default: 64 KB. */
  readonly maxBytes?: number
  /**
   * @returns the sort of the input, such as the kinds of things found in it
   * @throws when a promise of the parser does not hold
   */
  run(input: Buffer, random: Random): string | Promise<string>
}

export const MAX_BYTES = 65_536

/** Mulberry32: small, and the same on every machine. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (most: number): number => Math.floor(next() * most)
  return {
    below,
    pick: (from) => {
      const picked = from[below(from.length)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
  }
}

const BYTES = [
  0, 9, 10, 13, 27, 32, 34, 39, 40, 41, 44, 45, 46, 47, 48, 57, 58, 59, 60, 61, 62, 63, 64, 91, 92, 93,
].concat([95, 123, 125, 127, 128, 160, 192, 224, 239, 240, 254, 255])
const NUMBERS = ['0', '-1', '1', '255', '256', '65536', '2147483648', '4294967296', '9'.repeat(30), '1e9', '٣', '0x10']
const EVERYWHERE = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\ufeff',
  '\ud83d\ude00',
  'ſ',
  'İ',
]

type Change = (input: Buffer, random: Random, context: Context) => Buffer

interface Context {
  readonly others: readonly Buffer[]
  readonly words: readonly string[]
  readonly maxBytes: number
}

/** A new input, of at most `maxBytes`. */
export function mutate(input: Buffer, random: Random, context: Context): Buffer {
  let changed = input.subarray(0, context.maxBytes)
  // Mostly few changes: parsers refuse an input far from the seed at once.
  for (let rounds = 1 + random.below(1 + random.below(8)); rounds > 0; rounds--) {
    changed = random.pick(CHANGES)(changed, random, context).subarray(0, context.maxBytes)
  }
  return changed
}

function spliced(input: Buffer, from: number, to: number, put: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, from), put, input.subarray(to)])
}

/** A piece of the input, mostly short. */
function piece(input: Buffer, random: Random): readonly [from: number, to: number] {
  const from = random.below(input.length + 1)
  const most = random.below(4) === 0 ? input.length : 40
  return [from, Math.min(input.length, from + random.below(most + 1))]
}

function lineStarts(input: Buffer): number[] {
  const starts = [0]
  for (let at = input.indexOf(10); at >= 0 && starts.length < 5_000; at = input.indexOf(10, at + 1)) starts.push(at + 1)
  return starts
}

function lines(input: Buffer, random: Random): readonly [from: number, to: number] {
  const starts = lineStarts(input)
  const first = random.below(starts.length)
  const last = first + 1 + (random.below(3) === 0 ? random.below(20) : 0)
  return [starts[first] ?? 0, starts[last] ?? input.length]
}

const word: Change = (input, random, { words }) => {
  const put = Buffer.from(random.pick(random.below(5) === 0 || words.length === 0 ? EVERYWHERE : words))
  const from = random.below(input.length + 1)
  return spliced(input, from, random.below(2) === 0 ? from : Math.min(input.length, from + put.length), put)
}

const CHANGES: readonly Change[] = [
  (input, random) => {
    const copy = Buffer.from(input)
    for (let flips = 1 + random.below(4); flips > 0 && copy.length > 0; flips--) {
      const at = random.below(copy.length)
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
    }
    return copy
  },
  (input, random) => {
    const at = random.below(input.length + 1)
    return spliced(input, at, Math.min(input.length, at + random.below(2)), Buffer.from([random.pick(BYTES)]))
  },
  (input, random) => spliced(input, ...piece(input, random), Buffer.alloc(0)),
  (input, random, { maxBytes }) => {
    const [from, to] = piece(input, random)
    const grown = input.subarray(from, to)
    const times = Math.min(2 ** random.below(14), Math.ceil(maxBytes / Math.max(1, grown.length)))
    return spliced(input, from, from, Buffer.concat(Array<Buffer>(times).fill(grown)))
  },
  word,
  word,
  (input, random) => spliced(input, ...lines(input, random), Buffer.alloc(0)),
  (input, random) => {
    const [from, to] = lines(input, random)
    const at = random.pick(lineStarts(input))
    return spliced(input, at, at, input.subarray(from, to))
  },
  (input, random, { others }) => {
    const other = random.pick(others)
    const at = random.pick(lineStarts(input))
    return spliced(
      input,
      at,
      random.below(2) === 0 ? at : lines(input, random)[1],
      other.subarray(...lines(other, random)),
    )
  },
  (input, random, { others }) => {
    const other = random.pick(others)
    return Buffer.concat([
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ])
  },
  (input, random) => input.subarray(0, random.below(input.length + 1)),
  (input, random) => {
    const found = [...input.subarray(0, 8_192).toString('latin1').matchAll(/\d+/g)]
    if (found.length === 0) return input
    const { index, 0: digits } = random.pick(found)
    return spliced(input, index, index + digits.length, Buffer.from(random.pick(NUMBERS)))
  },
  (input, random) => {
    const text = input.toString('latin1').replace(/\r\n|\r|\n/g, random.pick(['\n', '\r\n', '\r']))
    return Buffer.from(text, 'latin1')
  },
  (input, random) => {
    const [from, to] = piece(input, random)
    const text = input.subarray(from, to).toString('latin1')
    return spliced(
      input,
      from,
      to,
      Buffer.from(random.below(2) === 0 ? text.toUpperCase() : text.toLowerCase(), 'latin1'),
    )
  },
]
