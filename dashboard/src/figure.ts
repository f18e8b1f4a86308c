// Figures as the English sentences around them have them, whatever the browser's language is: `96.0 % of 30,000`.

const FORM = new Intl.NumberFormat('en')

export function figure(value: number): string {
  return FORM.format(value)
}
