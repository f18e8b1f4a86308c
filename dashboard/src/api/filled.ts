/** Without the fields that are absent or empty. */
export function filled<Value>(fields: Readonly<Record<string, Value | undefined>>): Readonly<Record<string, Value>> {
  const given = Object.entries(fields).filter((field): field is [string, Value] => {
    const [, value] = field
    return value !== undefined && value !== ''
  })
  return Object.fromEntries(given)
}
