// Tokenizes html mail into tags, attributes and texts by offset. Both link detection and text generation use it.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

const NO_CALLBACKS: TokenizerCallbacks = {
  onattribdata: ignore,
  onattribend: ignore,
  onattribentity: ignore,
  onattribname: ignore,
  oncdata: ignore,
  onclosetag: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onopentagend: ignore,
  onopentagname: ignore,
  onprocessinginstruction: ignore,
  onselfclosingtag: ignore,
  ontext: ignore,
  ontextentity: ignore,
}

/** Reports all tokens in one pass, without decoding character references. Tokens without a callback are skipped. */
export function readTokens(html: string, callbacks: Partial<TokenizerCallbacks>): void {
  const tokenizer = new Tokenizer({ decodeEntities: false }, { ...NO_CALLBACKS, ...callbacks })
  tokenizer.write(structureOf(html))
  tokenizer.end()
}

/** In html, `<![CDATA[` only opens a comment that ends at `>`. Keeps the length, so that offsets match the original. */
function structureOf(html: string): string {
  return html.replaceAll('<![CDATA[', '<!_CDATA_')
}

/** The name in lower case; empty when it is longer than `longest`. */
export function nameOf(
  html: string,
  { start, end }: { readonly start: number; readonly end: number },
  longest: number,
): string {
  return end - start > longest ? '' : html.slice(start, end).toLowerCase()
}

function ignore(): void {}
