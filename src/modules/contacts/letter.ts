// The mail that asks for a confirmation: our own words, or a template of the account. Each form of it has the link; the
// text has it as it is, to be copied. The name that came with the contact stands in no word of ours: whoever fills in a
// sign-up form with somebody else's address could make us deliver any text.

import { decodeHTML, escapeAttribute, escapeText } from 'entities'
import { checkHeaderText } from '../../mail/headers.ts'

export interface Letter {
  readonly subject: string
  readonly html: string | null
  readonly text: string
}

export interface LetterFacts {
  /** The account's name as its recipients know it, in one line. */
  readonly sender: string
  readonly link: string
  readonly liveDays: number
}

const MAX_SENDER_CHARS = 100
const IGNORED = 'If this was not you, do nothing: without a confirmation you get nothing more.'

export function builtInLetter({ sender, link, liveDays }: LetterFacts): Letter {
  const asked = `Somebody, most likely you, asked for mail from ${sender} to this address.`
  return {
    subject: `Please confirm: mail from ${sender}`,
    text: `${asked} To confirm, open this link and press the button there:

${link}

The link works for ${liveDays} days. ${IGNORED}
`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Please confirm</title></head>
<body style="font:16px/1.5 sans-serif;max-width:32em;margin:0 auto;padding:24px">
<p>${escapeText(asked)}</p>
<p><a href="${escapeAttribute(link)}" style="display:inline-block;padding:12px 24px;background:#111;color:#fff;text-decoration:none;border-radius:6px">Confirm</a></p>
<p>The link works for ${liveDays} days. ${escapeText(IGNORED)}</p>
</body></html>
`,
  }
}

/** A filled-in template as a letter. @returns null when its html, which most readers see, does not have the link */
export function templateLetter(
  filled: { readonly subject: string; readonly html: string | null; readonly text: string | null },
  link: string,
): Letter | null {
  if (filled.html !== null && !decodeHTML(filled.html).includes(link)) return null
  const text = filled.text ?? ''
  return { ...filled, text: text.includes(link) ? text : `${text}${text === '' ? '' : '\n\n'}${link}\n` }
}

/** A name as it may stand in a header. */
export function oneLine(text: string): string {
  const words = [...text].map((character) => (checkHeaderText(character) === null ? character : ' ')).join('')
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SENDER_CHARS).toWellFormed()
}
