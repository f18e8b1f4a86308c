// Small, quiet charts in our own SVG. Hovering over a day shows its figures, a click shows its emails; each chart has a table.

import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import type { Search } from '../ui/search.ts'
import { DATES } from '../ui/ui.tsx'
import { figure } from '../words/number-format.ts'
import { MIN_FOR_RATE, percent, shareOf } from '../words/rates.ts'
import { type Figure, listBehind, mailsOf } from './figure-links.ts'

export interface Series {
  readonly name: string
  /** A colour of the theme. */
  readonly color: string
  readonly values: readonly number[]
}

interface DaysProps {
  readonly title: string
  /** YYYY-MM-DD, in order. */
  readonly days: readonly string[]
  readonly series: readonly Series[]
  /** What a day leads to; absent: its emails. */
  readonly behind?: Figure
}

const HEIGHT = 120
const WIDTH = 720
const GAP = 2

/** Days as stacked bars. */
export function StackedDays({
  title,
  days,
  series,
  beside = [],
  behind,
  short = false,
}: DaysProps & {
  /** Shown on hover and in the table, but not drawn. */
  readonly beside?: readonly Series[]
  readonly short?: boolean
}) {
  const most = niceTop(Math.max(...days.map((_, day) => sumOf(series, day)), 1))
  const width = WIDTH / Math.max(1, days.length)
  return (
    <Chart
      title={title}
      days={days}
      series={series}
      beside={beside}
      top={figure(most)}
      show={(value) => figure(value)}
      short={short}
      {...(behind !== undefined && { behind })}
    >
      {days.map((day, i) => {
        let top = HEIGHT
        return (
          <g key={day}>
            {series.map(({ name, color, values }) => {
              const height = ((values[i] ?? 0) / most) * HEIGHT
              top -= height
              return (
                <rect
                  key={name}
                  x={i * width + GAP / 2}
                  y={top}
                  width={Math.max(1, width - GAP)}
                  height={height}
                  fill={`var(--color-${color})`}
                />
              )
            })}
          </g>
        )
      })}
    </Chart>
  )
}

/**
 * A rate by day as a thin line, with the relevant threshold. Days with too few emails have no rate and are left out of the line.
 */
export function RateDays({
  title,
  days,
  name,
  parts,
  wholes,
  threshold,
  behind,
}: {
  readonly title: string
  readonly days: readonly string[]
  readonly name: string
  readonly parts: readonly number[]
  readonly wholes: readonly number[]
  readonly threshold: number
  readonly behind: Figure
}) {
  const rates = days.map((_, i) => ((wholes[i] ?? 0) < MIN_FOR_RATE ? null : shareOf(parts[i] ?? 0, wholes[i] ?? 1)))
  const known = rates.filter((one) => one !== null)
  if (known.length === 0)
    return (
      <p className="mt-3 text-quiet">
        {title}: no day had the {MIN_FOR_RATE} emails needed for a rate.
      </p>
    )
  const most = Math.max(threshold * 2, ...known) * 1.1
  const x = (i: number): number => ((i + 0.5) / days.length) * WIDTH
  const y = (rate: number): number => HEIGHT - (rate / most) * HEIGHT
  const points = rates.flatMap((rate, i) => (rate === null ? [] : [[x(i), y(rate), days[i] ?? ''] as const]))
  return (
    <Chart
      title={title}
      days={days}
      series={[{ name, color: 'ink', values: rates.map((rate) => rate ?? Number.NaN) }]}
      top={percent(most)}
      mark={`keep under ${percent(threshold)}`}
      show={(value) => (Number.isNaN(value) ? 'too few' : percent(value))}
      behind={behind}
      short
    >
      <line
        x1="0"
        x2={WIDTH}
        y1={y(threshold)}
        y2={y(threshold)}
        stroke="var(--color-bad)"
        strokeDasharray="4 4"
        vectorEffect="non-scaling-stroke"
      />
      <polyline
        points={points.map(([px, py]) => `${px},${py}`).join(' ')}
        fill="none"
        stroke="var(--color-ink)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
      {points.map(([px, py, day]) => (
        <rect key={day} x={px - 2} y={py - 2} width="4" height="4" fill="var(--color-ink)" />
      ))}
    </Chart>
  )
}

