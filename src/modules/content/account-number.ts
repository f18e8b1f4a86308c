// Whether a mail itself contains an account number: an IBAN, or at least six digits after a word for one.

const IBAN = /(?<![a-z0-9])[a-z]{2}\d{2}(?:(?:[ \u00a0-]|&nbsp;)?[a-z0-9]{4}){2,7}(?![a-z])/i
const NUMBERED =
  /(?:iban|account|acct|konto|kontonummer|compte|rib|cuenta|sort code|routing)[^\d\n<>@]{0,24}\d(?:[ \u00a0-]?\d){5}/i

export function saysAccountNumber(part: string): boolean {
  return IBAN.test(part) || NUMBERED.test(part)
}
