// A list page: filters and position in the URL, rows from one API path.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { ApiProblem, type Json, useApi, withQuery } from '../api/api.ts'
import { filled } from '../api/filled.ts'
import { edgeOfDay } from '../words/days.ts'
import { figure } from '../words/number-format.ts'
import { tell } from './announcements.tsx'
import { bareOf } from './pasted-address.ts'
import type { Search } from './search.ts'
import { type Column, Table } from './table.tsx'
import { Button, Choice, Field, Problem } from './ui.tsx'

export interface Filter {
  readonly name: string
  readonly label: string
  /** Choices; absent for free text. */
  readonly options?: readonly (readonly [value: string, label: string])[]
  /** Label of the choice of none of them; absent: all. */
  readonly unset?: string
  /** A day: the URL contains it as entered; the API gets where it begins or ends in the viewer's time zone. */
  readonly day?: 'start' | 'end'
  /** The expected form of its text, shown when the input is wrong. */
  readonly form?: string
  /** For long labels. */
  readonly wide?: boolean
}

/** For recipients, whom the API finds only by a whole address. */
export const WHOLE_ADDRESS = 'Enter a full email address, such as jo@example.net.'

const PAGE_ROWS = 50
/** Number at which the API stops counting. */
const COUNTED = 100_000
/** Number of filters shown initially on a phone. */
const PHONE_FILTERS = 2

/** Pagination of the path: `offset` from 0 or `page` from 1. */
type Pages = 'offset' | 'page'

/** Page of a list in the URL; 1 is the first. */
export function pageIn(search: Search): number {
  return Math.max(1, Math.floor(Number(search['page'] ?? 1)) || 1)
}

/** The request for one page of a list. */
export function pagePath(
  path: string,
  chosen: Readonly<Record<string, string | boolean>>,
  page: number,
  pages: Pages = 'offset',
): string {
  const place = pages === 'page' ? { page } : { offset: (page - 1) * PAGE_ROWS }
  return withQuery(path, { ...chosen, ...place, limit: PAGE_ROWS })
}

/** Whether there may be more after it. */
export function isFullPage(rows: readonly unknown[]): boolean {
  return rows.length >= PAGE_ROWS
}

interface Every {
  readonly every?: number
  readonly always?: number
}

/** The first page of a list without filters: what the listing itself asks for when it has none, so that it is asked for once. */
export function useFirstPage(
  path: string,
  pages: Pages,
  again: Every = {},
): { readonly rows: readonly Json[]; readonly total: number } | undefined {
  const { data } = useApi(pagePath(path, {}, 1, pages), again)
  return data === undefined ? undefined : { rows: data.data, total: data.pagination.total }
}

const LONG_EVERY_MS = 60_000

/** A whole list, for the page that lists it: one that is longer than a page is asked for separately, and less often. */
export function useWhole(path: string, always: number): readonly Json[] | undefined {
  const first = useFirstPage(path, 'page', { always })
  const isLong = first !== undefined && first.total > first.rows.length
  const whole = useApi(path, { always: LONG_EVERY_MS, enabled: isLong })
  return isLong ? whole.data?.data : first?.rows
}

/** How many rows match. At most `COUNTED`, when there may be more. */
export function useTotal(
  path: string,
  wanted: Readonly<Record<string, string | boolean>>,
  options: Parameters<typeof useApi>[1],
): { readonly count: number; readonly isAll: boolean } | undefined {
  const total: number | undefined = useApi(withQuery(path, { ...wanted, limit: 1 }), options).data?.pagination.total
  return total === undefined ? undefined : { count: total, isAll: total !== COUNTED }
}

export function Listing({
  path,
  fixed = {},
  filters = [],
  columns,
  caption,
  empty,
  pages = 'offset',
  every,
  always,
  keyOf,
}: {
  readonly path: string
  /** Parameters sent always. */
  readonly fixed?: Readonly<Record<string, string | boolean>>
  readonly filters?: readonly Filter[]
  readonly columns: readonly Column<Json>[]
  readonly caption: string
  readonly empty: ReactNode
  readonly pages?: Pages
  readonly every?: number
  readonly always?: number
  /** Unique key of a row; absent: its `id`. */
  readonly keyOf?: (row: Json) => string
}) {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const page = pageIn(search)
  const chosen = chosenOf(filters, search)
  const asked = pagePath(path, { ...fixed, ...chosen }, page, pages)
  const found = useApi(asked, {
    ...(every !== undefined && { every }),
    ...(always !== undefined && { always }),
  })
  const total: number = found.data?.pagination?.total ?? 0
  const last = Math.max(1, Math.ceil(total / PAGE_ROWS))
  // Beyond the rows that the API counts there may be more.
  const isCounted = total !== COUNTED
  const go = (changes: Search): void => {
    void navigate({ to: '.', search: filled({ ...search, ...changes }) as never })
  }
  const clear = (): void => go({ ...Object.fromEntries(filters.map(({ name }) => [name, ''])), page: '' })
  const refused = refusedOf(found.error, filters)
  const size = `${figure(total)} ${total === 1 ? 'entry' : isCounted ? 'entries' : 'entries or more'}${
    last > 1 && page <= last ? `, page ${figure(page)} of ${figure(last)}${isCounted ? '' : ' or more'}` : ''
  }`
  useAnnounced(asked, found.data === undefined || found.isPlaceholderData ? null : size)
  return (
    <>
      {filters.length > 0 && <Filters filters={filters} search={search} go={go} refused={refused} />}
      {found.data !== undefined && <Problem error={found.error} />}
      <Table
        caption={caption}
        rows={refused === null ? found.data?.data : []}
        error={found.error}
        columns={columns}
        {...(keyOf !== undefined && { keyOf })}
        empty={
          refused !== null ? (
            <>
              “{search[refused.name]}” is not a valid value for {refused.label}.{' '}
              <button type="button" className="cursor-pointer underline" onClick={clear}>
                Show all
              </button>
            </>
          ) : page > last && total > 0 ? (
            <>
              There is no page {figure(page)}.{' '}
              <button type="button" className="cursor-pointer underline" onClick={() => go({ page: String(last) })}>
                Go to the last page
              </button>
            </>
          ) : Object.keys(chosen).length > 0 ? (
            <NothingFits clear={clear} />
          ) : (
            empty
          )
        }
      />
      {found.data !== undefined && total > 0 && (
        <div className="mt-3 flex items-center justify-between gap-3 text-quiet">
          <span>{size}</span>
          {last > 1 && page <= last && (
            <span className="flex gap-2">
              <Button disabled={page <= 1} onClick={() => go({ page: String(page - 1) })}>
                Newer
              </Button>
              <Button disabled={page >= last && isCounted} onClick={() => go({ page: String(page + 1) })}>
                Older
              </Button>
            </span>
          )}
        </div>
      )}
    </>
  )
}

