// A cache of DNS answers, limited in number and in size: the owner of a zone decides how large its answers are, and one may have
// thousands of records. The least recently used answers go first. An answer larger than the whole cache is not stored.

import { LRUCache } from 'lru-cache'

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
  const entries = new LRUCache<string, CachedAnswer<Answer>>({ maxSize: maxBytes })
  // What each answer counts at least, so that their number is bounded too.
  const share = Math.ceil(maxBytes / maxAnswers)
  return {
    get: (key) => entries.get(key),
    set: (key, cached, records) => {
      const size = records.reduce((sum, record) => sum + OVERHEAD_BYTES + bytesOf(record), OVERHEAD_BYTES + key.length)
      entries.set(key, cached, { size: Math.max(share, size) })
    },
  }
}

function bytesOf(record: DnsRecord): number {
  if (typeof record === 'string') return record.length
  return 'exchange' in record ? record.exchange.length : record.data.length
}
