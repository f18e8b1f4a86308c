// The mail that asks for confirmation: our own text, or a template of the account. Both its HTML and its text contain the
// link; the text shows it as is, for copying. Our text never contains the contact's name: anybody filling in a sign-up form
// with another person's address could otherwise make us deliver any text.

import { decodeHTML, escapeAttribute, escapeText } from 'entities'
import { checkHeaderText } from '../../mail/mime/headers.ts'
import type { Language } from '../../platform/languages.ts'
import { EMAIL_TEXTS, PAGE_TEXTS } from './translations.ts'

export interface ConfirmationEmail {
  readonly subject: string
  readonly html: string | null
  readonly text: string
}

export interface ConfirmationFacts {
  /** The account's name as recipients know it, on one line. */
  readonly sender: string
  readonly link: string
  readonly liveDays: number
  readonly language: Language
}

const MAX_SENDER_CHARS = 100

export function builtInEmail({ sender, link, liveDays, language }: ConfirmationFacts): ConfirmationEmail {
  const words = EMAIL_TEXTS[language]
  const asked = words.asked(sender)
  const meanwhile = `${words.lives(liveDays)} ${words.ignored}`
  return {
    subject: words.subject(sender),
    text: `${asked} ${words.open}

${link}

${meanwhile}
`,
    html: `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${PAGE_TEXTS[language].pleaseConfirm}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:32em;margin:0 auto;padding:24px">
<p>${escapeText(asked)}</p>
<p><a href="${escapeAttribute(link)}" style="display:inline-block;padding:12px 24px;background:#111;color:#fff;text-decoration:none;border-radius:6px">${words.button}</a></p>
<p>${escapeText(meanwhile)}</p>
</body></html>
`,
  }
}

/** Turns a filled-in template into a letter. @returns null when its HTML, which most readers see, lacks the link */
export function templateEmail(
  filled: { readonly subject: string; readonly html: string | null; readonly text: string | null },
  link: string,
): ConfirmationEmail | null {
  if (filled.html !== null && !decodeHTML(filled.html).includes(link)) return null
  const text = filled.text ?? ''
  return { ...filled, text: text.includes(link) ? text : `${text}${text === '' ? '' : '\n\n'}${link}\n` }
}

/** Makes a name safe for a header. */
export function oneLine(text: string): string {
  const words = [...text].map((character) => (checkHeaderText(character) === null ? character : ' ')).join('')
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SENDER_CHARS).toWellFormed()
}
