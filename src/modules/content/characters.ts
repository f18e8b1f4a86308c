// What single characters mean to the reader of words, for those that most mails consist of.

/** By ASCII code, 1: a word ends before it, whatever follows. */
export const ENDS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9.@:]/i.test(String.fromCharCode(code)) ? 0 : 1,
)

/** By ASCII code, 1: between words it says nothing. What else does: line ends, what ends a sentence, currency. */
export const SILENT = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9\n.?;!$]/i.test(String.fromCharCode(code)) ? 0 : 1,
)
export const ENDS_ADDRESS = new Set([...'<>"()[]{}\'`|\\'].map((one) => one.charCodeAt(0)))

/** $ ¢ £ ¥ € ₿ */
export function isCurrency(code: number): boolean {
  return code === 0x24 || (code >= 0xa2 && (code <= 0xa3 || code === 0xa5 || code === 0x20ac || code === 0x20bf))
}

export function isPlainLetter(code: number): boolean {
  return ((code | 0x20) - 0x61) >>> 0 < 26
}
