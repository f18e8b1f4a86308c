// Reads characters one by one and emits words. It keeps only the current word, so a mail is read in one pass without copies:
// html passes on its visible characters, while the text part and the subject are read as a whole. Letters are folded
// (fold.ts), so `Vérifiez` and `VERIFIEZ` are the same word. Addresses, numbers, sums of money and
// wallet addresses are emitted as classes. A word is emitted as the 32-bit FNV-1a hash of its folded letters.

import {
  ENDS_ADDRESS,
  ENDS_SENTENCE,
  isCurrency,
  isDigit,
  isPlainLetter,
  LETTER,
  OVERRIDES_DIRECTION,
  ROLE,
} from './characters.ts'
import { type Folding, folding, isStyled, isUnseenPair, KIND, LEET, styledLetter } from './fold.ts'
import { FNV_BASIS, FNV_PRIME, hashLetters, hashOf } from './hash.ts'
import { PhoneNumbers } from './phone-numbers.ts'
import { CLASS, type Class, type Listener, unitOf } from './word-events.ts'

/** Letters of a word that count; further letters are ignored. */
const MAX_LETTERS = 40

/** Local copies: exported and imported bindings are looked up at each use, and these are used for each letter. */
const [BASIS, PRIME] = [FNV_BASIS, FNV_PRIME]
const { word: WORD } = CLASS
const { folded: FOLDED, capitalBit: CAPITAL_BIT } = LETTER
const { blank: BLANK, line: LINE, end: END, fed: FED, dot: DOTTED, colon: COLONED, other: OTHER } = ROLE
const MODE = { none: 0, word: 1, number: 2, url: 3, address: 4 } as const
const SPACED_RUN = 5
const LEAST_CODES = 16_384
/** Enough for a reader of terms, of which thousands exist while the tables are built. */
const TERM_CODES = 128
const MOST_IDLE_CODES = 262_144
const [DOT, COMMA, AT, COLON, EXCLAMATION] = [0x2e, 0x2c, 0x40, 0x3a, 0x21]
const WALLET =
  /^(?:bc1[a-z0-9]{25,60}|[13][a-km-zA-HJ-NP-Z1-9]{25,34}|0x[0-9a-fA-F]{40}|T[1-9A-HJ-NP-Za-km-z]{33}|[48][1-9A-HJ-NP-Za-km-z]{94})$/