/**
 * Announces the result of a filter or page change; live updates are not announced.
 *
 * @param size null while unknown
 */
function useAnnounced(asked: string, size: string | null): void {
  const announced = useRef(asked)
  useEffect(() => {
    if (size === null || announced.current === asked) return
    announced.current = asked
    tell(size)
  }, [asked, size])
}

function Filters({
  filters,
  search,
  go,
  refused,
}: {
  readonly filters: readonly Filter[]
  readonly search: Search
  readonly go: (changes: Search) => void
  readonly refused: Filter | null
}) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const [all, setAll] = useState(false)
  const revealed = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (all) revealed.current?.querySelector<HTMLElement>('input, select')?.focus()
  }, [all])
  // The value in the URL wins when it changes, by typing here or by navigating back.
  const said = JSON.stringify(filters.map(({ name }) => search[name]))
  useEffect(() => setTyped({}), [said])
  const settle = (chosen: Search = {}): void => {
    const bare = Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, bareOf(text)]))
    setTyped(bare)
    go({ ...bare, ...chosen, page: undefined })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    settle()
  }
  return (
    <form role="search" onSubmit={submit} className="mb-4 flex flex-wrap items-end gap-3">
      {filters.map(({ name, label, options, unset = 'all', day, form, wide = false }, i) => {
        const ref = i === PHONE_FILTERS ? revealed : undefined
        const spare = i >= PHONE_FILTERS && !all && search[name] === undefined ? 'max-md:hidden' : ''
        return options === undefined ? (
          <div
            key={name}
            ref={ref}
            className={`${day !== undefined ? '' : wide ? 'min-w-60 flex-1' : 'min-w-32 flex-1'} ${spare}`}
          >
            <Field
              label={label}
              name={name}
              type={day === undefined ? 'text' : 'date'}
              value={typed[name] ?? search[name] ?? ''}
              literal
              placeholder={form?.startsWith(WHOLE_ADDRESS) ? 'jo@example.net' : undefined}
              fault={refused?.name === name ? (form ?? 'is not in the expected format') : undefined}
              onChange={(value) => setTyped({ ...typed, [name]: value })}
            />
          </div>
        ) : (
          <div key={name} ref={ref} className={`min-w-0 md:max-w-52 ${spare}`}>
            <Choice
              label={label}
              value={search[name] ?? ''}
              onChange={(value) => settle({ [name]: value })}
              options={[['', unset], ...options]}
            />
          </div>
        )
      })}
      {filters.some(({ options }) => options === undefined) && <Button type="submit">Search</Button>}
      {filters.length > PHONE_FILTERS && !all && (
        <span className="md:hidden">
          <Button onClick={() => setAll(true)}>More filters</Button>
        </span>
      )}
    </form>
  )
}

/** The first filter that the API would not accept. */
function refusedOf(error: unknown, filters: readonly Filter[]): Filter | null {
  if (!(error instanceof ApiProblem) || error.code !== 'invalid_parameter') return null
  return filters.find(({ name }) => name === error.details?.parameter) ?? null
}

/** Values of these filters from the URL, as API parameters; absent ones are left out. */
export function chosenOf(filters: readonly Filter[], search: Search): Readonly<Record<string, string>> {
  const given = filters.map(({ name, day }) => [name, momentOf(search[name], day)] as const)
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

function momentOf(text: string | undefined, day: Filter['day']): string | undefined {
  if (text === undefined) return undefined
  return day === undefined ? bareOf(text) : edgeOfDay(text, day)
}

function NothingFits({ clear }: { readonly clear: () => void }) {
  return (
    <>
      Nothing matches these filters.{' '}
      <button type="button" className="cursor-pointer underline" onClick={clear}>
        Show all
      </button>
    </>
  )
}

/** Choices whose labels are their values. */
export function words(...values: readonly string[]): readonly (readonly [string, string])[] {
  return values.map((value) => [value, value.replaceAll('_', ' ')])
}
