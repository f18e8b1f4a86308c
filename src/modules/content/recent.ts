// What was found for short texts that come again from mail to mail, such as hosts and styles: the last so many of them.

const MAX_CHARS = 256

export class Recent<T> {
  private readonly most: number
  private newer = new Map<string, T>()
  private older = new Map<string, T>()

  /** @param most of the texts; twice as many are held for a while */
  constructor(most: number) {
    this.most = most
  }

  /** @param make from a copy of the text, which holds nothing of what the text was a part of */
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
