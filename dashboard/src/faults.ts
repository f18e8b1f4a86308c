// What the API says about a field or a parameter, put as a sentence for who typed it. Knows nothing of the browser.

export interface FieldFault {
  readonly field: string
  readonly rule: string
  readonly message: string
}

/** Of what an address lacks, in the words of src/mail/address.ts. */
const ADDRESS_FAULTS: Readonly<Record<string, string>> = {
  empty: 'nothing stands there',
  too_long: 'it is too long',
  forbidden_character: 'it has a character that no address has',
  missing_at: 'it has no @',
  single_label_domain: 'what stands behind the @ has no dot',
  invalid_domain: 'what stands behind the @ is no domain',
  local_part_too_long: 'what stands before the @ is too long',
  invalid_local_part: 'what stands before the @ is not written as it may be',
  more_than_one: 'it is more than one',
}

const VERB = /^(?:is|has|was|must|may|does|needs|takes|lacks|cannot|holds|names) /

/** A pattern is for programs, and so are signs and the names of faults. */
export function inWords(message: string, rule = ''): string {
  if (rule === 'pattern' || rule === 'format') return 'is not written as it should be'
  return message
    .replace(/must NOT have fewer than (\d+) (\w+)/, 'must have $1 $2 or more')
    .replace(/must NOT have more than (\d+) (\w+)/, 'must have $1 $2 at most')
    .replace('must be <=', 'must be at most')
    .replace('must be >=', 'must be at least')
    .replace(/must be integer$/, 'must be a whole number')
    .replace(/must be number$/, 'must be a number')
    .replace(
      /^is not an email address: (\w+)$/,
      (_, fault: string) => `is not an email address: ${ADDRESS_FAULTS[fault] ?? 'it is not written as one'}`,
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
  if (parameter === 'id') return 'There is nothing here: the address of this page ends in what is no id.'
  const name = parameter.replaceAll('_', ' ')
  if (rule === 'email') return `«${name}» is asked for by a whole email address, such as jo@example.net.`
  return `What the address of this page says for «${name}» is nothing that can be looked for.`
}
