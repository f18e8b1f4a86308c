// Input of a date and time in the viewer's time zone, which is named beside it.

import { ownZone } from '../words/days.ts'
import { Field } from './ui.tsx'

export function DateTimeInput({
  label,
  value,
  onChange,
  hint,
  required = false,
  fault,
}: {
  readonly label: string
  /** As returned by `localOf`; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** Text before the time zone. */
  readonly hint?: string
  readonly required?: boolean
  readonly fault?: string | undefined
}) {
  const zone = `Time zone: ${ownZone()}`
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

/** To the minute, in the viewer's time zone; empty for null. */
export function localOf(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** As expected by the API, which refuses what is no date; null for none. */
export function momentOf(local: string): string | null {
  if (local === '') return null
  const moment = new Date(local)
  return Number.isNaN(moment.getTime()) ? local : moment.toISOString()
}
