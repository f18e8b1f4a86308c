// A moment that a person chooses: in their own zone, which is named beside it.

import { Field } from './ui.tsx'

export function Moment({
  label,
  value,
  onChange,
  hint,
  required = false,
  fault,
}: {
  readonly label: string
  /** As `localOf` gives it; empty: none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Said before the zone. */
  readonly hint?: string
  readonly required?: boolean
  readonly fault?: string | undefined
}) {
  const zone = `Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`
  return (
    <Field
      label={label}
      type="datetime-local"
      required={required}
      value={value}
      onChange={onChange}
      hint={hint === undefined ? zone : `${hint} ${zone}`}
      fault={fault}
    />
  )
}

/** To the minute, in the viewer's zone; empty for null. */
export function localOf(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** As the API takes it; null for none. */
export function momentOf(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString()
}
