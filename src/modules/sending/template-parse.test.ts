import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import mustache from 'mustache'
import { type ParsedTemplate, parseTemplate } from './template-parse.ts'

/** The library's result, in our form; null when it rejects the template. */
function readByLibrary(source: string): ParsedTemplate | null {
  try {
    return plain(new mustache.Writer().parse(source) as unknown as readonly LibraryToken[])
  } catch {
    return null
  }
}

type LibraryToken = readonly [kind: string, name: string, start: number, end: number, inner?: readonly LibraryToken[]]

function plain(tokens: readonly LibraryToken[]): ParsedTemplate {
  const all = tokens
    .filter(([kind]) => kind !== '!' && kind !== '=')
    .map(([kind, name, , , inner]) => (inner === undefined ? [kind, name] : [kind, name, plain(inner)]))
  return all as unknown as ParsedTemplate
}

/** Merges texts separated only by a tag without output: our parser joins them. */
function joined(tokens: ParsedTemplate): ParsedTemplate {
  const all: ParsedTemplate[number][] = []
  for (const [kind, name, inner] of tokens) {
    const last = all.at(-1)
    if (kind === 'text' && last?.[0] === 'text') all[all.length - 1] = ['text', last[1] + name]
    else all.push(inner === undefined ? [kind, name] : [kind, name, joined(inner)])
  }
  return all
}

const PIECES = ['{{', '}}', '{{{', '}}}', '#', '^', '/', '&', '!', '=', '{{=', '=}}', '<%', '%>', '| |', '{', '}']
const TAGS = [
  '{{a}}',
  '{{ b.c }}',
  '{{{ a }}}',
  '{{& a}}',
  '{{#a}}',
  '{{# b }}',
  '{{^a}}',
  '{{/a}}',
  '{{/ b}}',
  '{{! x\ny }}',
]
const CHANGES = [
  '{{=<% %>=}}',
  '<%={{ }}=%>',
  '<%a%>',
  '<%#a%>',
  '<%/a%>',
  '<%{a}%>',
  '{{= [ ] =}}',
  '[a]',
  '[={{ }}=]',
]
const BETWEEN = ['a', 'b', ' ', '  ', '\t', '\n', '\r\n', '\n\n', ' x \n', '\u00a0', 'x']

test('a template is parsed as the library parses it', () => {
  let templates = 0
  const source = fc.array(fc.constantFrom(...TAGS, ...TAGS, ...BETWEEN, ...BETWEEN, ...CHANGES, ...PIECES), {
    maxLength: 20,
  })
  fc.assert(
    fc.property(source, (parts) => {
      const text = parts.join('')
      const [ours, theirs] = [parseTemplate(text), readByLibrary(text)]
      if (theirs !== null) templates++
      assert.deepEqual('fault' in ours ? null : ours, theirs === null ? null : joined(theirs), JSON.stringify(text))
    }),
    { numRuns: 20_000 },
  )
  assert.ok(templates > 1_000, `only ${templates} were templates`)
})

test('the reason why a template is invalid is given in words', () => {
  const rows: [source: string, fault: string][] = [
    ['{{a', 'Unclosed tag at 3'],
    ['{{=a', 'Unclosed tag at 4'],
    ['{{{a}}', 'Unclosed tag at 6'],
    ['{{=a=}}', 'Invalid tags: a'],
    ['{{#a}}x', 'Unclosed section "a" at 7'],
    ['{{#a}}{{/b}}', 'Unclosed section "a" at 6'],
    ['x{{/a}}', 'Unopened section "a" at 1'],
    ['{{> a}}', 'names the partial "a"; there are no partials'],
    [`${'{{#a}}'.repeat(51)}${'{{/a}}'.repeat(51)}`, 'has sections nested deeper than 50'],
  ]
  for (const [source, fault] of rows) assert.deepEqual(parseTemplate(source), { fault })
  assert.ok(!('fault' in parseTemplate(`${'{{#a}}'.repeat(50)}${'{{/a}}'.repeat(50)}`)))
})

// The library is quadratic for a run of blanks in a tag: 40 kB take seconds, during which nobody else is answered.
test('the time to parse is linear in the length', () => {
  const many = 200_000
  const rows: [what: string, source: string][] = [
    ['text', 'x'.repeat(many)],
    ['blanks', ' '.repeat(many)],
    ['a tag that is never closed', `{{a${' '.repeat(many)}`],
    ['blanks in a tag', `{{a${' '.repeat(many)}b}}`],
    ['blanks in braces', `{{{a${' '.repeat(many)}b}}}`],
    ['blanks in a change of delimiters', `{{=a${' '.repeat(many)}b`],
    ['tags', '{{a}}'.repeat(many / 10)],
    ['tags with other delimiters', `{{=[ ]=}}${'[a]'.repeat(many / 10)}`],
    ['sections', '{{#a}} {{/a}}'.repeat(many / 10)],
    ['open braces', '{{ {{'.repeat(many / 10)],
    ['a line of tags', `${' {{! x }}'.repeat(many / 10)}\n`],
  ]
  for (const [what, source] of rows) {
    const began = process.cpuUsage()
    parseTemplate(source)
    const { user, system } = process.cpuUsage(began)
    assert.ok(user + system < 2_000_000, `${what}: ${Math.round((user + system) / 1_000)} ms`)
  }
})
