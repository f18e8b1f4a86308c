// A resolver over declared records: whatever is not declared does not exist.

import type { DnsAnswer, MxRecord, Resolver } from '../src/platform/dns.ts'

/** One record; 'TIMEOUT' makes every type that stands behind it (and is not found before it) time out. */
export type Declared =
  | 'TIMEOUT'
  | { readonly txt: string }
  | { readonly a: string }
  | { readonly aaaa: string }
  | { readonly cname: string }
  | { readonly ns: string }
  | { readonly ptr: string }
  | { readonly mx: readonly [preference: number, exchange: string] }

type Type = 'txt' | 'a' | 'aaaa' | 'cname' | 'ns' | 'ptr' | 'mx'

export function declaredResolver(zones: Readonly<Record<string, readonly Declared[]>>): Resolver {
  const names = new Map(Object.entries(zones).map(([name, records]) => [name.toLowerCase(), records]))
  const ask = <T>(type: Type, name: string, hops = 0): DnsAnswer<T> => {
    const records = names.get(name.toLowerCase().replace(/\.$/, ''))
    if (records === undefined) return { kind: 'nxdomain' }
    const found: T[] = []
    for (const record of records) {
      if (record === 'TIMEOUT') {
        if (found.length === 0) return { kind: 'timeout' }
      } else if (type in record) found.push((record as unknown as Record<string, T>)[type] as T)
      else if ('cname' in record && hops < 8) return ask(type, record.cname, hops + 1)
    }
    return found.length > 0 ? { kind: 'found', records: found, ttl: 60 } : { kind: 'nodata' }
  }
  return {
    a: async (name) => ask('a', name),
    aaaa: async (name) => ask('aaaa', name),
    txt: async (name) => ask('txt', name),
    cname: async (name) => ask('cname', name),
    ns: async (name) => ask('ns', name),
    ptr: async (address) => ask('ptr', reverseName(address)),
    mx: async (name) => {
      const answer = ask<readonly [number, string]>('mx', name)
      if (answer.kind !== 'found') return answer
      const records = answer.records.map(([preference, exchange]): MxRecord => ({ preference, exchange }))
      return { kind: 'found', records, ttl: answer.ttl }
    },
  }
}

function reverseName(address: string): string {
  if (!address.includes(':')) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  const [head = '', tail = ''] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  const nibbles = groups.map((group) => group.padStart(4, '0')).join('')
  return `${[...nibbles].toReversed().join('.')}.ip6.arpa`
}
