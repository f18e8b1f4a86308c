// A line of fields and a button that adds one thing to a list of the API: domains, addresses, keys, endpoints, users.

import { type FormEvent, type ReactNode, useState } from 'react'
import { besides, call, faultOf, type Json, refresh } from '../api/api.ts'
import { filled } from '../api/filled.ts'
import { type Scope, usePermission } from '../api/permissions.tsx'
import { changedIn } from './edited-form.ts'
import { Button, Field, Problem } from './ui.tsx'
import { Unsaved } from './unsaved.tsx'

export interface AddField {
  /** Name in the body of the call. */
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'url'
  /** Whether it may be left empty. */
  readonly optional?: boolean
  /** The expected form, shown when the input is wrong. */
  readonly form?: string | ((typed: string) => string)
  /** A domain name: converted to lower case, without a trailing dot. */
  readonly domain?: boolean
}

export function AddForm({
  path,
  scope,
  fields,
  button,
  also,
  lacks = false,
  told = [],
  hinted = false,
  children,
  added,
}: {
  readonly path: string
  /** Scope required by the call; absent when the page is shown only to people who have it. */
  readonly scope?: Scope
  readonly fields: readonly AddField[]
  readonly button: string
  /** Added to the body besides the fields. */
  readonly also?: object
  /** Whether something in `also` is not chosen yet. */
  readonly lacks?: boolean
  /** Fields of `also` whose faults the children show. */
  readonly told?: readonly string[]
  /** Whether the children contain more than their field. */
  readonly hinted?: boolean
  /** Further inputs; their values are in `also`. */
  readonly children?: ReactNode | ((error: unknown) => ReactNode)
  /** Receives the API's response and the input. */
  readonly added?: (data: Json, typed: Readonly<Record<string, string>>) => void
}) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const may = usePermission()(scope)
  const names = fields.map(({ name }) => name)
  const high = hinted || names.some((name) => faultOf(error, name) !== undefined)
  const add = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      const domains = fields.filter(({ domain }) => domain === true).map(({ name }) => name)
      const trimmed = Object.entries(typed).map(([name, value]) => [
        name,
        domains.includes(name) ? value.trim().toLowerCase().replace(/\.$/, '') : value.trim(),
      ])
      const given = filled<string>(Object.fromEntries(trimmed))
      const { data } = await call('POST', path, { ...given, ...also })
      // What is typed meanwhile belongs to the next one.
      setTyped((now) => filled<string>(changedIn(typed, now)))
      added?.(data, given)
      await refresh(path)
    } catch (problem) {
      setError(problem)
    }
    setBusy(false)
  }
  if (!may) return null
  return (
    <>
      {/* While it is being added, the page may move on to what was added. */}
      <Unsaved
        waits={() => !busy && Object.values(typed).some((text) => text.trim() !== '')}
        what="What you typed is not added yet."
        leaving="Leave without adding"
      />
      <form
        onSubmit={(event) => void add(event)}
        className={`mb-4 flex flex-wrap gap-3 ${high ? 'items-start' : 'items-end'}`}
      >
        {fields.map(({ name, label, type = 'text', form, optional = false, domain = false }) => (
          <div key={name} className="min-w-48 flex-1 sm:max-w-md">
            <Field
              label={label}
              type={type}
              {...(domain && { literal: true })}
              required={!optional}
              value={typed[name] ?? ''}
              fault={faultText(faultOf(error, name), typeof form === 'function' ? form(typed[name] ?? '') : form)}
              onChange={(value) => setTyped((so) => ({ ...so, [name]: value }))}
            />
          </div>
        ))}
        {typeof children === 'function' ? children(error) : children}
        {/* Beside its field, even when the fault is shown below it. */}
        <div className={hinted ? 'sm:pt-[25px]' : high ? 'pt-[25px]' : ''}>
          <Button type="submit" kind="main" disabled={busy || lacks}>
            {button}
          </Button>
        </div>
      </form>
      <Problem error={besides(error, [...names, ...told])} />
    </>
  )
}

function faultText(fault: string | undefined, form: string | undefined): string | undefined {
  return fault === undefined || form === undefined ? fault : `${fault}: ${form}`
}
