// The words and phrases of a lexicon as keys of its dictionary.

import { hashOf, join } from './hash.ts'
import { CLASS, type Class, type Listener } from './listener.ts'
import { Reader } from './reader.ts'

export const MAX_PHRASE_WORDS = 4

/** The keys of `next` and `next of`, for the phrase `next_of_kin`. */
export function beginnings(term: string): readonly number[] {
  const words = wordHashes(term.replaceAll('_', ' '))
  return words.slice(0, -1).map((_, i) => phraseKey(words.slice(0, i + 1)))
}

function phraseKey(words: readonly { readonly hash: number }[]): number {
  return words.slice(1).reduce((hash, { hash: next }) => join(hash, next), words[0]?.hash ?? 0)
}

/** `next_of_kin` is a phrase. */
export function keyOfTerm(term: string): number {
  const words = wordHashes(term.replaceAll('_', ' '))
  if (words.length === 0 || words.length > MAX_PHRASE_WORDS) throw new Error(`the lexicon cannot hold ${term}`)
  return phraseKey(words)
}

interface TermWord {
  readonly hash: number
  readonly length: number
}

function wordHashes(text: string): readonly TermWord[] {
  const terms = new TermEar(text)
  const reader = new Reader(terms)
  reader.begin(text)
  reader.run(0, text.length)
  reader.breakWord()
  return terms.words
}

/** Hears the words of a term. A class as Ear is: of closures the reader's loop would know no code to take in. */
class TermEar implements Listener {
  readonly words: TermWord[] = []
  private readonly text: string

  constructor(text: string) {
    this.text = text
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

  knows(): boolean {
    return false
  }
}
