// Reads the body of a POST to an unsubscribe link: either the one field of RFC 8058 section 3.1, as a mailbox provider sends
// it, or the page's form, which has no field. Anything else is no request that we can carry out. Parsing is lenient (case,
// blanks, extra fields, extra header lines of a part), since the sender of such a body wants no more mail.

const FIELD = 'list-unsubscribe'
const ONE_CLICK = 'one-click'

type Field = readonly [name: string, value: string]

/**
 * @param form one character per byte
 * @param contentType null: the body has none of the form types
 * @returns null when the body is no request
 */
export function unsubscribeRequestOf(
  form: string,
  contentType: string | undefined | null,
): 'one_click' | 'link' | null {
  if (contentType === null) return null
  const fields = /^\s*multipart\//i.test(contentType ?? '')
    ? partsOf(form, contentType ?? '')
    : [...new URLSearchParams(form.trim())]
  if (fields.length === 0) return 'link'
  return fields.some(([name, value]) => isSame(name, FIELD) && isSame(value, ONE_CLICK)) ? 'one_click' : null
}

function isSame(given: string, expected: string): boolean {
  return given.trim().toLowerCase() === expected
}

/** RFC 7578. A part that cannot be parsed becomes a field without a name. */
function partsOf(form: string, contentType: string): readonly Field[] {
  const [, quoted, bare] = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare ?? /^\s*--([^\r\n]+)/.exec(form)?.[1]
  if (boundary === undefined) return form.trim() === '' ? [] : [['', form]]
  const [preamble = '', ...pieces] = `\n${form}`.split(`\n--${boundary}`)
  const end = pieces.findIndex((piece) => piece.startsWith('--'))
  const parts = end === -1 ? pieces : pieces.slice(0, end)
  if (pieces.length === 0) return preamble.trim() === '' ? [] : [['', preamble]]
  return parts.map(fieldOf)
}

function fieldOf(part: string): Field {
  const blank = /\r?\n\r?\n/.exec(part)
  if (blank === null) return ['', part]
  const head = part.slice(0, blank.index).replaceAll(/\r?\n[ \t]+/g, ' ')
  const disposition = /^content-disposition[ \t]*:(.*)$/im.exec(head)?.[1] ?? ''
  const [, quoted, bare] = /;\s*name\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(disposition) ?? []
  return [quoted ?? bare ?? '', part.slice(blank.index + blank[0].length)]
}
