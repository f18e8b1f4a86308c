// Reads an address as people paste it. Independent of the browser.

const IN_BRACKETS = /^[^<>]*<\s*([^<>\s]+@[^<>\s]+)\s*>[\s,;]*$/

/** The search text, trimmed; for `Jo <jo@example.net>`, the address. */
export function bareOf(text: string): string {
  return IN_BRACKETS.exec(text)?.[1] ?? text.trim()
}
