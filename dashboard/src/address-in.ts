// An address as people paste it. Knows nothing of the browser.

const IN_BRACKETS = /^[^<>]*<\s*([^<>\s]+@[^<>\s]+)\s*>[\s,;]*$/

/** What is looked for, without blanks around it; of `Jo <jo@example.net>` the address. */
export function bareOf(text: string): string {
  return IN_BRACKETS.exec(text)?.[1] ?? text.trim()
}
