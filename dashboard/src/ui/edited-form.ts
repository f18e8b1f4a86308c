// A form that edits something existing.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh } from '../api/api.ts'
import { announce } from './announcements.tsx'

export interface Edited<Typed> {
  /** The path without the id, which is also the list's. */
  readonly path: string
  /** The path when it is no entry of a list. */
  readonly address?: string
  readonly method: 'PATCH' | 'PUT'
  /** Initial values of the form. */
  readonly typedOf: (data: Json) => Typed
  /** The API fields that it represents. */
  readonly fieldsOf: (typed: Typed) => object
  /** Called when the change is saved. */
  readonly told: string
}

/**
 * Sends only the changed fields of the form, so that changes by others in the other fields are kept.
 *
 * @param of the last values read: they replace those in the form while nothing is changed there
 */
export function useEdited<Typed extends object>(
  of: Json,
  { path, address, method, typedOf, fieldsOf, told }: Edited<Typed>,
) {
  const [seen, setSeen] = useState(of)
  const [kept, setKept] = useState(of)
  const [typed, setTyped] = useState(() => typedOf(of))
  const [error, setError] = useState<unknown>(null)
  const changes = changedIn(fieldsOf(typedOf(kept)), fieldsOf(typed))
  if (of !== seen) {
    setSeen(of)
    if (JSON.stringify(typed) === JSON.stringify(typedOf(kept))) {
      setKept(of)
      setTyped(typedOf(of))
    }
  }
  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setError(null)
    try {
      const { data } = await call(method, address ?? `${path}/${of.id}`, changes)
      // As the API writes it: 2001:db8::1 becomes 2001:db8::1/128.
      setKept(data)
      // Somebody may have gone on typing meanwhile.
      setTyped((now) => ({ ...typedOf(data), ...changedIn(typed, now) }))
      announce(told)
      await refresh(path)
    } catch (problem) {
      setError(problem)
    }
  }
  return { kept, typed, setTyped, error, save, waits: Object.keys(changes).length > 0 }
}

/** The fields with another value than before. */
export function changedIn<Fields extends object>(before: Fields, now: Fields): Partial<Fields> {
  const known = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(now).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(known.get(field))),
  ) as Partial<Fields>
}
