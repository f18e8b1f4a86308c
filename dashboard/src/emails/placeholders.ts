// The placeholders of a template that need values for a preview. Sections (`{{#items}} … {{/items}}`) are entered as JSON, starting
// with a sample that shows their form. Independent of the browser.

export interface PlaceholderOf {
  readonly name: string
  /** For a section: sample JSON in which each value is its own name. Null when the placeholder takes a text. */
  readonly sample: string | null
}

/** Filled in by the service for each recipient, whatever the values. */
const UNSUBSCRIBE = 'unsubscribe'
/** The list item itself. */
const ITEM = '.'
/** Comments and changed delimiters are no placeholders. */
const TAG = /\{\{\{\s*([^{}\s]+)\s*\}\}\}|\{\{\s*([#^/&]?)\s*([^{}\s!>=]+)\s*\}\}/g

interface Section {
  readonly name: string
  readonly inner: Set<string>
}

/** Each name once, in order of appearance; names used only inside sections belong to the sections' samples. */
export function placeholdersOf(texts: readonly (string | null)[]): readonly PlaceholderOf[] {
  const plain = new Set<string>()
  const sections = new Map<string, Section>()
  const order: string[] = []
  for (const text of texts) {
    const open: Section[] = []
    for (const [, raw, sign = '', named = ''] of (text ?? '').matchAll(TAG)) {
      const name = raw ?? named
      if (sign === '/') open.pop()
      else if (sign === '#' || sign === '^') {
        const section = sections.get(name) ?? { name, inner: new Set<string>() }
        sections.set(name, section)
        if (open.length === 0) order.push(name)
        else open.at(-1)?.inner.add(name)
        // The names in an inverted section belong outside of it.
        open.push(sign === '^' ? { name, inner: plain } : section)
        if (sign === '^') order.push(name)
      } else if (name.toLowerCase() !== UNSUBSCRIBE) {
        const inside = open.at(-1)
        if (inside === undefined || inside.inner === plain) {
          plain.add(name)
          order.push(name)
        } else inside.inner.add(name)
      }
    }
  }
  const shown = order.filter((name) => sections.has(name) || plain.has(name))
  return [...new Set(shown)].map((name) => ({ name, sample: sampleOf(name, { sections, plain, within: [] }) }))
}

interface Known {
  readonly sections: ReadonlyMap<string, Section>
  readonly plain: ReadonlySet<string>
  /** Enclosing sections, since a section that contains itself would never end. */
  readonly within: readonly string[]
}

function sampleOf(name: string, known: Known): string | null {
  const section = known.sections.get(name)
  return section === undefined ? null : JSON.stringify(valueOf(section, known))
}

function valueOf({ name, inner }: Section, known: Known): unknown {
  const { sections, plain, within } = known
  const own = [...inner].filter((one) => !plain.has(one) && one !== name && !within.includes(one))
  if (own.includes(ITEM)) return ['first', 'second']
  if (own.length === 0) return true
  const values = own.map((one) => {
    const section = sections.get(one)
    return [one, section === undefined ? one : valueOf(section, { ...known, within: [...within, name] })] as const
  })
  return [nested(Object.fromEntries(values))]
}

/** `{'order.id': '1'}` becomes `{order: {id: '1'}}`. */
export function nested(flat: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(flat)) {
    const steps = name.split('.')
    const last = steps.pop() ?? name
    let here = root
    for (const step of steps) {
      const there = Object.hasOwn(here, step) ? here[step] : null
      const next = typeof there === 'object' && there !== null ? (there as Record<string, unknown>) : {}
      here[step] = next
      here = next
    }
    here[last] = value
  }
  return root
}

/** The value entered for a placeholder. @returns undefined when a section's is not JSON */
export function valueTyped({ sample }: PlaceholderOf, typed: string): unknown {
  if (sample === null) return typed
  try {
    return JSON.parse(typed) as unknown
  } catch {
    return undefined
  }
}
