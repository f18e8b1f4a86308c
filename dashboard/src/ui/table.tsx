// A table. On a phone each row becomes two lines: its main cell, and below it the other cells that fit.

import { type FocusEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { type Scope, usePermission } from '../api/permissions.tsx'
import { RowName } from './row-name.ts'
import { Empty, Pending } from './ui.tsx'

export interface Column<Row> {
  readonly head: string
  /** `above`: the previous row. */
  readonly cell: (row: Row, above?: Row) => ReactNode
  /** Identifies the row; the first line on a phone. */
  readonly main?: boolean
  /** Hidden on a phone. */
  readonly wide?: boolean
  /** Hidden also on a tablet and in a small window. */
  readonly roomy?: boolean
  readonly right?: boolean
  /** On a phone, where headings are hidden, its heading precedes it: for numbers that are unclear alone. */
  readonly named?: boolean
  /** Takes the remaining width, in one line; the full text is shown on hover. `more`: most of it, beside another one. */
  readonly fill?: boolean | 'more'
  /** On a phone it shares a line with the others and is truncated if necessary, so that a row has two lines, not three. */
  readonly cut?: boolean
  /** Its buttons are self-explanatory: the heading is only for screen readers. */
  readonly acts?: boolean
  /** Scope required for its actions; hidden from people without it. */
  readonly scope?: Scope
}

export function Table<Row>({
  caption,
  rows,
  columns: all,
  keyOf,
  empty,
  error,
}: {
  readonly caption: string
  /** Undefined while loading. */
  readonly rows: readonly Row[] | undefined
  /** Why loading failed. */
  readonly error?: unknown
  readonly columns: readonly Column<Row>[]
  readonly keyOf?: (row: Row) => string
  readonly empty: ReactNode
}) {
  const may = usePermission()
  const kept = useKeptFocus(rows)
  const id = useId()
  if (rows === undefined) return <Pending error={error} lines={8} />
  if (rows.length === 0) return <Empty>{empty}</Empty>
  const columns = all.filter(({ scope }) => may(scope))
  const filling = columns.filter(({ fill = false }) => fill !== false).length
  // Roles are explicit, since some screen readers do not recognize rows with another layout.
  return (
    <div {...kept} className="overflow-x-auto" tabIndex={0} role="region" aria-label={caption}>
      <table role="table" aria-label={caption} className="w-full border-collapse text-left max-md:block">
        <thead role="rowgroup" className="max-md:sr-only">
          <tr role="row" className="border-b border-line text-quiet">
            {columns.map(({ head, wide, roomy, right, acts }) => (
              <th
                key={head}
                role="columnheader"
                scope="col"
                className={`px-2 py-1.5 font-normal whitespace-nowrap first:pl-0 last:pr-0 ${hiddenBelow(wide, roomy)} ${right === true ? 'text-right' : ''}`}
              >
                {acts === true ? <span className="sr-only">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="max-md:block">
          {rows.map((row, i) => (
            <tr
              key={keyOf?.(row) ?? (row as { readonly id?: string }).id ?? i}
              role="row"
              data-row=""
              className="border-b border-line align-baseline focus-within:bg-line/30 hover:bg-line/30 max-md:flex max-md:flex-wrap max-md:items-baseline max-md:gap-x-3 max-md:py-2"
            >
              {columns.map((column) => (
                <Cell
                  key={column.head}
                  column={column}
                  row={row}
                  above={rows[i - 1]}
                  filling={filling}
                  mainId={`${id}-${i}`}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** When a row with the focus is removed, the focus moves to its list, or to the page if the list is now empty. */
function useKeptFocus(rows: unknown) {
  const ref = useRef<HTMLDivElement>(null)
  const focused = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (focused.current === null || focused.current.isConnected) return
    focused.current = null
    const next = ref.current ?? document.getElementById('main')
    next?.focus({ preventScroll: true })
  }, [rows])
  return {
    ref,
    onFocus: ({ target }: FocusEvent): void => {
      focused.current = target
    },
    onBlur: (): void => {
      focused.current = null
    },
  }
}

function hiddenBelow(wide = false, roomy = false): string {
  return roomy ? 'max-xl:hidden' : wide ? 'max-md:hidden' : ''
}

/** Its own width is ignored on a phone, so that the cells after it stay in its line. */
const CUT = 'max-md:flex-1 max-md:basis-16 max-md:truncate'

function Cell<Row>({
  column,
  row,
  above,
  filling,
  mainId,
}: {
  readonly column: Column<Row>
  readonly row: Row
  readonly above: Row | undefined
  /** Number of columns that share the remaining width; when there is one, the others stay on one line. */
  readonly filling: number
  /** Element id of the row's main cell. */
  readonly mainId: string
}) {
  const { head, cell, main = false, wide, roomy, right = false, named = false, fill = false, cut = false } = column
  const shown = cell(row, above)
  const tight = filling > 0
  const width =
    fill !== false
      ? `${filling > 1 ? (fill === 'more' ? 'w-3/5' : 'w-1/2') : 'w-full'} max-w-0 truncate max-md:w-auto max-md:max-w-full`
      : tight
        ? 'max-md:break-words md:max-w-[22rem] md:overflow-hidden md:text-ellipsis md:whitespace-nowrap'
        : 'break-words md:max-w-[22rem]'
  const looks = [
    cut ? CUT : '',
    'px-2 py-1.5 first:pl-0 last:pr-0 max-md:min-w-0 max-md:p-0',
    main ? 'max-md:order-first max-md:basis-full max-md:font-semibold' : '',
    hiddenBelow(wide, roomy),
    right ? 'md:text-right' : '',
    width,
  ]
  return (
    <td
      role="cell"
      id={main ? mainId : undefined}
      title={typeof shown === 'string' && (fill !== false || tight) ? shown : undefined}
      className={looks.join(' ')}
    >
      {named && <span className="text-quiet md:hidden">{head} </span>}
      {column.acts === true ? <RowName.Provider value={mainId}>{shown}</RowName.Provider> : shown}
    </td>
  )
}
