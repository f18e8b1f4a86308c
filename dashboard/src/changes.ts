// A form that changes what is there already.

import { type FormEvent, useState } from 'react'
import { call, type Json, refresh } from './api.ts'
import { say } from './say.tsx'

export interface Edited<Typed> {
  /** The address without its id, which is the list's, too. */
  readonly path: string
  /** The address where it is no entry of a list. */
  readonly address?: string
  readonly method: 'PATCH' | 'PUT'
  /** What stands in the form at first. */
  readonly typedOf: (data: Json) => Typed
  /** The fields of the API that it stands for. */
  readonly fieldsOf: (typed: Typed) => object
  /** Told when it is kept. */
  readonly told: string
}

/**
 * Sends what was changed in the form, and nothing else: what somebody else set meanwhile in the other fields stays.
 *
 * @param of as it was read last: it takes the place of what stands in the form while nothing is changed there
 */
export function useEdited<Typed>(of: Json, { path, address, method, typedOf, fieldsOf, told }: Edited<Typed>) {
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
      // As it is written there: 2001:db8::1 is kept as 2001:db8::1/128.
      setKept(data)
      setTyped(typedOf(data))
      say(told)
      await refresh(path)
    } catch (problem) {
      setError(problem)
    }
  }
  return { kept, typed, setTyped, error, save, waits: Object.keys(changes).length > 0 }
}

function changedIn(before: object, now: object): object {
  const known = new Map(Object.entries(before))
  return Object.fromEntries(
    Object.entries(now).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(known.get(field))),
  )
}
