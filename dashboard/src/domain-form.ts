// What the name of a domain has to look like, said to who typed another thing. Knows nothing of the browser.

const IN_OTHER_SCRIPTS = /[^\0-\x7f]|(?:^|\.)xn--/i

/** Follows `It is not written as it should be: `. The API takes no names in other scripts, as their A-labels (`xn--`) neither. */
export function domainForm(typed: string): string {
  if (typed.includes('@')) return 'use only the part after the @.'
  if (IN_OTHER_SCRIPTS.test(typed.trim())) return 'internationalized names, such as münchen.de, are not supported.'
  return 'use the letters a to z, digits and hyphens, without https:// or a path.'
}
