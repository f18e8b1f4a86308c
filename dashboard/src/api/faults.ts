// Turns the API's messages about a field or parameter into sentences for people. Independent of the browser.

export interface FieldFault {
  readonly field: string
  readonly rule: string
  readonly message: string
}

const VERB = /^(?:is|has|was|must|may|does|needs|takes|lacks|cannot|holds|names) /

/** Patterns, symbols and names of rules are for programs. */
export function inWords(message: string, rule = ''): string {
  if (rule === 'pattern' || rule === 'format') return 'is not in the expected format'
  return message
    .replace('must be <=', 'must be at most')
    .replace('must be >=', 'must be at least')
    .replace(/must be integer$/, 'must be a whole number')
    .replace(/must be number$/, 'must be a number')
}

/** Begins with a capital letter and ends with a full stop. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** For a fault shown beside its field, such as `has passed`. */
export function saidOfIt(text: string): string {
  return asSentence(VERB.test(text) ? `it ${text}` : text)
}

/** Removes paths such as `to[1].email`, which mean nothing to people. */
export function sentenceOf({ field, rule, message }: FieldFault): string {
  return asSentence(`${field.replaceAll('_', ' ')} ${inWords(message, rule)}`)
}

/** A fault in the URL of a page. */
export function parameterText({ parameter, rule }: { readonly parameter: string; readonly rule: string }): string {
  if (parameter === 'id') return 'There is nothing here: the address of this page does not end in a valid ID.'
  const name = parameter.replaceAll('_', ' ')
  if (rule === 'email') return `“${name}” needs a full email address, such as jo@example.net.`
  return `The address of this page has no valid value for “${name}”.`
}
