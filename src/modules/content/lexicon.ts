// Finds words that occur near one another. A set is a list of words that mean one thing, in four languages. A pattern is a
// group of sets that must occur within `gap` words. A concept is what its patterns say about a mail, with its points.
//
// Everything is found while the words stream by. The last position of each set is kept, and a pattern is checked when one of
// its sets occurs and all others have occurred before, which for most patterns never happens. The cost of a word therefore
// does not depend on the length of the mail. The end of a sentence counts as SENTENCE words, so that near also means related.

import { type Dictionary, UNKNOWN } from './dictionary.ts'
import { hashOf, join } from './hash.ts'
import { beginnings, keyOfTerm, MAX_PHRASE_WORDS } from './terms.ts'
import type { Location } from './types.ts'
import { CLASS, type Class, type Listener, type Sign } from './word-events.ts'

export interface Concept {
  /** For the first pattern found. */
  readonly points: number
  /** For each further pattern. */
  readonly more: number
  readonly max: number
  /** What it adds to the suspicion of fraud: 0 none, 1 a weak sign, 2 a strong sign. */
  readonly fraud: number
  readonly description: string
  readonly suggestion: string
  /** A concept that cancels this one (lexicon-excuses.ts), wherever it occurs: `call your usual contact before any change`. */
  readonly unlessStated?: string
}

export interface Pattern {
  readonly concept: string
  readonly sets: readonly string[]
  /** In words. ANYWHERE: it is enough that all sets occur. */
  readonly gap: number
  /** The pattern does not match when a word of this set occurs shortly before it: `we will never ask for your password`. */
  readonly unless?: string
  /** A concept that cancels this pattern, like `unlessStated` of a concept. */
  readonly unlessStated?: string
}

export interface Lexicon {
  readonly sets: Readonly<Record<string, string>>
  readonly concepts: Readonly<Record<string, Concept>>
  readonly patterns: readonly Pattern[]
}

export const ANYWHERE = 1_000_000_000
/** The distance within which related things occur in a letter; in a long newsletter nearly everything occurs somewhere. */
export const FAR = 200
const SENTENCE = 3
const UNLESS_WORDS = 12
const NEVER = -2_000_000_000
/** Limit of the sets of a term; a power of two. */
const MAX_SETS = 32
const FOUND = 255

/** Sets that the reader reports by class. */
const CLASS_SETS: Readonly<Record<string, Class>> = {
  '#number': CLASS.number,
  '#money': CLASS.money,
  '#percent': CLASS.percent,
  '#phone': CLASS.phone,
  '#wallet': CLASS.wallet,
}

export interface Hit {
  readonly pattern: Pattern
  readonly location: Location
  readonly start: number
  readonly end: number
}

export interface Compiled {
  readonly lexicon: Lexicon
  readonly setCount: number
  /** By index of a term: its key. */
  readonly keys: Int32Array
  /** By index of a term: where its sets begin in `setsOfTerms`, their number, and whether a phrase begins with the term. */
  readonly notes: Int32Array
  readonly setsOfTerms: Int32Array
  readonly patterns: readonly Pattern[]
  /** By index of a pattern: its sets, its gap, and the set that cancels it or -1. */
  readonly setsOfPattern: readonly Int32Array[]
  readonly gaps: Int32Array
  readonly unless: Int32Array
  /** The patterns of all sets in a row, and by index of a set where its patterns begin; a last entry marks the end. */
  readonly patternsOfSets: Int32Array
  readonly patternsFrom: Int32Array
  /** By index of a pattern: the number of its different sets. */
  readonly setCounts: Uint8Array
  readonly classSets: readonly number[]
}

