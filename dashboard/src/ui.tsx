// The few parts that all pages are made of.

import { type ReactNode, useId, useState } from 'react'
import { problemText } from './api.ts'

export function Page({
  title,
  sentence,
  actions,
  children,
}: {
  readonly title: string
  /** The answer a person came for. */
  readonly sentence?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <main id="main" className="mx-auto w-full max-w-[1100px] px-4 py-6 sm:px-8" tabIndex={-1}>
      <title>{`${title} · Posthorn`}</title>
      <div className="mb-5 flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold">{title}</h1>
          {sentence !== undefined && <p className="mt-1 max-w-[70ch] text-quiet">{sentence}</p>}
        </div>
        {actions}
      </div>
      {children}
    </main>
  )
}

export function Button({
  children,
  onClick,
  kind = 'plain',
  type = 'button',
  disabled = false,
}: {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly kind?: 'plain' | 'main' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
}) {
  const look = {
    plain: 'border-line bg-raised hover:border-quiet',
    main: 'border-brass bg-brass text-paper hover:opacity-90',
    danger: 'border-bad text-bad bg-raised hover:bg-bad hover:text-paper',
  }[kind]
  return (
    <button
      type={type}
      onClick={onClick}
      disabled={disabled}
      className={`cursor-pointer rounded border px-3 py-1.5 text-sm whitespace-nowrap disabled:cursor-default disabled:opacity-50 ${look}`}
    >
      {children}
    </button>
  )
}

export function Field({
  label,
  value,
  onChange,
  type = 'text',
  hint,
  required = false,
  autoComplete = 'off',
  name,
  rows,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: string
  readonly hint?: string
  readonly required?: boolean
  readonly autoComplete?: string
  readonly name?: string
  readonly rows?: number
}) {
  const id = useId()
  const shared = {
    id,
    name,
    value,
    required,
    autoComplete,
    className: 'w-full rounded border border-line bg-raised px-2.5 py-1.5 text-ink',
    ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }),
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-quiet">
        {label}
      </label>
      {rows === undefined ? (
        <input {...shared} type={type} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

export function Choice({
  label,
  value,
  onChange,
  options,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, label: string])[]
}) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-quiet">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="rounded border border-line bg-raised px-2 py-1.5 text-ink"
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

const TONES: Readonly<Record<string, string>> = {
  delivered: 'good',
  verified: 'good',
  valid: 'good',
  active: 'good',
  success: 'good',
  opened: 'good',
  ok: 'good',
  allow: 'good',
  queued: 'wait',
  scheduled: 'wait',
  deferred: 'wait',
  pending: 'wait',
  temporary_failure: 'wait',
  soft: 'wait',
  warning: 'wait',
  bounced: 'bad',
  failed: 'bad',
  complained: 'bad',
  missing: 'bad',
  mismatch: 'bad',
  hard: 'bad',
  block: 'bad',
  critical: 'bad',
  suppressed: 'robot',
  canceled: 'robot',
  machine: 'robot',
}
const TONE_CLASSES: Readonly<Record<string, string>> = {
  good: 'text-good',
  wait: 'text-wait',
  bad: 'text-bad',
  robot: 'text-robot',
}
const MARKS: Readonly<Record<string, string>> = { good: '●', wait: '◐', bad: '▲', robot: '○' }

/** A state in a word, with a shape beside its colour. */
export function State({ name }: { readonly name: string }) {
  const tone = TONES[name] ?? 'robot'
  return (
    <span className={`whitespace-nowrap ${TONE_CLASSES[tone]}`}>
      <span aria-hidden="true">{MARKS[tone]}</span> {name.replaceAll('_', ' ')}
    </span>
  )
}

/** In the viewer's zone; UTC on hover. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="text-quiet">–</span>
  const date = new Date(at)
  const text = date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  return (
    <time
      dateTime={at}
      title={`${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}
      className="whitespace-nowrap"
    >
      {text}
    </time>
  )
}

export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [done, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  return <Button onClick={() => void copy()}>{done ? 'Copied' : label}</Button>
}

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Left out on a phone. */
  readonly wide?: boolean
  readonly right?: boolean
}

export function Table<Row extends { readonly id?: string }>({
  caption,
  rows,
  columns,
  keyOf,
  empty,
}: {
  readonly caption: string
  readonly rows: readonly Row[] | undefined
  readonly columns: readonly Column<Row>[]
  readonly keyOf?: (row: Row) => string
  readonly empty: ReactNode
}) {
  if (rows === undefined) return <Waiting />
  if (rows.length === 0) return <div className="rounded border border-dashed border-line p-6 text-quiet">{empty}</div>
  return (
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={caption}>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-quiet">
            {columns.map(({ head, wide, right }) => (
              <th
                key={head}
                scope="col"
                className={`px-2 py-2 font-normal first:pl-0 ${wide === true ? 'hidden md:table-cell' : ''} ${right === true ? 'text-right' : ''}`}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={keyOf?.(row) ?? row.id ?? i} className="border-b border-line align-top">
              {columns.map(({ head, cell, wide, right }) => (
                <td
                  key={head}
                  className={`max-w-[28rem] px-2 py-2 break-words first:pl-0 ${wide === true ? 'hidden md:table-cell' : ''} ${right === true ? 'text-right' : ''}`}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function Waiting() {
  return (
    <div className="h-40 animate-pulse rounded bg-line/40" role="status">
      <span className="sr-only">Loading</span>
    </div>
  )
}

export function Problem({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null
  return (
    <p role="alert" className="my-3 rounded border border-bad px-3 py-2 text-bad">
      {problemText(error)}
    </p>
  )
}

export function Section({
  title,
  children,
  actions,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <section className="mt-8">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A secret or a command, as it is. */
export function Code({ text }: { readonly text: string }) {
  return (
    <pre
      tabIndex={0}
      className="overflow-x-auto rounded border border-line bg-raised p-3 font-mono text-xs whitespace-pre-wrap break-all"
    >
      {text}
    </pre>
  )
}

export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="min-w-0 break-words">{value ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A rate with what it is a rate of; too small a number is no rate. */
export function rate(part: number, whole: number): string {
  if (whole === 0) return 'none yet'
  if (whole < 20) return `${part} of ${whole}`
  return `${((part / whole) * 100).toFixed(part === whole || part === 0 ? 0 : 1)} %`
}
