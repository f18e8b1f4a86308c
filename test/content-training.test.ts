// The trained part of content scoring: training is reproducible, and the weights hold on mails that were not trained on. In
// full, `npm run bench -- content` checks both; CONTENT_RETRAIN=1 retrains on everything here too.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { readCorpus } from '../bin/content/corpus.ts'
import { fit, fromCorpus, fromModern, train } from '../bin/train-content.ts'
import { scoreContent } from '../src/modules/content/index.ts'
import { parseModel } from '../src/modules/content/model.ts'

const FILE = path.join(import.meta.dirname, '../src/modules/content/weights.txt')

test('training twice gives the same bytes, and words that few modern texts have keep small weights', async () => {
  const examples = [...fromCorpus((await readCorpus(40)).filter(({ heldBack }) => !heldBack)), ...fromModern()]
  const once = fit(examples)
  assert.equal(fit(examples), once)
  const { features, weights } = parseModel(once)
  assert.ok(features > 50)
  assert.ok(weights.every((weight) => weight <= 2.5 && weight >= -2))
})

test('the stored weights are the result of training', {
  skip: process.env['CONTENT_RETRAIN'] === undefined && 'CONTENT_RETRAIN is not set',
}, async () => {
  assert.equal(await train(), readFileSync(FILE, 'utf8'))
})

test('the weights contain no dates, list names or addresses, and the file is small', () => {
  const text = readFileSync(FILE, 'utf8')
  assert.ok(Buffer.byteLength(text) < 300_000)
  const { names } = parseModel(text)
  assert.ok(names.length > 3_000)
  for (const name of names) assert.match(name, /^#?[a-z]{1,24}(?: [a-z]{1,24})?$/)
  const marks = [
    'spamassassin',
    'razor',
    'exmh',
    'ilug',
    'zzzz',
    'monday',
    'august',
    'mailman',
    'linux',
    'perl',
    'iraq',
  ]
  for (const mark of marks)
    assert.ok(
      names.every((name) => !name.split(' ').includes(mark)),
      mark,
    )
})

test('on a sample of the held-back mails, ham is seldom called bad and spam scores worse', async () => {
  const mails = (await readCorpus(5)).filter(({ heldBack }) => heldBack)
  const scores = (prefix: string): number[] =>
    mails.filter(({ group }) => group.startsWith(prefix)).map((mail) => scoreContent(mail).score)
  const [easy, hard, spam] = [scores('easy'), scores('hard'), scores('spam')]
  assert.ok(easy.length > 100 && hard.length >= 8 && spam.length > 60, `${easy.length} ${hard.length} ${spam.length}`)
  const bad = (some: readonly number[]): number => some.filter((score) => score < 60).length / some.length
  assert.ok(bad(easy) <= 0.02, `easy ham ${bad(easy)}`)
  assert.ok(hard.filter((score) => score < 60).length <= 2)
  const ham = [...easy, ...hard]
  let won = 0
  for (const one of spam) for (const other of ham) won += one < other ? 1 : one === other ? 0.5 : 0
  const auc = won / (spam.length * ham.length)
  assert.ok(auc >= 0.97, `ROC AUC ${auc}`)
})
