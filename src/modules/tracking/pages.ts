// The pages that a recipient sees. No script, nothing from elsewhere, everything that is not ours escaped; readable by a
// screen reader and on a phone. Each says the same whatever the reason, so that it tells nothing to who guesses.

import { createHash } from 'node:crypto'
import { escapeText } from 'entities'
import type { Answer } from '../../platform/http.ts'

const STYLE =
  ':root{color-scheme:light dark}body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}' +
  'main{max-width:32rem;margin:0 auto;padding:15vh 1.25rem 2rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}' +
  'p{margin:0 0 1.5rem;overflow-wrap:anywhere}button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.5rem;' +
  'border:2px solid CanvasText;border-radius:.5rem;background:CanvasText;color:Canvas;cursor:pointer}' +
  'button:focus-visible{outline:3px solid Highlight;outline-offset:3px}'
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** The headers of every answer under /track (contract section 9). */
export const TRACK_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const

const PAGE_HEADERS = {
  ...TRACK_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
}

function page(status: number, title: string, body: string): Answer {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`
  return { status, body: html, headers: PAGE_HEADERS }
}

/** @param sender the account's name; null: it is not known now */
export function confirmPage(recipient: string, sender: string | null): Answer {
  return page(
    200,
    'Unsubscribe',
    `<p>${escapeText(masked(recipient))} will get no more mail from ${sender === null ? 'this sender' : `<strong>${escapeText(sender)}</strong>`}.</p>
<form method="post"><button type="submit">Unsubscribe</button></form>`,
  )
}

export function donePage(recipient: string, sender: string | null): Answer {
  const from = sender === null ? 'this sender' : `<strong>${escapeText(sender)}</strong>`
  return page(
    200,
    'You are unsubscribed',
    `<p role="status">${escapeText(masked(recipient))} will get no more mail from ${from}. A mail that is already on its way may still arrive.</p>`,
  )
}

/** Malformed, unknown and outdated alike. */
export function unknownLinkPage(): Answer {
  return page(404, 'This link does not work', '<p>It may have been cut when it was copied. Nothing was changed.</p>')
}

export function stoppedLinkPage(): Answer {
  return page(410, 'This link was switched off', '<p>The sender of the mail or the target of the link was stopped.</p>')
}

/** `j***@e***.test` */
export function masked(address: string): string {
  const at = address.lastIndexOf('@')
  const domain = address.slice(at + 1)
  const dot = domain.lastIndexOf('.')
  const top = dot === -1 ? '' : domain.slice(dot)
  return `${first(address.slice(0, at))}***@${first(domain)}***${top}`
}

function first(text: string): string {
  return [...text][0] ?? ''
}
