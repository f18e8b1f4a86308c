// A cache of DNS answers, limited in number and in size: the owner of a zone decides how large its answers are, and one may have
// thousands of records. The answers stored longest ago go first.

export interface CachedAnswer<Answer> {
  readonly answer: Answer
  readonly untilMs: number
}

export interface DnsCache<Answer> {
  /** May be past its time. */
  get(key: string): CachedAnswer<Answer> | undefined
  /** @param records in the answer; none for one without */
  set(key: string, cached: CachedAnswer<Answer>, records: readonly DnsRecord[]): void
}

/** A name, an address or a text; or an MX or TLSA record. */
export type DnsRecord = string | { readonly exchange: string } | { readonly data: Buffer }

const MAX_BYTES = 32 * 1_048_576
/** Of an entry or a record, beside its text. */
const OVERHEAD_BYTES = 64

export function dnsCache<Answer>(maxAnswers: number, maxBytes = MAX_BYTES): DnsCache<Answer> {
  const entries = new Map<string, CachedAnswer<Answer> & { readonly bytes: number }>()
  let bytes = 0
  const remove = (key: string): void => {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }
  return {
    get: (key) => entries.get(key),
    set: (key, cached, records) => {
      remove(key)
      const size = records.reduce((sum, record) => sum + OVERHEAD_BYTES + bytesOf(record), OVERHEAD_BYTES + key.length)
      entries.set(key, { ...cached, bytes: size })
      bytes += size
      for (const oldest of entries.keys()) {
        if (entries.size <= maxAnswers && bytes <= maxBytes) break
        remove(oldest)
      }
    },
  }
}

function bytesOf(record: DnsRecord): number {
  if (typeof record === 'string') return record.length
  return 'exchange' in record ? record.exchange.length : record.data.length
}
