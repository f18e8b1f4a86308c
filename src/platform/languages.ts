// The languages used for the recipients of an account's mails: the pages behind links, and the mail that asks for a
// confirmation. Everything addressed to the account itself is in English.

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl'] as const
export type Language = (typeof LANGUAGES)[number]

/** Words in every language: a missing one does not compile. */
export type InEachLanguage<Words> = Readonly<Record<Language, Words>>

/** @param locale a language tag: `de-AT` gives German, a language that we have no words for gives English */
export function languageOf(locale: string): Language {
  return spoken(locale) ?? 'en'
}

/**
 * The one of our languages that a browser prefers, for pages where the sender of the mail is unknown.
 *
 * @param header Accept-Language, as received
 */
export function acceptedLanguage(header: string | undefined): Language {
  let best: { readonly language: Language; readonly weight: number } | null = null
  for (const part of (header ?? '').split(',')) {
    const [range = '', parameter = ''] = part.split(';')
    const language = spoken(range.trim())
    const weight = weightOf(parameter)
    if (language !== null && weight > (best?.weight ?? 0)) best = { language, weight }
  }
  return best?.language ?? 'en'
}

/** RFC 9110 section 12.4.2: from 0, not acceptable, to 1, the default. */
function weightOf(parameter: string): number {
  const [, weight] = /^\s*q\s*=\s*([\d.]{1,5})\s*$/i.exec(parameter) ?? []
  return weight === undefined ? 1 : Number(weight)
}

function spoken(tag: string): Language | null {
  const [primary = ''] = tag.toLowerCase().split('-')
  return LANGUAGES.find((language) => language === primary) ?? null
}
