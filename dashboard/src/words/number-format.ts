// Formats figures for English sentences, whatever the browser's language: `96.0 % of 30,000`.

const FORM = new Intl.NumberFormat('en')

export function figure(value: number): string {
  return FORM.format(value)
}

/** For example `1 email` and `2,000 emails`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${figure(count)} ${count === 1 ? noun : plural}`
}
