// Formats figures for English sentences, whatever the browser's language: `96.0 % of 30,000`.

const FORM = new Intl.NumberFormat('en')

export function figure(value: number): string {
  return FORM.format(value)
}
