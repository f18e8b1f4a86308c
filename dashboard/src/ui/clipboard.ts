// Copies text to the clipboard.

/** @returns whether the text is in the clipboard */
export async function copied(text: string): Promise<boolean> {
  // Browsers deny clipboard access to pages served over plain HTTP from another machine, as during a first set-up.
  if (navigator.clipboard === undefined) return copiedByHand(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => copiedByHand(text),
  )
}

/** Like a person: selects the text in a field and copies it. */
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
