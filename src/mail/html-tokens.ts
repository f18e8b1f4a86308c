// The walk over an html mail's tags, attributes and texts by their places, which its links and its text are both found by.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

const UNHEARD: TokenizerCallbacks = {
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

/** Tells all of it, in one pass; references of characters stay as they stand. What is not asked for is passed by. */
export function readTokens(html: string, heard: Partial<TokenizerCallbacks>): void {
  const tokenizer = new Tokenizer({ decodeEntities: false }, { ...UNHEARD, ...heard })
  tokenizer.write(structureOf(html))
  tokenizer.end()
}

/** The same length, so that places are those of the original: in html `<![CDATA[` only opens a comment that ends at `>`. */
function structureOf(html: string): string {
  return html.replaceAll('<![CDATA[', '<!_CDATA_')
}

/** In lower case; empty when it is longer than any that is asked about. */
export function nameOf(
  html: string,
  { start, end }: { readonly start: number; readonly end: number },
  longest: number,
): string {
  return end - start > longest ? '' : html.slice(start, end).toLowerCase()
}

function ignore(): void {}
