import type { ReactNode } from 'react'

export function Checkbox({
  checked,
  onChange,
  className = '',
  children,
}: {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly className?: string
  /** The label. */
  readonly children: ReactNode
}) {
  return (
    <label className={`flex items-center gap-2 ${className}`}>
      <input
        type="checkbox"
        className="accent-brass"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  )
}
