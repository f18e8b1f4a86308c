// Parses a template: Mustache 5, with the same result as the library `mustache`, in time linear in its length (ADR 0008).
//
// A tag is `{{name}}`, `{{{name}}}` or `{{&name}}`, `{{#section}}` or `{{^inverted}}` up to `{{/..}}`, `{{! a comment }}` or
// `{{=<% %>=}}`, which changes the delimiters for what follows. A line with only section tags, comments or delimiter changes
// is removed with its line end. Partials are not supported.

/** `&` is an unescaped variable; `#` and `^` have their inner tokens as the last element. */
export type Token = readonly [kind: 'text' | 'name' | '&' | '#' | '^', name: string, inner?: readonly Token[]]

/** Parsed once, rendered often. */
export type ParsedTemplate = readonly Token[]

const MAX_DEPTH = 50

const BLANK = /\s/
const SIGILS = new Set(['#', '^', '/', '>', '{', '&', '=', '!'])

/** A text is emptied when its line turns out to hold only tags that produce no output. */
type Draft = [kind: Token[0], name: string, inner?: Draft[]]

interface Tag {
  readonly kind: string
  readonly name: string
  readonly start: number
  readonly end: number
}

type Delimiters = readonly [open: string, close: string]

/** A tag or text that cannot be parsed; the message is for people. */
class Fault extends Error {}

/** @returns the parsed template, or why it is invalid, for people */
export function parseTemplate(
  source: string,
  maxTags = Number.POSITIVE_INFINITY,
): ParsedTemplate | { readonly fault: string } {
  try {
    return parse(source, maxTags)
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

function parse(source: string, maxTags: number): ParsedTemplate {
  const sections = sectionsOf()
  const line = lineOf(sections.add)
  let delimiters: Delimiters = ['{{', '}}']
  let at = 0
  let tags = 0
  let start = source.indexOf(delimiters[0])
  while (start !== -1) {
    if (++tags > maxTags) throw new Fault(`has more than ${maxTags} tags`)
    line.text(source.slice(at, start))
    const tag = tagAt(source, start, delimiters)
    line.tag(tag.kind)
    sections.take(tag)
    if (tag.kind === '=') delimiters = delimitersOf(tag.name)
    at = tag.end
    start = source.indexOf(delimiters[0], at)
  }
  line.text(source.slice(at))
  line.end()
  return settled(sections.end(source.length))
}

function tagAt(source: string, start: number, [open, close]: Delimiters): Tag {
  const unclosed = (): Fault => new Fault(`Unclosed tag at ${source.length}`)
  const before = (text: string, from: number): number => {
    const found = source.indexOf(text, from)
    if (found === -1) throw unclosed()
    return found
  }
  let at = skipBlanks(source, start + open.length)
  const sigil = source.charAt(at)
  const kind = SIGILS.has(sigil) ? sigil : 'name'
  if (kind !== 'name') at = skipBlanks(source, at + 1)
  const nameEnd = before(kind === '=' ? '=' : kind === '{' ? `}${close}` : close, at)
  const name = source.slice(at, nameEnd).trimEnd()
  const end = before(close, kind === '=' || kind === '{' ? nameEnd + 1 : nameEnd) + close.length
  return { kind: kind === '{' ? '&' : kind, name, start, end }
}

function skipBlanks(source: string, from: number): number {
  let at = from
  while (BLANK.test(source.charAt(at))) at++
  return at
}

function delimitersOf(value: string): Delimiters {
  const [open = '', close = ''] = value.split(/\s+/, 2)
  if (open === '' || close === '') throw new Fault(`Invalid tags: ${value}`)
  return [open, close]
}

/** The line being parsed: its texts, and whether they stay. */
interface Line {
  text(text: string): void
  tag(kind: string): void
  end(): void
}

function lineOf(add: (draft: Draft) => void): Line {
  let blanks: Draft[] = []
  let hasTag = false
  let hasContent = false
  const end = (): void => {
    if (hasTag && !hasContent) for (const blank of blanks) blank[1] = ''
    blanks = []
    hasTag = false
    hasContent = false
  }
  const put = (text: string): void => {
    if (text === '') return
    const draft: Draft = ['text', text]
    add(draft)
    if (text.trim() === '') blanks.push(draft)
    else hasContent = true
    if (text.endsWith('\n')) end()
  }
  return {
    end,
    tag: (kind) => {
      hasTag = true
      if (kind === 'name' || kind === '&') hasContent = true
    },
    text: (text) => {
      // The end of the current line, whole lines without a tag, and the start of the next line.
      const first = text.indexOf('\n') + 1
      const last = text.lastIndexOf('\n') + 1
      put(text.slice(0, first))
      put(text.slice(first, last))
      put(text.slice(last))
    },
  }
}

interface Sections {
  add(draft: Draft): void
  take(tag: Tag): void
  end(at: number): readonly Draft[]
}

function sectionsOf(): Sections {
  const outermost: Draft[] = []
  const open: { readonly name: string; readonly inner: Draft[] }[] = []
  const add = (draft: Draft): void => {
    const inside = open.at(-1)?.inner ?? outermost
    inside.push(draft)
  }
  const close = (name: string, start: number): void => {
    const section = open.pop()
    if (section === undefined) throw new Fault(`Unopened section "${name}" at ${start}`)
    if (section.name !== name) throw new Fault(`Unclosed section "${section.name}" at ${start}`)
  }
  return {
    add,
    take: ({ kind, name, start }) => {
      if (kind === '>') throw new Fault(`names the partial "${name}"; there are no partials`)
      if (kind === '/') close(name, start)
      if (kind === 'name' || kind === '&') add([kind, name])
      if (kind !== '#' && kind !== '^') return
      if (open.length === MAX_DEPTH) throw new Fault(`has sections nested deeper than ${MAX_DEPTH}`)
      const inner: Draft[] = []
      add([kind, name, inner])
      open.push({ name, inner })
    },
    end: (at) => {
      const last = open.at(-1)
      if (last !== undefined) throw new Fault(`Unclosed section "${last.name}" at ${at}`)
      return outermost
    },
  }
}

/** Merges adjacent texts: each token is a step of rendering. */
function settled(drafts: readonly Draft[]): ParsedTemplate {
  const tokens: Token[] = []
  let text = ''
  const endText = (): void => {
    if (text !== '') tokens.push(['text', text])
    text = ''
  }
  for (const [kind, name, inner] of drafts) {
    if (kind === 'text') {
      text += name
      continue
    }
    endText()
    tokens.push(inner === undefined ? [kind, name] : [kind, name, settled(inner)])
  }
  endText()
  return tokens
}