function Chart({
  title,
  days,
  series,
  beside = [],
  top,
  mark,
  show,
  behind,
  short = false,
  children,
}: DaysProps & {
  readonly beside?: readonly Series[]
  /** Value at the upper edge. */
  readonly top: string
  /** Meaning of the dashed line, beside the legend. */
  readonly mark?: string
  readonly show: (value: number) => string
  readonly short?: boolean
  readonly children: ReactNode
}) {
  const [table, setTable] = useState(false)
  const [over, setOver] = useState<number | null>(null)
  const navigate = useNavigate()
  const listOf = useListOf(behind)
  const id = useId()
  const figuresOf = (day: number): string =>
    [...beside, ...series].map(({ name, values }) => `${show(values[day] ?? 0)} ${name}`).join(', ')
  return (
    <figure className="mt-4">
      <figcaption className="mb-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-quiet">
        <span>
          <span id={id} className="text-ink">
            {title}
          </span>
          {over !== null && (
            <span aria-hidden="true">
              {' '}
              · {dayName(days[over] ?? '')}: {figuresOf(over)}
            </span>
          )}
        </span>
        <span className="flex flex-wrap items-center gap-3 text-xs">
          {series.length > 1 &&
            series.map(({ name, color }) => (
              <span key={name} className="flex items-center gap-1">
                <svg width="10" height="10" aria-hidden="true">
                  <rect width="10" height="10" fill={`var(--color-${color})`} />
                </svg>
                {name}
              </span>
            ))}
          {mark !== undefined && <span className="text-bad">- - {mark}</span>}
          <button type="button" className="min-h-6 cursor-pointer underline" onClick={() => setTable(!table)}>
            {table ? 'Chart' : 'Table'}
            <span className="sr-only"> of {title}</span>
          </button>
        </span>
      </figcaption>
      {table ? (
        <DayTable days={days} series={[...beside, ...series]} show={show} labelledBy={id} listOf={listOf} />
      ) : (
        <div className="relative border-b border-line" onMouseLeave={() => setOver(null)}>
          <span aria-hidden="true" className="absolute top-0 left-0 text-xs text-quiet">
            {top}
          </span>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            className={`w-full ${short ? 'h-20' : 'h-36'}`}
            preserveAspectRatio="none"
            role="img"
            aria-labelledby={id}
          >
            {over !== null && (
              <rect
                x={(over / days.length) * WIDTH}
                width={WIDTH / days.length}
                height={HEIGHT}
                fill="var(--color-line)"
                opacity="0.6"
              />
            )}
            {children}
            {days.map((day, i) => (
              <rect
                key={day}
                x={(i / days.length) * WIDTH}
                width={WIDTH / days.length}
                height={HEIGHT}
                fill="transparent"
                className="cursor-pointer"
                onMouseEnter={() => setOver(i)}
                onClick={() => void navigate(listOf(day) as never)}
              />
            ))}
          </svg>
        </div>
      )}
      {!table && (
        <p aria-hidden="true" className="flex justify-between text-xs text-quiet">
          <span>{dayName(days[0] ?? '')}</span>
          <span>{dayName(days.at(-1) ?? '')}</span>
        </p>
      )}
    </figure>
  )
}

function DayTable({
  days,
  series,
  show,
  labelledBy,
  listOf,
}: Omit<DaysProps, 'title' | 'behind'> & {
  readonly show: (value: number) => string
  readonly labelledBy: string
  readonly listOf: ListOf
}) {
  return (
    <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-labelledby={labelledBy}>
      <table className="w-full text-right">
        <thead>
          <tr className="text-quiet">
            <th scope="col" className="text-left font-normal">
              Day
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="font-normal">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day, i) => (
            <tr key={day} className="border-t border-line">
              <th scope="row" className="text-left font-normal">
                <Link {...(listOf(day) as { to: '/emails' })} className="underline">
                  {day}
                </Link>
              </th>
              {series.map(({ name, values }) => (
                <td key={name}>{show(values[i] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function sumOf(series: readonly Series[], day: number): number {
  return series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0)
}

/** The next of 1, 2, 5, 10, 20 … */
function niceTop(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * size >= value) ?? 10) * size
}

type ListOf = (day: string) => ReturnType<typeof listBehind> | ReturnType<typeof mailsOf>

/** The list behind the figures of a day, for the page's domain, with or without the sandbox as the page. */
export function useListOf(behind?: Figure): ListOf {
  const { domain_id, sandbox } = useSearch({ strict: false }) as Search
  const of = { domain_id, include_sandbox: sandbox === '1' }
  return (day) =>
    behind === undefined ? mailsOf(day, of) : listBehind(behind, { ...of, from_date: day, to_date: day })
}

export function dayName(day: string): string {
  return day === '' ? '' : DATES.day(new Date(`${day}T12:00:00`))
}
