// Unsaved input, or work in progress: asks before leaving the page.

import { useBlocker, useRouter } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import type { Search } from './search.ts'
import { Button } from './ui.tsx'

/** The router's state of an entry in the browser's history. */
interface Place {
  readonly __TSR_index?: number
}

export function Unsaved({
  waits,
  name = 'Unsaved changes',
  what = 'You have unsaved changes.',
  leaving = 'Leave without saving',
}: {
  /** Whether something would be lost; evaluated on leaving. */
  readonly waits: () => boolean
  /** Name of the question. */
  readonly name?: string
  /** What would be lost, in a sentence. */
  readonly what?: string
  /** Label of the button that leaves anyway. */
  readonly leaving?: string
}) {
  const { history, navigate } = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [leave, setLeave] = useState<(() => void) | null>(null)
  useBlocker({
    // Blocked at once, not when the question is answered, so that the address bar shows the present page again after Back.
    shouldBlockFn: ({ current, next, action }) => {
      if (isSamePage(current, next) || !waits()) return false
      const steps = stepsTo(action, window.history.state as Place | null, history.location.state)
      const to = { to: next.pathname as '/', search: next.search as never, replace: action === 'REPLACE' }
      setLeave(() => () => {
        if (steps === 0) void navigate({ ...to, ignoreBlocker: true })
        else history.go(steps, { ignoreBlocker: true })
      })
      return true
    },
    enableBeforeUnload: waits,
  })
  useEffect(() => {
    if (leave !== null && dialog.current?.open === false) dialog.current.showModal()
  }, [leave])
  if (leave === null) return null
  const stay = (): void => setLeave(null)
  return (
    <dialog
      ref={dialog}
      onClose={stay}
      aria-label={name}
      aria-describedby={id}
      className="m-auto w-96 max-w-[90vw] rounded border border-line bg-raised p-5 text-ink backdrop:bg-black/40"
    >
      <p id={id} className="mb-4">
        {what}
      </p>
      <div className="flex justify-end gap-2">
        {/* The first one has the focus: it is the harmless one. */}
        <Button onClick={stay}>Stay</Button>
        <Button
          kind="danger"
          onClick={() => {
            stay()
            leave()
          }}
        >
          {leaving}
        </Button>
      </div>
    </dialog>
  )
}

interface Whereabouts {
  readonly pathname: string
  readonly search: unknown
}

/** Filters change the query and keep the form; an import is opened and closed by the query. */
function isSamePage(one: Whereabouts, other: Whereabouts): boolean {
  const [before, after] = [one.search as Search, other.search as Search]
  return one.pathname === other.pathname && before['import'] === after['import']
}

/** Steps in the browser's history; 0 for a new entry. The browser has already taken the step while we ask. */
function stepsTo(action: string, browser: Place | null, here: Place): number {
  if (action === 'PUSH' || action === 'REPLACE') return 0
  return (browser?.__TSR_index ?? 0) - (here.__TSR_index ?? 0)
}
