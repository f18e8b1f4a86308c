// The words and phrases known to the rules or to the trained model, in one table, so that each word is looked up once for
// both. A cell holds side by side the key, the lexicon's note on the term and the model's feature.
//
// Most words of a mail are not in the table. A Bloom filter with one hash says so from one bit; its 16 KB stay in the
// processor's cache. Looking such words up in the table itself took a third of the time.

export const UNKNOWN = -1
const SIEVE_BITS = 131_072
/** Cells per key, at least. */
const ROOM = 2.5
/** Elements per cell: a cell of four never crosses a cache line. */
const CELL = 4
const [KEY, TERM, FEATURE, TOLD] = [0, 1, 2, 3]
/** A local copy: an exported binding is looked up at each use, and this one is used for each word. */
const NOWHERE = UNKNOWN

export class Dictionary {
  private readonly sieve = new Int32Array(SIEVE_BITS / 32)
  private readonly cells: Int32Array
  private readonly mask: number

  /**
   * @param terms keys of the terms
   * @param notes the note on each term, by index of the term, 0 or more
   * @param features keys of the features, by index; of two with the same key the first counts
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

  /** The cell that holds the key, or the free cell where it belongs. */
  private cellFor(key: number): number {
    const { cells, mask } = this
    for (let slot = key & mask; ; slot = (slot + 1) & mask) {
      const held = cells[slot * CELL] as number
      if (held === key || held === NOWHERE) return slot * CELL
    }
  }

  /** @returns the place of the key, to pass to `term` and `newFeature`; UNKNOWN when it is not in the table */
  find(key: number): number {
    const bit = bitOf(key)
    if (((this.sieve[bit >> 5] as number) & (1 << (bit & 31))) === 0) return NOWHERE
    const cell = this.cellFor(key)
    return this.cells[cell] === NOWHERE ? NOWHERE : cell
  }

  /** @returns the note on the term; UNKNOWN when only the model knows the word */
  term(place: number): number {
    return this.cells[place + TERM] as number
  }

  /**
   * The index of a feature, once per mail.
   *
   * @param mail number of the mail, 0 or more
   * @returns UNKNOWN when already returned for this mail, or when only the lexicon knows the word
   */
  newFeature(place: number, mail: number): number {
    const { cells } = this
    if (cells[place + TOLD] === mail) return NOWHERE
    cells[place + TOLD] = mail
    return cells[place + FEATURE] as number
  }

  /** To be called before mail numbers start again. */
  forgetMails(): void {
    for (let at = TOLD; at < this.cells.length; at += CELL) this.cells[at] = NOWHERE
  }
}

function bitOf(key: number): number {
  return (key ^ (key >>> 15)) & (SIEVE_BITS - 1)
}
