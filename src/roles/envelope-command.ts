// The arguments of MAIL FROM and RCPT TO (RFC 5321 section 4.1.2): a path in angle brackets, then the parameters of offered
// extensions. A parameter that was not offered is refused with 555 (section 4.1.1.11), never ignored: a client that gets 250 for
// NOTIFY=NEVER or REQUIRETLS relies on it.
//
// The path is parsed only as far as its brackets and quotes; the caller decides whether it is an address (address.ts). A source
// route is skipped (appendix C). Text that is not UTF-8 is no path (RFC 6531 section 3.2). Time is linear in the line's length.

import { isUtf8 } from 'node:buffer'

export type EnvelopeVerb = 'MAIL FROM' | 'RCPT TO'

export interface EnvelopeCommand {
  readonly ok: true
  /** The text between the brackets, without a route; empty for the null sender. */
  readonly path: string
  /** By keyword in upper case; true for a parameter without a value. */
  readonly parameters: Readonly<Record<string, string | true>>
}

export interface EnvelopeFault {
  readonly ok: false
  readonly code: 501 | 555
  /** Begins with the enhanced code. */
  readonly text: string
}

const COMMAND = /^(MAIL FROM|RCPT TO)[ \t]*:[ \t]*/i
const PATH = /^<(?:@[^\s<>@:,"]+(?:,@[^\s<>@:,"]+)*:)?((?:"(?:[^"\\]|\\.)*"|[^\s<>"])*)>(?=[ \t]|$)/u
const KEYWORD = /^[A-Za-z0-9][A-Za-z0-9-]*$/
/** RFC 5321 section 4.1.2 with RFC 6531 section 3.3: no `=`, blanks or control characters. */
const VALUE = /^[!-<>-~\u0080-\u{10ffff}]+$/u
/** RFC 4954 section 5. */
const AUTH = /^(?:<>|(?:[!-*,-<>-~]|\+[0-9A-F]{2})+)$/
const CONTROL = /[\p{Cc}]/u

/** @param offered keywords, in upper case, of the extensions that EHLO offered */
export function readEnvelopeCommand(
  line: Buffer,
  verb: EnvelopeVerb,
  offered: ReadonlySet<string>,
): EnvelopeCommand | EnvelopeFault {
  const noPath = syntax(
    verb === 'MAIL FROM' ? '5.1.7 the sender is not an address in <>' : '5.1.3 the recipient is not an address in <>',
  )
  if (!isUtf8(line)) return noPath
  const text = line.toString()
  const begin = COMMAND.exec(text)
  if (begin?.[1]?.toUpperCase() !== verb) return noPath
  const rest = text.slice(begin[0].length)
  const found = PATH.exec(rest)
  const path = found?.[1]
  if (found === null || path === undefined || CONTROL.test(path)) return noPath
  const parameters: Record<string, string | true> = Object.create(null)
  for (const word of rest.slice(found[0].length).split(/[ \t]+/)) {
    if (word === '') continue
    const fault = addParameter(parameters, word, offered)
    if (fault !== null) return fault
  }
  return { ok: true, path, parameters }
}

function addParameter(
  parameters: Record<string, string | true>,
  word: string,
  offered: ReadonlySet<string>,
): EnvelopeFault | null {
  const equals = word.indexOf('=')
  const keyword = (equals < 0 ? word : word.slice(0, equals)).toUpperCase()
  const value = equals < 0 ? true : word.slice(equals + 1)
  if (!KEYWORD.test(keyword) || (value !== true && !VALUE.test(value))) {
    return syntax('5.5.4 a parameter is malformed')
  }
  if (!offered.has(keyword)) return { ok: false, code: 555, text: `5.5.4 the parameter ${keyword} is not known here` }
  if (keyword in parameters) return syntax(`5.5.4 ${keyword} is given twice`)
  if (keyword === 'AUTH' && (value === true || !AUTH.test(value))) return syntax('5.5.4 AUTH is malformed')
  parameters[keyword] = value
  return null
}

function syntax(text: string): EnvelopeFault {
  return { ok: false, code: 501, text }
}