export function compile(lexicon: Lexicon): Compiled {
  const names = [...new Set([...Object.keys(lexicon.sets), ...Object.keys(CLASS_SETS)])]
  const idOf = new Map(names.map((name, id) => [name, id]))
  const need = (name: string): number => {
    const id = idOf.get(name)
    if (id === undefined) throw new Error(`the lexicon has no set ${name}`)
    return id
  }
  const terms = new Map<number, number[]>()
  for (const [name, words] of Object.entries(lexicon.sets)) {
    for (const term of words.split(/\s+/)) {
      if (term === '') continue
      const key = keyOfTerm(term)
      const sets = terms.get(key) ?? []
      if (!sets.includes(need(name))) sets.push(need(name))
      terms.set(key, sets)
    }
  }
  const begun = new Set<number>()
  for (const term of Object.values(lexicon.sets).flatMap((words) => words.split(/\s+/))) {
    for (const key of beginnings(term)) {
      begun.add(key)
      if (!terms.has(key)) terms.set(key, [])
    }
  }
  const setsOfTerms: number[] = []
  const notes = Array.from(terms, ([key, sets]) => {
    if (sets.length >= MAX_SETS) throw new Error('a term of the lexicon stands in too many sets')
    return ((setsOfTerms.push(...sets) - sets.length) * MAX_SETS + sets.length) * 2 + (begun.has(key) ? 1 : 0)
  })
  const { patterns } = lexicon
  for (const { concept } of patterns)
    if (lexicon.concepts[concept] === undefined) throw new Error(`no concept ${concept}`)
  const setsOfPattern = patterns.map(({ sets }) => Int32Array.from(sets, need))
  const gaps = Int32Array.from(patterns, ({ gap }) => gap)
  const unless = Int32Array.from(patterns, (one) => (one.unless === undefined ? -1 : need(one.unless)))
  const patternsOfSet = names.map((_, id) => setsOfPattern.flatMap((sets, i) => (sets.includes(id) ? [i] : [])))
  const patternsFrom = [0]
  for (const own of patternsOfSet) patternsFrom.push((patternsFrom.at(-1) ?? 0) + own.length)
  const setCounts = Uint8Array.from(setsOfPattern, (sets) => new Set(sets).size)
  const classSets = Object.values(CLASS).map((kind) => {
    const name = Object.keys(CLASS_SETS).find((one) => CLASS_SETS[one] === kind)
    return name === undefined ? -1 : need(name)
  })
  return {
    ...{ lexicon, setCount: names.length, keys: Int32Array.from(terms.keys()) },
    ...{ notes: Int32Array.from(notes), setsOfTerms: Int32Array.from(setsOfTerms) },
    ...{
      patterns,
      setsOfPattern,
      gaps,
      unless,
      patternsOfSets: Int32Array.from(patternsOfSet.flat()),
      patternsFrom: Int32Array.from(patternsFrom),
      setCounts,
      classSets,
    },
  }
}

/** Receives each word and pair of words that the trained model knows, once per mail. */
export type FeatureSink = (feature: number) => void

/** The key of each class as a word: its name with a sign that no word contains. */
const CLASS_WORDS: readonly number[] = Object.keys(CLASS).map((name) => hashOf(`#${name}`))

const OVERLAP_BITS = 65_536
const MOST_MAILS = 1_000_000_000
/** Local copies: imported bindings are looked up at each use, and these are used for each word. */
const [WORD, NOWHERE] = [CLASS.word, UNKNOWN]

export class LexiconMatcher implements Listener {
  private readonly compiled: Compiled
  private readonly dictionary: Dictionary
  /** By class: the place in the dictionary of the word that represents it. */
  private readonly classPlaces: Int32Array
  private readonly onFeature: FeatureSink
  private readonly last: Int32Array
  private readonly starts: Int32Array
  /** By index of a pattern: how many of its sets have not occurred yet, or FOUND. */
  private readonly lacking: Uint8Array
  /** By set: how many of its patterns are complete. Their indexes are in `readyPatterns`, laid out like `patternsOfSets`. */
  private readonly ready: Int32Array
  private readonly readyPatterns: Int32Array
  private readonly shown = new Int32Array(OVERLAP_BITS / 32)
  private compares = true
  /** Number of the current mail. */
  private mail = 0
  private position = 0
  /** The previous word, for pairs. 0: at the beginning of a sentence. */
  private before = 0
  /** Keys of the phrases begun by the previous words, by their length in words. 0: none. */
  private readonly begun = new Int32Array(MAX_PHRASE_WORDS)
  private readonly begunFrom = new Int32Array(MAX_PHRASE_WORDS)
  /** Length of the longest begun phrase. */
  private begunWords = 0
  private location: Location = 'subject'
  private partFrom = 0
  hits: Hit[] = []
  signs = new Map<Sign, { count: number; location: Location; start: number; end: number }>()
  addresses: { readonly start: number; readonly end: number; readonly location: Location }[] = []
  mailAddresses: { readonly start: number; readonly end: number; readonly location: Location }[] = []
  phones = 0
  words = 0
  /** Number of words before each part, in reading order. */
  private readonly wordsBefore = new Map<Location, number>()
  capitalWords = 0
  /** Words of the current part, and how many of them occurred before; 0 unless the parts are compared. */
  partWords = 0
  partKnown = 0

  /** @param dictionary of the terms of `compiled` and of the features passed to `onFeature` */
  constructor(compiled: Compiled, dictionary: Dictionary, onFeature: FeatureSink) {
    this.compiled = compiled
    this.dictionary = dictionary
    this.classPlaces = Int32Array.from(CLASS_WORDS, (key) => dictionary.find(key))
    this.onFeature = onFeature
    this.last = new Int32Array(compiled.setCount).fill(NEVER)
    this.starts = new Int32Array(compiled.setCount)
    this.lacking = compiled.setCounts.slice()
    this.ready = new Int32Array(compiled.setCount)
    this.readyPatterns = new Int32Array(compiled.patternsOfSets.length)
  }

