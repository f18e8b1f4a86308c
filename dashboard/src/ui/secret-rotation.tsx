// Replaces a secret, with a period during which the old one still works.

import { useState } from 'react'
import type { Scope } from '../api/permissions.tsx'
import { Confirm } from './confirm.tsx'
import { Choice } from './ui.tsx'

/** Hours for the API, and their labels. */
const GRACE: readonly (readonly [hours: string, words: string])[] = [
  ['0', 'immediately'],
  ['1', 'after 1 hour'],
  ['24', 'after 1 day'],
  ['72', 'after 3 days'],
]

export function SecretRotation({
  label,
  question,
  small = false,
  scope,
  onYes,
}: {
  readonly label: string
  readonly question: string
  readonly small?: boolean
  readonly scope: Scope
  readonly onYes: (graceHours: number) => void
}) {
  const [hours, setHours] = useState('24')
  return (
    <Confirm
      kind="plain"
      small={small}
      scope={scope}
      label={label}
      question={question}
      onYes={() => onYes(Number(hours))}
    >
      <Choice label="The current one stops working" value={hours} onChange={setHours} options={GRACE} />
    </Confirm>
  )
}
