// Explains what a domain name must look like. Independent of the browser.

const IN_OTHER_SCRIPTS = /[^\0-\x7f]|(?:^|\.)xn--/i

/** Follows `It is not written as it should be: `. The API accepts no names in other scripts, nor their A-labels (`xn--`). */
export function domainForm(typed: string): string {
  if (typed.includes('@')) return 'use only the part after the @.'
  if (IN_OTHER_SCRIPTS.test(typed.trim())) return 'internationalized names, such as münchen.de, are not supported.'
  return 'use the letters a to z, digits and hyphens, without https:// or a path.'
}