  /**
   * Resets the state for the next mail, without rebuilding the tables.
   *
   * @param compares whether to compare the words of the parts
   */
  reset(compares: boolean): void {
    this.compares = compares
    if (++this.mail === MOST_MAILS) {
      this.mail = 0
      this.dictionary.forgetMails()
    }
    this.last.fill(NEVER)
    this.lacking.set(this.compiled.setCounts)
    this.ready.fill(0)
    if (compares) this.shown.fill(0)
    this.position = this.phones = this.words = this.capitalWords = this.partWords = this.partKnown = 0
    this.hits = []
    this.signs = new Map()
    this.addresses = []
    this.mailAddresses = []
    this.wordsBefore.clear()
    this.forget()
  }

  beginPart(location: Location): void {
    this.location = location
    this.wordsBefore.set(location, this.words)
    this.position += SENTENCE * 4
    this.partFrom = this.position
    this.partWords = this.partKnown = 0
    this.forget()
  }

  /** Words of the current part. */
  wordsHere(): number {
    return this.words - (this.wordsBefore.get(this.location) ?? 0)
  }

  word(hash: number, length: number, start: number, end: number, kind: Class, isCapitals: boolean): void {
    this.position++
    if (kind !== WORD) {
      this.classed(hash, start, end, kind)
      return
    }
    this.words++
    // Capitals first: the length of a word is hard for the processor to predict, and few words are in capitals.
    if (isCapitals && length >= 4) this.capitalWords++
    if (this.compares && length >= 4) this.count(hash)
    const { before, dictionary } = this
    this.before = hash
    const alone = dictionary.find(hash)
    const pair = before === 0 ? NOWHERE : dictionary.find(join(before, hash))
    if (alone !== NOWHERE) this.feature(alone)
    if (pair !== NOWHERE) this.feature(pair)
    if (this.begunWords !== 0) this.goOn(hash, before, pair, end)
    if (alone !== NOWHERE && this.look(alone, start, end)) this.begin(hash, start)
  }

  private classed(hash: number, start: number, end: number, kind: Class): void {
    const set = this.compiled.classSets[kind] as number
    if (set >= 0) this.occurs(set, start, end)
    if (kind === CLASS.money || kind === CLASS.phone)
      this.occurs(this.compiled.classSets[CLASS.number] as number, start, end)
    if (kind === CLASS.phone) this.phones++
    if (kind === CLASS.email && this.mailAddresses.length < 100)
      this.mailAddresses.push({ start, end, location: this.location })
    if (kind === CLASS.url || kind === CLASS.host) {
      if (this.addresses.length < 500) this.addresses.push({ start, end, location: this.location })
    }
    this.before = 0
    const named = this.classPlaces[kind] as number
    if (named !== NOWHERE) this.feature(named)
    if (hash === 0) {
      this.forget()
      return
    }
    // `office 365`, `100 % free`: numbers can be words of phrases.
    if (this.begunWords !== 0) this.goOn(hash, 0, NOWHERE, end)
    const alone = this.dictionary.find(hash)
    if (alone !== NOWHERE && this.look(alone, start, end)) this.begin(hash, start)
  }

  private feature(place: number): void {
    const feature = this.dictionary.newFeature(place, this.mail)
    if (feature !== NOWHERE) this.onFeature(feature)
  }

  /**
   * Continues or completes the phrases begun before this word.
   *
   * @param before the previous word, 0: none
   * @param pair the place in the dictionary of the pair of the previous word and this one
   */
  private goOn(hash: number, before: number, pair: number, end: number): void {
    const { begun, begunFrom } = this
    const longest = this.begunWords
    this.begunWords = 0
    // The usual case: only the previous word began a phrase, and this word ends it.
    if (longest === 1 && pair === NOWHERE && begun[1] === before) {
      begun[1] = 0
      return
    }
    for (let words = longest; words >= 1; words--) {
      const key = begun[words] as number
      if (key === 0) continue
      begun[words] = 0
      const longer = join(key, hash)
      const place = key === before ? pair : this.dictionary.find(longer)
      if (place === NOWHERE) continue
      const from = begunFrom[words] as number
      if (this.look(place, from, end) && words + 1 < MAX_PHRASE_WORDS) {
        begun[words + 1] = longer
        begunFrom[words + 1] = from
        if (this.begunWords === 0) this.begunWords = words + 1
      }
    }
  }

  private begin(hash: number, start: number): void {
    this.begun[1] = hash
    this.begunFrom[1] = start
    if (this.begunWords === 0) this.begunWords = 1
  }

