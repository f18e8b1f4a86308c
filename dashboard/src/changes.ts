/** Of the fields of a form, those that are not as they were: what somebody else set meanwhile in the others stays. */
export function changedIn<Fields extends object>(before: Fields, now: Fields): Partial<Fields> {
  const changed = Object.entries(now).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field as keyof Fields]),
  )
  return Object.fromEntries(changed) as Partial<Fields>
}
