// The query of a view's URL: its filters and its position. Independent of the browser.

export type Search = Readonly<Record<string, string | undefined>>

/** Finds an address on the page of suppressions or of unsubscribes, which leave out what sandbox emails made unless asked. */
export function entrySearch(address: string, of: { readonly sandbox?: unknown }): Search {
  return { search: address, ...(of.sandbox === true && { include_sandbox: 'true' }) }
}

/** Values are text as written: `tag=true` is the tag "true", and `tag=1.10` is not 1.1. Of a repeated name, the first counts. */
export function parseSearch(query: string): Record<string, string> {
  const given = [...new URLSearchParams(query)].toReversed()
  return Object.fromEntries(given.map(([name, value]) => [name, unquoted(value)]))
}

/** @param search values other than text are written as JSON */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(search).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return []
    const isText = typeof value === 'string' && unquoted(value) === value
    return [[name, isText ? value : JSON.stringify(value)]]
  })
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** Shared URLs of earlier releases have text that looks like JSON in JSON's quotes. */
function unquoted(value: string): string {
  if (!value.startsWith('"')) return value
  try {
    const read: unknown = JSON.parse(value)
    return typeof read === 'string' ? read : value
  } catch {
    return value
  }
}