  private forget(): void {
    this.before = 0
    for (let words = this.begunWords; words > 0; words--) this.begun[words] = 0
    this.begunWords = 0
  }

  private count(hash: number): void {
    this.partWords++
    const bit = (hash ^ (hash >>> 16)) & (OVERLAP_BITS - 1)
    const cell = bit >> 5
    if (((this.shown[cell] as number) & (1 << (bit & 31))) !== 0) this.partKnown++
    else this.shown[cell] = (this.shown[cell] as number) | (1 << (bit & 31))
  }

  /** @returns whether a longer phrase begins with this term */
  private look(place: number, start: number, end: number): boolean {
    const term = this.dictionary.term(place)
    if (term === NOWHERE) return false
    const sets = (term >> 1) & (MAX_SETS - 1)
    if (sets !== 0) {
      const { setsOfTerms } = this.compiled
      const from = (term / (2 * MAX_SETS)) | 0
      for (let n = from; n < from + sets; n++) this.occurs(setsOfTerms[n] as number, start, end)
    }
    return (term & 1) === 1
  }

  private occurs(set: number, start: number, end: number): void {
    const isFirst = this.last[set] === NEVER
    this.last[set] = this.position
    this.starts[set] = start
    if (isFirst) this.nowOccurs(set)
    if (this.ready[set] !== 0) this.ask(set, start, end)
  }

  /** A set occurs for the first time, which completes the patterns that lacked only this set. */
  private nowOccurs(set: number): void {
    const { lacking, compiled } = this
    const { patternsOfSets, patternsFrom } = compiled
    const until = patternsFrom[set + 1] as number
    for (let n = patternsFrom[set] as number; n < until; n++) {
      const pattern = patternsOfSets[n] as number
      const lacks = (lacking[pattern] as number) - 1
      lacking[pattern] = lacks
      if (lacks === 0) for (const one of compiled.setsOfPattern[pattern] as Int32Array) this.nowReady(one, pattern)
    }
  }

  /** Inserts the pattern among the ready ones of the set in order of index, so that hits keep the order of the patterns. */
  private nowReady(set: number, pattern: number): void {
    const { ready, readyPatterns } = this
    const from = this.compiled.patternsFrom[set] as number
    const end = from + (ready[set] as number)
    let place = end
    while (place > from && (readyPatterns[place - 1] as number) > pattern) place--
    // A pattern may name a set twice.
    if (place > from && readyPatterns[place - 1] === pattern) return
    for (let n = end; n > place; n--) readyPatterns[n] = readyPatterns[n - 1] as number
    readyPatterns[place] = pattern
    ready[set] = (ready[set] as number) + 1
  }

  /** Checks whether the sets of each complete pattern of this set are close enough. */
  private ask(set: number, start: number, end: number): void {
    const { last, lacking, position, compiled, readyPatterns } = this
    const { setsOfPattern, gaps, unless } = compiled
    const from = compiled.patternsFrom[set] as number
    const until = from + (this.ready[set] as number)
    for (let n = from; n < until; n++) {
      const i = readyPatterns[n] as number
      if (lacking[i] !== 0) continue
      const sets = setsOfPattern[i] as Int32Array
      let first = position
      for (let k = 0; k < sets.length; k++) first = Math.min(first, last[sets[k] as number] as number)
      if (position - first > (gaps[i] as number)) continue
      const takenBackBy = unless[i] as number
      if (takenBackBy >= 0 && first - (last[takenBackBy] as number) <= UNLESS_WORDS) continue
      lacking[i] = FOUND
      this.hit(i, start, end)
    }
  }

  private hit(i: number, start: number, end: number): void {
    const pattern = this.compiled.patterns[i] as Pattern
    const from = pattern.gap === ANYWHERE ? start : this.earliest(this.compiled.setsOfPattern[i] as Int32Array, start)
    this.hits.push({ pattern, location: this.location, start: from, end })
  }

  /** The earliest start of those sets that occur in the current part; one of them occurs at `start`. */
  private earliest(sets: Int32Array, start: number): number {
    let earliest = start
    for (const set of sets)
      if ((this.last[set] as number) >= this.partFrom) earliest = Math.min(earliest, this.starts[set] as number)
    return earliest
  }

  sentence(): void {
    this.position += SENTENCE
    this.forget()
  }

  sign(sign: Sign, start: number, end: number): void {
    const known = this.signs.get(sign)
    if (known !== undefined) known.count++
    else this.signs.set(sign, { count: 1, location: this.location, start, end })
  }

  knows(hash: number): boolean {
    const place = this.dictionary.find(hash)
    const term = place === UNKNOWN ? UNKNOWN : this.dictionary.term(place)
    return term !== UNKNOWN && ((term >> 1) & (MAX_SETS - 1)) !== 0
  }
}
