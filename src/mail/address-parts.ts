// The two parts of an address that was parsed before. Without imports, because the dashboard's bundle includes this file.

/** The part before the last @; nothing where there is no @. */
export function localPart(address: string): string {
  return address.slice(0, Math.max(0, address.lastIndexOf('@')))
}

/** The part after the last @, as written; the whole text where there is no @. */
export function domainPart(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
