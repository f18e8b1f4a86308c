// What stands before and after one thing in the list that it was opened from, filters and all: a list is read through without
// going back to it. The list is asked for as its page asks, so that what came there stands here at once.

import { Link, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { type Json, useApi } from './api.ts'
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

/** Two links, of which the keys `k` and `j` know. */
export function Beside({
  path,
  to,
  filters,
  id,
  every,
}: {
  /** Of the list in the API. */
  readonly path: string
  /** The page of one. */
  readonly to: '/emails/$id' | '/inbox/$id'
  /** Those of the list. */
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
  // What comes or goes meanwhile pushes it over the edge of a page, and at an edge it is read on over it.
  const next = usePage(page + 1, here !== undefined && isFullPage(here) && (at === -1 || at === here.length - 1))
  const before = usePage(page - 1, here !== undefined && page > 1 && at <= 0)
  const among = new Map<string, Placed>()
  const pages = [before, here, next].entries()
  for (const [i, rows] of pages)
    for (const row of rows ?? []) if (!among.has(row.id)) among.set(row.id, { id: row.id, page: page - 1 + i })
  const placed = [...among.values()]
  const found = placed.findIndex((one) => one.id === id)
  // One that fits its filter no more, since it was delivered meanwhile, keeps the place that it had.
  if (found !== -1) last.current = { of: id, newer: placed[found - 1], older: placed[found + 1] }
  return last.current.of === id ? last.current : { of: id }
}
