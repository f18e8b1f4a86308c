// Small, quiet charts in SVG, each with the table behind it.

import { useId, useState } from 'react'

export interface Series {
  readonly name: string
  /** A colour of the theme. */
  readonly color: string
  readonly values: readonly number[]
}

const HEIGHT = 120
const WIDTH = 720
const GAP = 2

/** Days as stacked bars. */
export function StackedDays({
  days,
  series,
  title,
}: {
  readonly days: readonly string[]
  readonly series: readonly Series[]
  readonly title: string
}) {
  const [table, setTable] = useState(false)
  const id = useId()
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0))
  const most = Math.max(1, ...totals)
  const width = WIDTH / Math.max(1, days.length)
  return (
    <figure className="mt-2">
      <figcaption className="mb-2 flex flex-wrap items-center justify-between gap-2 text-quiet">
        <span id={id}>{title}</span>
        <span className="flex flex-wrap gap-3">
          {series.map(({ name, color }) => (
            <span key={name} className="flex items-center gap-1">
              <svg width="10" height="10" aria-hidden="true">
                <rect width="10" height="10" fill={`var(--color-${color})`} />
              </svg>
              {name}
            </span>
          ))}
          <button
            type="button"
            className="cursor-pointer underline"
            aria-expanded={table}
            onClick={() => setTable(!table)}
          >
            {table ? 'Chart' : 'Table'}
          </button>
        </span>
      </figcaption>
      {table ? (
        <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-labelledby={id}>
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
                    {day}
                  </th>
                  {series.map(({ name, values }) => (
                    <td key={name}>{values[i] ?? 0}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
          className="h-36 w-full"
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={id}
        >
          {days.map((day, i) => {
            let top = HEIGHT
            return (
              <g key={day}>
                <title>{`${day}: ${series.map(({ name, values }) => `${values[i] ?? 0} ${name}`).join(', ')}`}</title>
                <rect x={i * width} y={0} width={width} height={HEIGHT} fill="transparent" />
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
          <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} stroke="var(--color-line)" />
        </svg>
      )}
    </figure>
  )
}
