// A line of fields and a button that adds one thing to a list of the API: domains, addresses, keys, endpoints, users.

import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Json, refresh } from './api.ts'
import { Button, Field, Problem } from './ui.tsx'

export interface AddField {
  /** In the body of the call. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'url'
}

export function AddForm({
  path,
  fields,
  button,
  also,
  children,
  added,
}: {
  readonly path: string
  readonly fields: readonly AddField[]
  readonly button: string
  /** Goes into the body beside the fields. */
  readonly also?: object
  /** More inputs; their values come by `also`. */
  readonly children?: ReactNode
  /** Given what the API answered, and what was typed. */
  readonly added?: (data: Json, typed: Readonly<Record<string, string>>) => void
}) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      const { data } = await call('POST', path, { ...typed, ...also })
      setTyped({})
      added?.(data, typed)
      await refresh(path)
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
  }
  return (
    <>
      <form onSubmit={(event) => void add(event)} className="mb-4 flex flex-wrap items-end gap-3">
        {fields.map(({ name, label, type }) => (
          <div key={name} className="min-w-48 flex-1 sm:max-w-md">
            <Field
              label={label}
              type={type ?? 'text'}
              required
              value={typed[name] ?? ''}
              onChange={(value) => setTyped((so) => ({ ...so, [name]: value }))}
            />
          </div>
        ))}
        {children}
        <Button type="submit" kind="main" disabled={busy}>
          {button}
        </Button>
      </form>
      <Problem error={error} />
    </>
  )
}
