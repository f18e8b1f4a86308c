// The documentation pages: our markdown as HTML, in one frame. No scripts, nothing from other sites; light and dark,
// readable on a phone and without colours. All content comes from the repository, never from an account.

import { escapeText } from 'entities'
import { Marked, type Tokens } from 'marked'
import type { Answer } from './endpoint.ts'
import { sourceHash } from './envelopes.ts'

const STYLE = `:root{color-scheme:light dark;--paper:light-dark(#fdfcfa,#16150f);--raised:light-dark(#fff,#1d1c16);--ink:light-dark(#1e1c17,#ece8dd);--quiet:light-dark(#67624f,#a39d8b);--line:light-dark(#e5e0d3,#35332a);--brass:light-dark(#8a5910,#e0a33e)}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 Inter,ui-sans-serif,system-ui,sans-serif;font-variant-numeric:tabular-nums}
.frame{display:grid;grid-template-columns:minmax(0,1fr);max-width:72rem;margin:0 auto}
header,main,nav{padding:1rem 1.25rem}header{display:flex;flex-wrap:wrap;gap:.25rem 1rem;justify-content:space-between;border-bottom:1px solid var(--line)}
nav{border-top:1px solid var(--line);font-size:.9375rem}nav p{margin:1rem 0 .25rem;color:var(--quiet);font-size:.8125rem}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:block;padding:.25rem .5rem;border-radius:.25rem;text-decoration:none}
nav a:hover,nav a[aria-current]{background:var(--line)}nav a[aria-current]{font-weight:600}
a{color:inherit;text-underline-offset:3px;text-decoration-color:var(--brass)}
:focus-visible{outline:2px solid var(--brass);outline-offset:2px;border-radius:3px}
h1{font-size:1.75rem;line-height:1.25;margin:.5rem 0 1rem}h2{font-size:1.25rem;line-height:1.3;margin:2.5rem 0 .5rem}
h3{font-size:1rem;margin:1.75rem 0 .25rem}h4{font-size:.875rem;color:var(--quiet);margin:1rem 0 .25rem}p,ul,ol{margin:.5rem 0 1rem}ul,ol{padding-left:1.5rem}li{margin:.25rem 0}
.scroll{overflow-x:auto;margin:.75rem 0 1.25rem}
table{border-collapse:collapse;font-size:.875rem;line-height:1.45}th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-bottom:1px solid var(--line)}th{color:var(--quiet);font-weight:400}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
code{overflow-wrap:anywhere}td code{overflow-wrap:normal}pre code{overflow-wrap:normal}
pre{overflow-x:auto;padding:.75rem 1rem;margin:.75rem 0 1.25rem;background:var(--raised);border:1px solid var(--line);border-radius:.375rem;font-size:.875rem;line-height:1.5}pre code{font-size:inherit}
summary{cursor:pointer}.quiet{color:var(--quiet)}.contents{columns:16rem;list-style:none;padding:0;font-size:.9375rem}.contents li{margin:0 0 .25rem}
.operation{border-top:1px solid var(--line);margin-top:1.5rem}.operation h3{font-family:ui-monospace,Menlo,Consolas,monospace;overflow-wrap:anywhere}
li:has(>[aria-hidden]){list-style:none;margin-left:-1.5rem;padding-left:1.5rem;text-indent:-1.5rem}.skip{position:absolute;left:-100vw}.skip:focus{left:.5rem;top:.5rem;background:var(--paper);padding:.5rem}
@media (min-width:60rem){.frame{grid-template-columns:15rem minmax(0,1fr)}header{grid-column:1/-1}nav{grid-column:1;grid-row:2;border:0}nav>div{position:sticky;top:0;max-height:100vh;overflow-y:auto}main{grid-column:2;padding:1rem 2rem 4rem}.to-pages{display:none}}
@media print{nav,header{display:none}}`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

export interface DocsLink {
  readonly href: string
  readonly title: string
}

export interface DocsGroup {
  readonly title: string
  readonly links: readonly DocsLink[]
}

/** @param body HTML of ours */
export function docsPage(page: DocsLink, groups: readonly DocsGroup[], body: string): Answer {
  const title = escapeText(page.title)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title} - Posthorn</title><style>${STYLE}</style></head>
<body><a class="skip" href="#main">Skip to content</a><div class="frame">
<header><a href="/docs"><strong>Posthorn</strong> documentation</a><span><a class="to-pages" href="#pages">All pages</a> <a href="/">Dashboard</a></span></header>
<main id="main">
${body}
</main>
<nav id="pages" aria-label="Pages"><div>${groups.map((group) => navGroup(group, page.href)).join('')}</div></nav>
</div></body></html>
`
  return { status: 200, body: html, headers: HEADERS }
}

function navGroup({ title, links }: DocsGroup, here: string): string {
  const items = links.map(
    ({ href, title: name }) =>
      `<li><a href="${href}"${href === here ? ' aria-current="page"' : ''}>${escapeText(name)}</a></li>`,
  )
  return `<p>${escapeText(title)}</p><ul>${items.join('')}</ul>`
}

/**
 * Renders markdown of the repository as HTML. Headings carry anchors; wide tables scroll on their own.
 *
 * @param linkTo maps a link in the file to its address on this site; null: on no page, so only its text is kept
 */
export function markdownToHtml(text: string, linkTo: (href: string) => string | null): string {
  const anchors = new Map<string, number>()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading): string {
        return `<h${depth} id="${anchorOf(words, anchors)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      // tabindex: a box that scrolls on its own must be reachable by keyboard.
      code({ text: program }: Tokens.Code): string {
        return `<pre tabindex="0"><code>${escapeText(program)}</code></pre>\n`
      },
      checkbox(): string {
        return '<span aria-hidden="true">☐</span> '
      },
      link({ href, tokens }: Tokens.Link): string {
        const words = this.parser.parseInline(tokens)
        const target = linkTo(href)
        return target === null ? words : `<a href="${attribute(target)}">${words}</a>`
      },
      table(token: Tokens.Table): string {
        const cells = (row: readonly Tokens.TableCell[], tag: string): string =>
          row
            .map((cell) => ({ tag: cell.text === '' ? 'td' : tag, words: this.parser.parseInline(cell.tokens) }))
            .map((cell) => `<${cell.tag}>${cell.words}</${cell.tag}>`)
            .join('')
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`
      },
    },
  })
  return marked.parse(text, { async: false })
}

export function attribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;')
}

/** Makes anchors as common markdown renderers do, so that `#anchors` work in the repository and here. */
function anchorOf(words: string, known: Map<string, number>): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
  const times = known.get(plain) ?? 0
  known.set(plain, times + 1)
  return times === 0 ? plain : `${plain}-${times}`
}
