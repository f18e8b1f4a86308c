// Trains the linear model of content scoring and writes src/modules/content/weights.txt:
//
//   node bin/train-content.ts          # writes the file
//   node bin/train-content.ts --check  # fails if the file differs from the result of training
//   node bin/train-content.ts --show   # the features that weigh most
//
// The same package gives the same file: no randomness, fixed order, weights rounded to hundredths. docs/content-scoring.md
// says what the model is trained on and what is left out.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DAMPING, parseModel } from '../src/modules/content/model.ts'
import { type CorpusMail, ownWords, readCorpus } from './content/corpus.ts'
import { featuresOf, isBarred } from './content/features.ts'
import { MODERN_HAM, MODERN_SPAM } from './content/modern.ts'

const FILE = path.join(import.meta.dirname, '../src/modules/content/weights.txt')
const VERSION = '1'
const MIN_MAILS = 6
/** A word must be used by several senders, or it identifies one of them. */
const MIN_SOURCES = 4
/** The largest share of the emails with a feature that may come from one source. */
const MAX_SOURCE_SHARE = 0.5
const MAX_FEATURES = 9_000
const ROUNDS = 400
const RATE = 1.2
/** Weight decay per round. */
const SHRINK = 0.012
const MAX_WEIGHT = 2.5
/** The old corpus has discussion lists, so evidence for an email may weigh less than evidence against it. */
const MAX_HAM_WEIGHT = 2
/** For a word from the modern emails that the corpus hardly contains: there are few of them. */
const MAX_MODERN_WEIGHT = 0.8
const MODERN_SHARE = 0.7
const MODERN_WEIGHT = 10
const HARD_HAM_WEIGHT = 8

export interface Example {
  readonly spam: boolean
  readonly weight: number
  readonly source: string
  readonly features: readonly string[]
}

/** The text of the weights file. */
export async function train(): Promise<string> {
  return fit([...fromCorpus((await readCorpus()).filter(({ heldBack }) => !heldBack)), ...fromModern()])
}

export function fit(examples: readonly Example[]): string {
  const names = choose(examples)
  const index = new Map(names.map((name, i) => [name, i]))
  const limits = limitsOf(names, index, examples)
  const rows = examples.map(({ features, spam, weight }) => {
    const own = [...new Set(features)].flatMap((name) => index.get(name) ?? [])
    return { own, scale: 1 / Math.sqrt(own.length + DAMPING), spam: spam ? 1 : 0, weight }
  })
  const { weights, bias } = descend(rows, limits)
  const lines = names
    .map((name, i) => [Math.round((weights[i] as number) * 100), name] as const)
    .filter(([weight]) => Math.abs(weight) >= 4)
    .sort(([a, one], [b, other]) => b - a || (one < other ? -1 : 1))
    .map(([weight, name]) => `${weight} ${name}`)
  return `version ${VERSION}\nbias ${bias.toFixed(2)}\nfrom ${FROM}\nto ${TO}\n\n${lines.join('\n')}\n`
}

/** The logits where the model's points begin and end; chosen on the training emails. */
const FROM = -1.5
const TO = 3

export function fromCorpus(mails: readonly CorpusMail[]): Example[] {
  const seen = new Set<string>()
  return mails.flatMap((mail): Example[] => {
    const features = featuresOf(ownWords(mail))
    const key = `${mail.spam} ${features.slice(0, 60).join(' ')}`
    if (seen.has(key) || features.length < 5 || isForeign(features)) return []
    seen.add(key)
    return [
      { spam: mail.spam, weight: mail.group === 'hard-ham-1' ? HARD_HAM_WEIGHT : 1, source: mail.source, features },
    ]
  })
}

/** Nearly all old emails in other languages than English are spam: the model would learn the language. */
const FOREIGN = new Set(
  `der die und das ist nicht mit fur auf sie ein eine einen einer den dem des von zu zum zur im am bei wir uns ihr ihre ihren
  ihnen es wird werden wurde haben hat sind als oder auch nur noch wenn sich bis aus an um le la les des est une un pour dans
  que qui pas vous nous votre vos sur sera et ou du au aux en ce cette par avec sans si il elle ne se son sa ses el los las
  una uno para con por su sus del es de ha lo al mas como sin este esta si no son di che per non da do em nao uma os e o och
  att som pa av`.split(/\s+/),
)
const NATIVE = new Set(
  'the and to of a in is for you it that this on with be are have your not we i or if will'.split(' '),
)

function isForeign(features: readonly string[]): boolean {
  const words = new Set(features)
  let foreign = 0
  let native = 0
  for (const word of FOREIGN) if (words.has(word)) foreign++
  for (const word of NATIVE) if (words.has(word)) native++
  return foreign > native || native < 2
}

export function fromModern(): Example[] {
  const example =
    (spam: boolean) =>
    (text: string, i: number): Example => {
      const [subject = '', ...rest] = text.split('\n')
      return {
        spam,
        weight: MODERN_WEIGHT,
        source: `modern ${i}`,
        features: featuresOf({ subject, html: null, text: rest.join('\n') }),
      }
    }
  return [...MODERN_HAM.map(example(false)), ...MODERN_SPAM.map(example(true))]
}

