// The words and phrases that the rules or the trained model know, in one table: a word is looked up once for both. What
// stands in a cell lies side by side: the key, what the lexicon notes of the term, the feature of the model.
//
// Most words of a mail are in no table, and that is told by one bit in 16 KB that stay near the processor: a Bloom filter of
// one hash. Looking for them in the table itself was a third of the time.

export const UNKNOWN = -1
const SIEVE_BITS = 131_072
/** Cells for each key. */
const ROOM = 2.5
/** A cell of four never stands on both sides of a cache line. */
const CELL = 4
const [KEY, TERM, FEATURE, TOLD] = [0, 1, 2, 3]
/** A copy: what is exported is looked up at each use, and this is used for each word. */
const NOWHERE = UNKNOWN

export class Dictionary {
  private readonly sieve = new Int32Array(SIEVE_BITS / 32)
  private readonly cells: Int32Array
  private readonly mask: number

  /**
   * @param terms keys of the terms
   * @param notes by index of a term what is noted of it, 0 or more
   * @param features keys of the features, by their index; of two with the same key the first counts
   */
  constructor(terms: ArrayLike<number>, notes: ArrayLike<number>, features: ArrayLike<number>) {
    const slots = 2 ** Math.ceil(Math.log2((terms.length + features.length + 1) * ROOM))
    this.mask = slots - 1
    this.cells = new Int32Array(slots * CELL).fill(UNKNOWN)
    for (let i = 0; i < terms.length; i++) this.enter(terms[i] as number, TERM, notes[i] as number)
    for (let i = 0; i < features.length; i++) this.enter(features[i] as number, FEATURE, i)
  }

  private enter(key: number, what: number, value: number): void {
    const bit = bitOf(key)
    this.sieve[bit >> 5] = (this.sieve[bit >> 5] as number) | (1 << (bit & 31))
    if (key === UNKNOWN) throw new Error('a word of the dictionary has the key of none')
    const cell = this.cellFor(key)
    this.cells[cell + KEY] = key
    if (this.cells[cell + what] === UNKNOWN) this.cells[cell + what] = value
  }

  /** The cell that holds the key, or else the free one where it would stand. */
  private cellFor(key: number): number {
    const { cells, mask } = this
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const held = cells[slot * CELL] as number
      if (held === key || held === NOWHERE) return slot * CELL
    }
  }

  /** @returns where the key stands, for `term` and `feature`; UNKNOWN: nowhere */
  find(key: number): number {
    const bit = bitOf(key)
    if (((this.sieve[bit >> 5] as number) & (1 << (bit & 31))) === 0) return NOWHERE
    const cell = this.cellFor(key)
    return this.cells[cell] === NOWHERE ? NOWHERE : cell
  }

  /** @returns what is noted of it, or UNKNOWN: only the model knows the word */
  term(place: number): number {
    return this.cells[place + TERM] as number
  }

  /**
   * The index of a feature, once for each mail.
   *
   * @param mail its number, 0 or more
   * @returns UNKNOWN: told before for this mail, or only the lexicon knows the word
   */
  newFeature(place: number, mail: number): number {
    const { cells } = this
    if (cells[place + TOLD] === mail) return NOWHERE
    cells[place + TOLD] = mail
    return cells[place + FEATURE] as number
  }

  /** For when the numbers of mails begin again. */
  forgetMails(): void {
    for (let at = TOLD; at < this.cells.length; at += CELL) this.cells[at] = NOWHERE
  }
}

function bitOf(key: number): number {
  return (key ^ (key >>> 15)) & (SIEVE_BITS - 1)
}