const HOST = /^[a-z0-9][a-z0-9.-]{0,250}\.[a-z]{2,24}(?:[/:?#]|$)/i

const NOWHERE = 0x7fff_ffff

/** Stands after the codes of a source: neither letter, blank nor sign. */
const NO_CODE = 0xffff

const HTTP = new Set([hashOf('http'), hashOf('https'), hashOf('hxxp'), hashOf('hxxps')])

export class Reader {
  private readonly table: Folding = folding()
  private readonly listener: Listener
  private source = ''
  /** The code units of `source`, then NO_CODE; what follows is stale. Reading an array is many times faster than a string. */
  codes = new Uint16Array(0)
  /** Blanks in the current run. */
  private blanks = 0
  private bytes = Buffer.from(this.codes.buffer)
  private mode: number = MODE.none
  private hash = BASIS
  private length = 0
  private start = 0
  private end = 0
  private capitals = 0
  private digits = 0
  private latins = 0
  private others = 0
  /** Offset of the first invisible character in the word. */
  private unseenAt = NOWHERE
  private styled = 0
  private pending = 0
  private heldNumber = false
  private currencyAt = -9
  private spaced = 0
  private spacedStart = 0
  private highSurrogate = 0
  private newlines = 0
  private readonly phones = new PhoneNumbers()
  private readonly letters = new Uint16Array(MAX_LETTERS)
  private readonly spacedLetters = new Uint16Array(MAX_LETTERS)

  constructor(listener: Listener) {
    this.listener = listener
  }

  begin(source: string): void {
    this.source = source
    this.currencyAt = -9
    this.highSurrogate = this.newlines = 0
    this.phones.begin()
    if (this.codes.length <= source.length) {
      const isTerm = source.length * 2 <= TERM_CODES
      this.codes = new Uint16Array(isTerm ? TERM_CODES : Math.max(LEAST_CODES, source.length * 1.25))
      this.bytes = Buffer.from(this.codes.buffer)
    }
    this.bytes.write(source, 'utf16le')
    this.codes[source.length] = NO_CODE
  }

  /** Releases the source, and the codes of a large one. */
  tidy(): void {
    this.source = ''
    if (this.codes.length <= MOST_IDLE_CODES) return
    this.codes = new Uint16Array(0)
    this.bytes = Buffer.from(this.codes.buffer)
  }

  /**
   * Reads `source` from `from` to `to` as it is.
   *
   * @returns how many of these characters are visible: neither blanks nor control characters
   */
  run(from: number, to: number): number {
    const { codes } = this
    const { letters } = this.table
    this.blanks = 0
    for (let at = from; at < to; ) {
      if (this.mode === MODE.none) {
        if (this.heldNumber && (letters[codes[at] as number] !== 0 || isDigit(codes[at] as number)))
          this.emitNumber(CLASS.number)
        if (!this.heldNumber) at = this.plainText(at, to)
        if (at === to) break
      }
      const code = codes[at] as number
      const isBetween = this.mode === MODE.none && !this.heldNumber
      if (letters[code] !== 0 && (isBetween || (this.mode === MODE.word && this.pending === 0)))
        at = this.lettersInARow(at, to)
      else if (isBetween && isDigit(code)) at = this.digitsInARow(at, to)
      else {
        if (code <= 0x20 || code === 0xa0) this.blanks++
        this.feed(code, at++)
      }
    }
    return to - from - this.blanks
  }

  /**
   * Reads words of Latin letters only and what separates them, which is most of most mails. It has the same effect as `feed`
   * for each character, but skips the state that `feed` keeps for other kinds of word.
   *
   * @param from between words, with no number held
   * @returns where something else begins, at most `to`: a number, or a word that may be of another kind
   */
  private plainText(from: number, to: number): number {
    const { codes, listener } = this
    const { letters, roles } = this.table
    let at = from
    while (at < to) {
      let code = codes[at] as number
      if (!isPlainLetter(code) && letters[code] === 0) {
        const role = roles[code] as number
        if (role === BLANK) this.blanks++
        else if (role === OTHER) return at
        else if (role === FED) this.feed(code, at)
        else if (role === DOTTED || role === END) listener.sentence()
        else if (role === LINE) {
          this.blanks++
          if (++this.newlines === 2) listener.sentence()
        }
        at++
        continue
      }
      const start = at
      let hash = BASIS
      // In the code of a small letter the bit that distinguishes it from the capital is set.
      let all = 0
      for (;;) {
        while (isPlainLetter(code)) {
          all |= code
          hash = Math.imul(hash ^ (code | 0x20), PRIME)
          code = codes[++at] as number
        }
        const letter = code > 0x7f ? (letters[code] as number) : 0
        if (letter === 0) break
        all |= (letter >> CAPITAL_BIT) ^ 1 ? 0x20 : 0
        hash = Math.imul(hash ^ (letter & FOLDED), PRIME)
        code = codes[++at] as number
      }
      const length = at - start
      // A tag within a word: the characters from `to` on do not belong to this text.
      if (at >= to || length > MAX_LETTERS) return start
      const role = roles[code] as number
      if (role > FED && !this.endsPlainly(role, hash, at + 1, to)) return start
      if (length === 1) this.noteSpaced((letters[codes[start] as number] as number) & FOLDED, start)
      else if (this.spaced !== 0) this.endSpaced()
      if (this.newlines !== 0) this.newlines = 0
      listener.word(hash, length, start, at, WORD, (all & 0x20) === 0)
      const blanksFrom = at
      while (at < to && codes[at] === 0x20) at++
      this.blanks += at - blanksFrom
    }
    return at
  }

  /** Whether a word ends before a dot or a colon; it may be a host or the beginning of an address. */
  private endsPlainly(role: number, hash: number, next: number, to: number): boolean {
    if (role === COLONED) return !HTTP.has(hash)
    if (role !== DOTTED || next >= to) return false
    const after = this.table.roles[this.codes[next] as number] as number
    return after <= DOTTED
  }

  /**
   * Reads Latin letters in one go, with the same effect as `feed` for each.
   *
   * @returns the offset after the last letter
   */
  private lettersInARow(from: number, to: number): number {
    if (this.mode === MODE.none) this.open(MODE.word, from)
    const { codes, letters } = this
    const plain = this.table.letters
    let { hash, length, capitals } = this
    let at = from
    let letter = plain[codes[at] as number] as number
    do {
      capitals += letter >> CAPITAL_BIT
      if (length < MAX_LETTERS) {
        letter &= FOLDED
        letters[length++] = letter
        hash = Math.imul(hash ^ letter, PRIME)
      }
      letter = ++at < to ? (plain[codes[at] as number] as number) : 0
    } while (letter !== 0)
    this.hash = hash
    this.length = length
    this.capitals = capitals
    this.latins += at - from
    this.end = at
    return at
  }

  /**
   * Reads digits between words in one go, with the same effect as `feed` for each.
   *
   * @returns the offset after the last digit
   */
  private digitsInARow(from: number, to: number): number {
    this.open(MODE.number, from)
    const { codes } = this
    let at = from
    do this.push(codes[at] as number, at)
    while (++at < to && isDigit(codes[at] as number))
    this.digits = at - from
    return at
  }

  feed(code: number, at: number): void {
    const kind = this.table.kind[code] as number
    if (kind === KIND.latin || kind === KIND.letter) {
      this.letter(this.table.folded[code] as number, kind, at, this.table.capital[code] as number)
      if (kind === KIND.latin && isStyled(code)) this.styled++
    } else if (kind === KIND.digit) this.digit(code, at)
    else if (kind === KIND.break) this.mark(code, at)
    else if (kind === KIND.invisible) this.noteUnseen(at)
  }

  private noteUnseen(at: number): void {
    if (this.mode === MODE.word) this.unseenAt = Math.min(this.unseenAt, at)
  }

  /** Called at a tag that separates words. */
  breakWord(): void {
    this.finish()
    if (this.heldNumber) this.emitNumber(CLASS.number)
  }

  breakSentence(): void {
    this.breakWord()
    this.endSpaced()
    this.listener.sentence()
  }

  private letter(letter: number, kind: number, at: number, capital: number): void {
    if (this.heldNumber) this.emitNumber(CLASS.number)
    if (this.mode === MODE.url || this.mode === MODE.address) {
      this.end = at + 1
      return
    }
    if (this.pending !== 0) {
      const joins = this.mode === MODE.word && (this.pending === AT || (this.pending === DOT && capital === 0))
      if (joins) {
        this.pending = 0
        this.mode = MODE.address
        this.end = at + 1
        return
      }
      this.breakWord()
    }
    if (this.mode === MODE.none) this.open(MODE.word, at)
    this.mode = MODE.word
    if (kind === KIND.latin) this.latins++
    else this.others++
    this.capitals += capital
    this.push(letter, at)
  }

  private digit(code: number, at: number): void {
    if (this.heldNumber) this.emitNumber(CLASS.number)
    if (this.mode === MODE.url || this.mode === MODE.address) {
      this.end = at + 1
      return
    }
    if (this.pending !== 0 && this.mode === MODE.word) {
      this.mode = MODE.address
      this.pending = 0
      this.end = at + 1
      return
    }
    this.pending = 0
    if (this.mode === MODE.none) this.open(MODE.number, at)
    this.digits++
    this.push(code, at)
  }

  private push(letter: number, at: number): void {
    if (this.length < MAX_LETTERS) {
      this.letters[this.length++] = letter
      this.hash = Math.imul(this.hash ^ letter, PRIME)
    }
    this.end = at + 1
  }

  private open(mode: number, at: number): void {
    this.mode = mode
    this.hash = BASIS
    this.length = this.capitals = this.digits = this.latins = this.others = this.styled = 0
    this.unseenAt = NOWHERE
    this.pending = this.newlines = 0
    this.start = at
  }

  private mark(code: number, at: number): void {
    if (code >= 0xd800 && code <= 0xdfff) {
      this.surrogate(code, at)
      return
    }
    if (this.heldNumber && code !== 0x20 && code !== 0xa0 && code !== 0x202f) this.emitNumber(unitOf(code))
    if (this.goesOn(code, at) || code === 0x20) return
    if (code === 0x0a) {
      if (++this.newlines === 2) this.listener.sentence()
      return
    }
    if (isCurrency(code)) this.currencyAt = at
    else this.sign(code, at)
  }

  /** Whether the open address, word or number goes on with this sign, as far as can be told. If not, it is closed. */
  private goesOn(code: number, at: number): boolean {
    if (this.mode === MODE.url || this.mode === MODE.address) {
      if (code > 0x20 && code !== 0xa0 && !ENDS_ADDRESS.has(code)) return true
      this.finish()
    } else if (this.mode === MODE.word) {
      if (this.mayJoin(code, AT)) return true
      if (code === COLON && HTTP.has(this.hash)) {
        this.mode = MODE.url
        this.end = at + 1
        return true
      }
      this.finish()
    } else if (this.mode === MODE.number) {
      if (this.mayJoin(code, COMMA)) return true
      this.finish()
      const unit = unitOf(code)
      if (unit !== CLASS.number) this.emitNumber(unit)
    }
    return false
  }

  /** A dot, or the other sign, between two parts of a word or number; what follows tells whether it joins them. */
  private mayJoin(code: number, other: number): boolean {
    if (this.pending !== 0 || (code !== DOT && code !== other)) return false
    this.pending = code
    return true
  }

  private sign(code: number, at: number): void {
    if (ENDS_SENTENCE.has(code)) this.listener.sentence()
    if (code === EXCLAMATION) this.listener.sign('exclamation', at, at + 1)
    else if (OVERRIDES_DIRECTION.has(code)) this.listener.sign('bidi', Math.max(0, at - 10), at + 20)
    else if (code >= 0x2600 && code <= 0x27bf) this.listener.sign('emoji', at, at + 1)
  }

  /** Styled letters lie beyond the first plane; so do most emoji. */
  private surrogate(code: number, at: number): void {
    if (code < 0xdc00) {
      this.highSurrogate = code
      return
    }
    const high = this.highSurrogate
    this.highSurrogate = 0
    const letter = styledLetter(high, code)
    if (letter !== 0) {
      this.letter(letter, KIND.latin, at, 0)
      this.styled++
      return
    }
    if (isUnseenPair(high, code)) return this.noteUnseen(at - 1)
    this.breakWord()
    if (high >= 0xd83c && high <= 0xd83e) this.listener.sign('emoji', at - 1, at + 1)
  }

  private finish(): void {
    const { mode, pending } = this
    if (mode === MODE.none) return
    this.mode = MODE.none
    this.pending = 0
    if (mode === MODE.word) this.finishWord()
    else if (mode === MODE.number) {
      this.heldNumber = true
      this.endSpaced()
    } else this.finishAddress(mode)
    if (pending === DOT) this.listener.sentence()
  }

  private emitNumber(kind: Class): void {
    this.heldNumber = false
    const isMoney = this.currencyAt >= 0 && this.start - this.currencyAt <= 2 && this.start > this.currencyAt
    const isPhone = this.phones.reads(this.source, this.start, this.end, this.digits)
    const wordClass = isMoney ? CLASS.money : kind === CLASS.number && isPhone ? CLASS.phone : kind
    this.listener.word(this.hash, this.length, this.start, this.end, wordClass, false)
  }

  private finishAddress(mode: number): void {
    this.endSpaced()
    const text = this.source.slice(this.start, Math.min(this.end, this.start + 2_048))
    const at = text.indexOf('@')
    const kind = mode === MODE.url ? CLASS.url : at > 0 ? CLASS.email : HOST.test(text) ? CLASS.host : WORD
    if (kind === WORD) return
    if (kind === CLASS.email && !text.includes('.')) {
      this.readsAs(hashOf(text.toLowerCase().replaceAll('@', 'a').slice(0, MAX_LETTERS)))
      return
    }
    this.listener.word(0, text.length, this.start, this.end, kind, false)
  }

  private finishWord(): void {
    const { start, end, length } = this
    if (length === 1 && this.latins === 1) this.noteSpaced(this.letters[0] as number, start)
    else this.endSpaced()
    if (this.styled >= 3) this.listener.sign('styled', start, end)
    if (this.others > 0) this.readLookalikes()
    // One behind the last letter stands beside the word.
    if (this.unseenAt < end && this.latins >= 3) this.listener.sign('invisible', start, end)
    if (this.digits > 0) {
      if (end - start >= 26 && WALLET.test(this.source.slice(start, end))) {
        this.listener.word(0, length, start, end, CLASS.wallet, false)
        return
      }
      if (length >= 4 && length <= 16 && this.digits <= 3) this.readDigits()
    }
    this.listener.word(this.hash, length, start, end, WORD, this.capitals === length)
  }

  /** Replaces letters of another alphabet that look Latin, in a Latin word or in a word made only of such letters. */
  private readLookalikes(): void {
    const { lookalike } = this.table
    let alike = 0
    for (let i = 0; i < this.length; i++) if ((lookalike[this.letters[i] as number] as number) !== 0) alike++
    if (alike === 0 || alike < this.others) return
    for (let i = 0; i < this.length; i++) {
      const plain = lookalike[this.letters[i] as number] as number
      if (plain !== 0) this.letters[i] = plain
    }
    const hash = hashLetters(this.letters, this.length)
    if (this.latins > 0 && this.length >= 3) this.listener.sign('mixed', this.start, this.end)
    else if (this.length < 4 || !this.listener.knows(hash)) return
    else this.listener.sign('lookalike', this.start, this.end)
    this.hash = hash
  }

  /** `v1agra`, `acc0unt`: digits that stand for letters, reported only when the rules know the word. */
  private readDigits(): void {
    const { letters, length } = this
    if ((letters[0] as number) < 0x40 && this.digits > 1) return
    let hash = BASIS
    for (let i = 0; i < length; i++)
      hash = Math.imul(hash ^ (LEET[letters[i] as number] ?? (letters[i] as number)), PRIME)
    this.readsAs(hash)
  }

  /** @param hash of the intended word */
  private readsAs(hash: number): void {
    if (!this.listener.knows(hash)) return
    this.hash = hash
    this.listener.sign('digits', this.start, this.end)
  }

  private noteSpaced(letter: number, at: number): void {
    if (this.spaced === 0) this.spacedStart = at
    if (this.spaced < MAX_LETTERS) this.spacedLetters[this.spaced++] = letter
  }

  private endSpaced(): void {
    if (this.spaced === 0) return
    const letters = this.spaced
    this.spaced = 0
    if (letters < SPACED_RUN) return
    const hash = hashLetters(this.spacedLetters, letters)
    this.listener.sign('spaced', this.spacedStart, this.spacedStart + letters * 2)
    if (this.listener.knows(hash))
      this.listener.word(hash, letters, this.spacedStart, this.spacedStart + letters * 2, WORD, true)
  }
}
