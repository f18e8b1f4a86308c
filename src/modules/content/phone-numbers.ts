// Telephone numbers: groups of digits close together that begin like one.

const [ZERO, ONE, PLUS, OPENING] = [0x30, 0x31, 0x2b, 0x28]
/** Characters between two groups, at most. */
const APART = 3
const TOLL_FREE = new Set(['800', '888', '877', '866', '855', '844', '833'])

/** Reads the numbers of one source, in order: `+44 20 7946 0018`, `(808) 555-0137`, `0341 555 0190`. */
export class PhoneNumbers {
  private groups = 0
  private digits = 0
  private end = 0

  begin(): void {
    this.groups = 0
  }

  /**
   * @param start offset of the next number in `source`
   * @param end offset behind it
   * @param digits how many digits it has
   * @returns whether the digits read so far are a telephone number
   */
  reads(source: string, start: number, end: number, digits: number): boolean {
    const isPlain = end - start === digits
    if (isPlain && this.groups > 0 && start - this.end <= APART) {
      this.groups++
      this.digits += digits
    } else {
      const first = source.charCodeAt(start)
      const before = start === 0 ? 0 : source.charCodeAt(start - 1)
      const begins = first === ZERO || first === ONE || before === PLUS || before === OPENING
      this.groups = isPlain && begins ? 1 : 0
      this.digits = digits
    }
    this.end = end
    if (this.groups >= 3 && this.digits >= 9 && this.digits <= 15) return true
    if (digits >= 10 && digits <= 15) return true
    return digits === 3 && TOLL_FREE.has(source.slice(start, end))
  }
}
