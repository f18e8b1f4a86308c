// The previous and next entries of the list from which a page was opened, with its filters, so that a list can be read through
// without going back. Uses the same request as the list's page, so that its cached entries are shown at once.

import { Link, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { type Json, useApi } from '../api/api.ts'
import { chosenOf, type Filter, isFullPage, pageIn, pagePath } from './listing.tsx'
import type { Search } from './search.ts'
import { LIKE_A_BUTTON } from './ui.tsx'

interface Placed {
  readonly id: string
  /** Of the list. */
  readonly page: number
}

interface Neighbours {
  readonly of: string
  readonly newer?: Placed | undefined
  readonly older?: Placed | undefined
}

/** Two links, also reached by the keys `k` and `j`. */
export function Neighbours({
  path,
  to,
  filters,
  id,
  every,
}: {
  /** Path of the list in the API. */
  readonly path: string
  /** Page of one entry. */
  readonly to: '/emails/$id' | '/inbox/$id'
  /** Parameters of the list. */
  readonly filters: readonly Filter[]
  readonly id: string
  readonly every: number
}) {
  const search = useSearch({ strict: false }) as Search
  const { newer, older } = useNeighbours({ path, chosen: chosenOf(filters, search), page: pageIn(search), id, every })
  const link = (name: string, rel: 'prev' | 'next', { id: other, page }: Placed) => (
    <Link
      to={to}
      params={{ id: other }}
      search={withPage(search, page) as never}
      rel={rel}
      title={rel === 'next' ? 'j' : 'k'}
      className={LIKE_A_BUTTON}
    >
      {name}
    </Link>
  )
  return (
    <>
      {newer !== undefined && link('Newer', 'prev', newer)}
      {older !== undefined && link('Older', 'next', older)}
    </>
  )
}

function withPage({ page: _, ...others }: Search, page: number): Search {
  return page === 1 ? others : { ...others, page: String(page) }
}

interface Asked {
  readonly path: string
  readonly chosen: Readonly<Record<string, string>>
  readonly page: number
  readonly id: string
  readonly every: number
}

function useNeighbours({ path, chosen, page, id, every }: Asked): Neighbours {
  const last = useRef<Neighbours>({ of: id })
  const usePage = (number: number, enabled: boolean): readonly Json[] | undefined => {
    const found = useApi(pagePath(path, chosen, number), { enabled, every })
    return enabled && !found.isPlaceholderData ? found.data?.data : undefined
  }
  const here = usePage(page, true)
  const at = here?.findIndex((one) => one.id === id) ?? -1
  // New or removed entries may move it to another page of the list, and at the edge of a page the neighbouring page is read.
  const next = usePage(page + 1, here !== undefined && isFullPage(here) && (at === -1 || at === here.length - 1))
  const before = usePage(page - 1, here !== undefined && page > 1 && at <= 0)
  const among = new Map<string, Placed>()
  const pages = [before, here, next].entries()
  for (const [i, rows] of pages)
    for (const row of rows ?? []) if (!among.has(row.id)) among.set(row.id, { id: row.id, page: page - 1 + i })
  const placed = [...among.values()]
  const found = placed.findIndex((one) => one.id === id)
  // An entry that no longer matches the filter, for example after delivery, keeps its position.
  if (found !== -1) last.current = { of: id, newer: placed[found - 1], older: placed[found + 1] }
  return last.current.of === id ? last.current : { of: id }
}
