import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedLanguage, LANGUAGES, languageOf } from './languages.ts'

test('a locale gets its language, or English where we have no words for it', () => {
  for (const language of LANGUAGES) assert.equal(languageOf(language), language)
  const asked = ['de-AT', 'PT-br', 'nl-Latn-BE', 'den', 'sv', 'zh-Hans-CN', 'constructor', '']
  assert.deepEqual(asked.map(languageOf), ['de', 'pt', 'nl', 'en', 'en', 'en', 'en', 'en'])
})

// Each row: Accept-Language, and the language of the page.
const ACCEPTED: readonly [header: string | undefined, language: string][] = [
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de', 'de'],
  ['fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5', 'fr'],
  ['sv, pl;q=0.7, de;q=0.8', 'de'],
  ['en;q=0.3,it ; Q = 0.4', 'it'],
  ['de;q=0, nl;q=0.001', 'nl'],
  ['de;q=0', 'en'],
  ['es;q=..., ,;;q', 'en'],
]
for (const [header, language] of ACCEPTED) {
  test(`a browser that accepts "${header}" gets ${language}`, () => {
    assert.equal(acceptedLanguage(header), language)
  })
}
