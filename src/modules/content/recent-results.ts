// A cache of results for short texts that recur from mail to mail, such as hosts and styles. It keeps the most recent ones.

const MAX_CHARS = 256

export class Recent<T> {
  private readonly most: number
  private newer = new Map<string, T>()
  private older = new Map<string, T>()

  /** @param most number of texts to keep; up to twice as many are held for a while */
  constructor(most: number) {
    this.most = most
  }

  /** @param make gets a copy of the text, so that the result does not keep the larger text it was cut from in memory */
  find(text: string, make: (text: string) => T): T {
    const known = this.newer.get(text)
    if (known !== undefined) return known
    if (text.length > MAX_CHARS) return make(text)
    const copy = Buffer.from(text, 'utf16le').toString('utf16le')
    const found = this.older.get(copy) ?? make(copy)
    if (this.newer.size >= this.most) {
      this.older = this.newer
      this.newer = new Map()
    }
    this.newer.set(copy, found)
    return found
  }
}
