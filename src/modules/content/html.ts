// What a rule wants to know of html, read in one pass. It is no parser: it walks from one `<` to the next `>`, each
// character is looked at a bounded number of times, and what is not closed ends the walk.

export interface Link {
  readonly target: string
  readonly text: string
}

export interface HtmlFacts {
  /** The visible text, entities left as they are. */
  readonly text: string
  readonly hiddenChars: number
  readonly links: readonly Link[]
  readonly images: number
  /** Names of elements that mail clients drop or that filters distrust. */
  readonly active: readonly string[]
}

const TAG_NAME = /^\/?([a-z][a-z0-9]*)/i
const HREF = /\shref\s?=\s?(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i
const HIDING = /display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?0(?![.\d])/i
const ACTIVE = new Set(['script', 'form', 'iframe', 'object', 'embed', 'applet'])
const TAG_LOOK_CHARS = 2_048
const MAX_LINKS = 1_000
const LINK_TEXT_CHARS = 300

export function htmlFacts(html: string): HtmlFacts {
  const visible: string[] = []
  const links: Link[] = []
  const active = new Set<string>()
  const lower = html.toLowerCase()
  const hidden = { name: '', depth: 0 }
  let hiddenChars = 0
  let images = 0
  let open: { target: string; text: string } | null = null
  let at = 0
  const say = (text: string): void => {
    if (hidden.depth > 0) hiddenChars += text.trim().length
    else visible.push(text)
    if (open !== null && open.text.length < LINK_TEXT_CHARS) open.text += text
  }
  while (at < html.length) {
    const start = html.indexOf('<', at)
    if (start === -1) {
      say(html.slice(at))
      break
    }
    if (start > at) say(html.slice(at, start))
    const isComment = html.startsWith('<!--', start)
    const end = isComment ? html.indexOf('-->', start + 4) : html.indexOf('>', start)
    if (end === -1) break
    at = end + (isComment ? 3 : 1)
    if (isComment) continue
    const tag = html.slice(start + 1, Math.min(end, start + TAG_LOOK_CHARS))
    const name = TAG_NAME.exec(tag)?.[1]?.toLowerCase()
    if (name === undefined) continue
    const closing = tag.startsWith('/')
    const isHidden = hidden.depth > 0
    if (isHidden && hidden.name === name) hidden.depth += closing ? -1 : 1
    if (name === 'a') {
      if (open !== null && links.length < MAX_LINKS) links.push(open)
      const href = closing ? null : HREF.exec(tag)
      open = href === null ? null : { target: (href[1] ?? href[2] ?? href[3] ?? '').trim(), text: '' }
    }
    if (closing) continue
    if (name === 'img') images++
    else if (ACTIVE.has(name)) active.add(name)
    else if (!isHidden && HIDING.test(tag)) Object.assign(hidden, { name, depth: 1 })
    if (name === 'script' || name === 'style') {
      const close = lower.indexOf(`</${name}`, at)
      if (close === -1) break
      at = close
    }
    visible.push(' ')
  }
  if (open !== null && links.length < MAX_LINKS) links.push(open)
  return { text: visible.join(''), hiddenChars, links, images, active: [...active] }
}
