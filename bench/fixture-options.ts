// The command line options of a benchmark.

import { parseArgs } from 'node:util'

type Value = string | number | readonly string[] | readonly number[]
type OptionValue<Default> = Default extends string
  ? string
  : Default extends number
    ? number
    : Default extends readonly number[]
      ? readonly number[]
      : readonly string[]

/** Options as `--name value`, each of the type of its default; items of a list are separated by commas. */
export function commandLine<Defaults extends Readonly<Record<string, Value>>>(
  defaults: Defaults,
): { readonly [Name in keyof Defaults]: OptionValue<Defaults[Name]> } {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const found = Object.entries(defaults).map(([name, usual]) => [name, valueOf(name, values[name], usual)])
  return Object.fromEntries(found)
}

function valueOf(name: string, text: string | undefined, usual: Value): Value {
  if (text === undefined) return usual
  const number = (part: string): number => {
    const value = Number(part)
    if (part === '' || Number.isNaN(value)) throw new Error(`--${name} takes a number, not «${part}»`)
    return value
  }
  if (typeof usual === 'string') return text
  if (typeof usual === 'number') return number(text)
  const parts = text.split(',')
  return typeof usual[0] === 'number' ? parts.map(number) : parts
}
