// What a person copies to take elsewhere.

/** @returns whether it stands in the clipboard now */
export async function copied(text: string): Promise<boolean> {
  // Browsers keep their clipboard from pages that came over plain HTTP from another machine: a first set-up is often one.
  if (navigator.clipboard === undefined) return copiedByHand(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copiedByHand(text),
  )
}

/** As a person would: selected in a field, and copied from there. */
function copiedByHand(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
