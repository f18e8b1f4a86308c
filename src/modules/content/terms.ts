// Turns the words and phrases of a lexicon into keys of its dictionary.

import { hashOf, join } from './hash.ts'
import { Reader } from './reader.ts'
import { CLASS, type Class, type Listener } from './word-events.ts'

export const MAX_PHRASE_WORDS = 4

/** For the phrase `next_of_kin`, the keys of `next` and `next of`. */
export function beginnings(term: string): readonly number[] {
  const words = wordHashes(term.replaceAll('_', ' '))
  return words.slice(0, -1).map((_, i) => phraseKey(words.slice(0, i + 1)))
}

function phraseKey(words: readonly { readonly hash: number }[]): number {
  return words.slice(1).reduce((hash, { hash: next }) => join(hash, next), words[0]?.hash ?? 0)
}

/** Underscores make a phrase: `next_of_kin`. */
export function keyOfTerm(term: string): number {
  const words = wordHashes(term.replaceAll('_', ' '))
  if (words.length === 0 || words.length > MAX_PHRASE_WORDS) throw new Error(`the lexicon cannot hold ${term}`)
  return phraseKey(words)
}

interface TermWord {
  readonly hash: number
  readonly length: number
}

const NOTHING: ReadonlySet<number> = new Set()

/**
 * The words of a short text as the reader hashes them.
 *
 * @param known those that it recognizes in a disguise
 */
export function wordsIn(text: string, known: ReadonlySet<number> = NOTHING): readonly number[] {
  return wordHashes(text, known).map(({ hash }) => hash)
}

function wordHashes(text: string, known: ReadonlySet<number> = NOTHING): readonly TermWord[] {
  const terms = new TermCollector(text, known)
  const reader = new Reader(terms)
  reader.begin(text)
  reader.run(0, text.length)
  reader.breakWord()
  return terms.words
}

/** Collects the words of a term. A class like LexiconMatcher: with closures, calls in the reader's loop would not be inlined. */
class TermCollector implements Listener {
  readonly words: TermWord[] = []
  private readonly text: string
  private readonly known: ReadonlySet<number>

  constructor(text: string, known: ReadonlySet<number>) {
    this.text = text
    this.known = known
  }

  word(hash: number, length: number, start: number, end: number, kind: Class): void {
    this.words.push(
      kind === CLASS.word ? { hash, length } : { hash: hashOf(this.text.slice(start, end)), length: end - start },
    )
  }

  sentence(): void {
    return
  }

  sign(): void {
    return
  }

  knows(hash: number): boolean {
    return this.known.has(hash)
  }
}
