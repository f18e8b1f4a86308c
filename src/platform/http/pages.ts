// The pages a recipient of a mail sees in a browser. No scripts, nothing from other sites, all foreign text escaped;
// readable by a screen reader and on a phone. No cache stores them, and they send no referrer to other sites.

import { escapeText } from 'entities'
import { platformErrors } from '../errors.ts'
import type { Language } from '../languages.ts'
import type { Answer } from './endpoint.ts'
import { sourceHash } from './envelopes.ts'
import { LINK_PAGE_TEXTS } from './link-page-texts.ts'

const STYLE =
  ':root{color-scheme:light dark}body{margin:0;font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}' +
  'main{max-width:32rem;margin:0 auto;padding:15vh 1.25rem 2rem}h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}' +
  'p{margin:0 0 1.5rem;overflow-wrap:anywhere}button{font:inherit;font-weight:600;min-height:3rem;padding:.5rem 1.5rem;' +
  'border:2px solid CanvasText;border-radius:.5rem;background:CanvasText;color:Canvas;cursor:pointer}' +
  'button:focus-visible{outline:3px solid Highlight;outline-offset:3px}'

/** Headers of every answer to a link in a mail. */
export const LINK_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const

const PAGE_HEADERS = {
  ...LINK_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
}

/**
 * @param language of title and body
 * @param title our own plain text
 * @param body HTML whose foreign parts went through `shownText` or `shownSender`
 */
export function page(
  status: number,
  language: Language,
  title: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const html = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body></html>
`
  return { status, body: html, headers: { ...PAGE_HEADERS, ...headers } }
}

export function shownText(text: string): string {
  return escapeText(text)
}

/** @param sender the account's name */
export function shownSender(sender: string): string {
  return `<strong>${escapeText(sender)}</strong>`
}

/**
 * The same page for malformed, unknown and expired links, so that it tells nothing to someone who guesses.
 *
 * @param language the browser's: the link's account is not known
 */
export function unknownLinkPage(language: Language): Answer {
  const { notWorking, maybeCut, nothingChanged } = LINK_PAGE_TEXTS[language]
  return page(404, language, notWorking, `<p>${maybeCut} ${nothingChanged}.</p>`)
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

/** Media types sent by a form without files and by one-click unsubscribe. */
export const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const
export const MAX_FORM_BYTES = 65_536

/**
 * The raw body of a form, each byte one character; empty when there is none or when it was parsed as JSON.
 *
 * @throws ApiError payload_too_large
 */
export async function formText(body: unknown): Promise<string> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return ''
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_FORM_BYTES) throw platformErrors.payload_too_large({ limit_bytes: MAX_FORM_BYTES })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('latin1')
}
