// Words as numbers: FNV-1a over their folded letters, as signed 32-bit integers.

export const FNV_BASIS = 0x811c9dc5 | 0
export const FNV_PRIME = 0x01000193

export function hashOf(text: string): number {
  let hash = FNV_BASIS
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME)
  return hash
}

/** The hash of a phrase, from the hash of its first words and the next word. Not symmetric. */
export function join(first: number, next: number): number {
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ (next >>> 15) ^ next, 0x85ebca6b) | 0
}

/** The hash of the first `length` letters. */
export function hashLetters(letters: Uint16Array, length: number): number {
  let hash = FNV_BASIS
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (letters[i] as number), FNV_PRIME)
  return hash
}