function choose(examples: readonly Example[]): string[] {
  const mails = new Map<string, number>()
  const sources = new Map<string, Map<string, number>>()
  const spams = new Map<string, number>()
  for (const { features, source, spam, weight } of examples) {
    for (const name of new Set(features)) {
      mails.set(name, (mails.get(name) ?? 0) + (source.startsWith('modern') ? MODERN_WEIGHT : 1))
      if (spam) spams.set(name, (spams.get(name) ?? 0) + weight)
      const own = sources.get(name) ?? new Map<string, number>()
      sources.set(name, own.set(source, (own.get(source) ?? 0) + 1))
    }
  }
  const informative = (name: string): number => {
    const all = mails.get(name) ?? 0
    const spam = Math.min(all, spams.get(name) ?? 0)
    return Math.abs(Math.log((spam + 1) / (all - spam + 1)) + 0.7) * Math.sqrt(all)
  }
  return [...mails.keys()]
    .filter((name) => {
      const all = mails.get(name) ?? 0
      const own = sources.get(name) ?? new Map<string, number>()
      if (name.split(' ').some((word) => FOREIGN.has(word) && !NATIVE.has(word))) return false
      if (all < MIN_MAILS || own.size < (name.includes(' ') ? MIN_SOURCES + 2 : MIN_SOURCES) || isBarred(name))
        return false
      return Math.max(...own.values()) <= all * MAX_SOURCE_SHARE
    })
    .map((name) => [informative(name), name] as const)
    .sort(([a, one], [b, other]) => b - a || (one < other ? -1 : 1))
    .slice(0, MAX_FEATURES)
    .map(([, name]) => name)
}

interface Limits {
  readonly least: Float64Array
  readonly most: Float64Array
}

function limitsOf(names: readonly string[], index: ReadonlyMap<string, number>, examples: readonly Example[]): Limits {
  const modern = new Float64Array(names.length)
  const all = new Float64Array(names.length)
  for (const { features, source, weight } of examples) {
    for (const name of new Set(features)) {
      const i = index.get(name)
      if (i === undefined) continue
      all[i] = (all[i] as number) + weight
      if (source.startsWith('modern')) modern[i] = (modern[i] as number) + weight
    }
  }
  const isModern = (i: number): boolean => (modern[i] as number) > (all[i] as number) * MODERN_SHARE
  return {
    least: Float64Array.from(names, (_, i) => -(isModern(i) ? MAX_MODERN_WEIGHT : MAX_HAM_WEIGHT)),
    most: Float64Array.from(names, (_, i) => (isModern(i) ? MAX_MODERN_WEIGHT : MAX_WEIGHT)),
  }
}

interface Row {
  readonly own: readonly number[]
  readonly scale: number
  readonly spam: number
  readonly weight: number
}

/** Full-batch gradient descent with momentum; both classes have the same total weight. */
function descend(
  rows: readonly Row[],
  { least, most }: Limits,
): { readonly weights: Float64Array; readonly bias: number } {
  const size = most.length
  const weights = new Float64Array(size)
  const speed = new Float64Array(size)
  const total = [0, 0]
  for (const { spam, weight } of rows) total[spam] = (total[spam] ?? 0) + weight
  const share = total.map((sum) => 0.5 / sum)
  let bias = 0
  let biasSpeed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = new Float64Array(size)
    let biasGradient = 0
    for (const { own, scale, spam, weight } of rows) {
      let sum = 0
      for (const i of own) sum += weights[i] as number
      const wrong = (spam - 1 / (1 + Math.exp(-(bias + sum * scale)))) * weight * (share[spam] as number)
      biasGradient += wrong
      for (const i of own) gradient[i] = (gradient[i] as number) + wrong * scale
    }
    for (let i = 0; i < size; i++) {
      speed[i] = (speed[i] as number) * 0.9 + (gradient[i] as number) * RATE * 100 - (weights[i] as number) * SHRINK
      weights[i] = Math.max(
        least[i] as number,
        Math.min(most[i] as number, (weights[i] as number) + (speed[i] as number)),
      )
    }
    biasSpeed = biasSpeed * 0.9 + biasGradient * RATE
    bias += biasSpeed
  }
  return { weights, bias }
}

if (import.meta.main) {
  const [mode] = process.argv.slice(2)
  if (mode === '--show') {
    const { names, weights } = parseModel(readFileSync(FILE, 'utf8'))
    const told = names.map((name, i) => `${(weights[i] as number).toFixed(2)} ${name}`)
    console.log(
      `${told.length} features\n\nagainst a mail:\n${told.slice(0, 150).join('\n')}\n\nfor a mail:\n${told.slice(-150).reverse().join('\n')}`,
    )
  } else {
    const text = await train()
    if (mode !== '--check') writeFileSync(FILE, text)
    else if (readFileSync(FILE, 'utf8') !== text) {
      console.error('weights.txt is not what training gives')
      process.exitCode = 1
    }
    console.log(`${text.split('\n').length - 6} features, ${Buffer.byteLength(text)} bytes`)
  }
}
