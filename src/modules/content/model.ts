// The trained part: logistic regression over the words and pairs of adjacent words of the subject and the visible body.
// bin/train-content.ts writes its weights to weights.txt; docs/content-scoring.md describes the training and its data.
//
// weights.txt: `key value` lines (`version`, `bias`, `from`, `to`), an empty line, then one feature per line: its weight in
// hundredths, a blank, the word as folded by fold.ts, and for a pair a blank and the second word. `#money` and the like are
// classes. Each feature counts once per mail. The sum is divided by the square root of (their number plus DAMPING), so that
// long mails are not judged more harshly than short ones.

import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { hashOf, join } from './hash.ts'

/** Out of 100: words alone can make a mail `high`, never `critical`. */
export const MODEL_POINTS = 45
export const DAMPING = 12
/** Known words and pairs needed for full points. `Please confirm your email address` is in everyday use and has half as many. */
const FULL_FEATURES = 60
const TOLD_WORDS = 5

export interface Model {
  readonly version: string
  readonly bias: number
  /** Points begin above this logit and are full from `to` on. */
  readonly from: number
  readonly to: number
  readonly features: number
  readonly keys: Int32Array
  readonly weights: Float32Array
  readonly names: readonly string[]
}

export function featureKey(name: string): number {
  const [first = '', second] = name.split(' ')
  return second === undefined ? hashOf(first) : join(hashOf(first), hashOf(second))
}

export function parseModel(text: string): Model {
  const [head = '', ...rest] = text.split('\n\n')
  const settings = new Map(head.split('\n').map((line) => line.split(' ', 2) as [string, string]))
  const setting = (name: string): number => {
    const value = Number(settings.get(name))
    if (Number.isNaN(value)) throw new Error(`the weights name no ${name}`)
    return value
  }
  const lines = rest
    .join('\n\n')
    .split('\n')
    .filter((line) => line !== '')
  const keys = new Int32Array(lines.length)
  const weights = new Float32Array(lines.length)
  const names = lines.map((line, i) => {
    const blank = line.indexOf(' ')
    const name = line.slice(blank + 1)
    keys[i] = featureKey(name)
    weights[i] = Number(line.slice(0, blank)) / 100
    return name
  })
  return {
    ...{ version: settings.get('version') ?? '', bias: setting('bias'), from: setting('from'), to: setting('to') },
    ...{ features: lines.length, keys, weights, names },
  }
}

let loaded: Model | null = null

export function trainedModel(): Model {
  loaded ??= parseModel(readFileSync(joinPath(import.meta.dirname, 'weights.txt'), 'utf8'))
  return loaded
}

export interface ModelScore {
  readonly logit: number
  /** 0 to MODEL_POINTS. */
  readonly points: number
  /** The words that weigh most against the mail, heaviest first; empty in a language that the model has not learnt. */
  readonly words: readonly string[]
}

/** Collects the features of one mail. */
export class FeatureCollector {
  private readonly model: Model
  private readonly collected: Uint8Array
  /** The collected features, in the first `count` elements. */
  private readonly found: Int32Array
  private count = 0

  constructor(model: Model) {
    this.model = model
    this.collected = new Uint8Array(model.features)
    this.found = new Int32Array(model.features)
  }

  /** Resets the state for the next mail. */
  reset(): void {
    for (let n = 0; n < this.count; n++) this.collected[this.found[n] as number] = 0
    this.count = 0
  }

  /** @param feature counts once, however often it occurs */
  collect(feature: number): void {
    if (this.collected[feature] !== 0) return
    this.collected[feature] = 1
    this.found[this.count++] = feature
  }

  /** @param isAlone no rule about words, links or the sender found a sign of fraud; then few known words yield fewer points */
  opinion(isAlone: boolean): ModelScore {
    const { weights, names, bias, from, to } = this.model
    let sum = 0
    for (let n = 0; n < this.count; n++) sum += weights[this.found[n] as number] as number
    const logit = bias + sum / Math.sqrt(this.count + DAMPING)
    // Squared, so that a mail hardly more likely to be spam than not costs next to nothing.
    const share = Math.min(1, Math.max(0, (logit - from) / (to - from)))
    const known = isAlone ? Math.min(1, this.count / FULL_FEATURES) : 1
    const points = Math.round(MODEL_POINTS * share * share * known)
    if (points === 0) return { logit, points, words: [] }
    return { logit, points, words: this.heaviest().map((at) => names[at] as string) }
  }

  /** The few features that weigh most against the mail; among equal weights the earlier one comes first. */
  private heaviest(): readonly number[] {
    const { weights } = this.model
    const top: number[] = []
    for (const at of this.found.subarray(0, this.count)) {
      const weight = weights[at] as number
      if (weight <= 0) continue
      let place = top.length
      while (place > 0 && (weights[top[place - 1] as number] as number) < weight) place--
      if (place < TOLD_WORDS) top.splice(place, 0, at)
      if (top.length > TOLD_WORDS) top.pop()
    }
    return top
  }
}
