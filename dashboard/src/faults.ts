// What the API says about a field or a parameter, put as a sentence for who typed it. Knows nothing of the browser.

export interface FieldFault {
  readonly field: string
  readonly rule: string
  readonly message: string
}

/** Of what an address lacks, in the words of src/mail/address.ts. */
const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  empty: 'it is empty',
  too_long: 'it is too long',
  forbidden_character: 'it contains a character that is not allowed',
  missing_at: 'it has no @',
  single_label_domain: 'the part after the @ has no dot',
  invalid_domain: 'the part after the @ is not a domain',
  local_part_too_long: 'the part before the @ is too long',
  invalid_local_part: 'the part before the @ is not valid',
  more_than_one: 'there is more than one',
}

const VERB = /^(?:is|has|was|must|may|does|needs|takes|lacks|cannot|holds|names) /

/** A pattern is for programs, and so are signs and the names of faults. */
export function inWords(message: string, rule = ''): string {
  if (rule === 'pattern' || rule === 'format') return 'is not in the expected format'
  return message
    .replace(/must NOT have fewer than (\d+) (\w+)/, 'must have $1 $2 or more')
    .replace(/must NOT have more than (\d+) (\w+)/, 'must have $1 $2 at most')
    .replace('must be <=', 'must be at most')
    .replace('must be >=', 'must be at least')
    .replace(/must be integer$/, 'must be a whole number')
    .replace(/must be number$/, 'must be a number')
    .replace(
      /^is not an email address: (\w+)$/,
      (_, fault: string) => `is not an email address: ${ADDRESS_FAULTS[fault] ?? 'the format is wrong'}`,
    )
}

/** Begins with a capital and ends with a stop. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

/** Of a field that it stands beside: `has passed` is said of it. */
export function saidOfIt(text: string): string {
  return asSentence(VERB.test(text) ? `it ${text}` : text)
}

/** `to[1].email` of a body is no word of a person; what is left is. */
export function sentenceOf({ field, rule, message }: FieldFault): string {
  return asSentence(`${field.replaceAll('_', ' ')} ${inWords(message, rule)}`)
}

/** A fault in the address of a page. */
export function parameterText({ parameter, rule }: { readonly parameter: string; readonly rule: string }): string {
  if (parameter === 'id') return 'There is nothing here: the address of this page does not end in a valid ID.'
  const name = parameter.replaceAll('_', ' ')
  if (rule === 'email') return `“${name}” needs a full email address, such as jo@example.net.`
  return `The address of this page has no valid value for “${name}”.`
}
