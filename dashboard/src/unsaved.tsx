// What was typed and not kept yet: leaving the page asks first.

import { useBlocker, useRouter } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from './ui.tsx'

/** What the router keeps of a place in the browser's history. */
interface Place {
  readonly __TSR_index?: number
}

/** @param waits whether something would be lost; asked at the moment of leaving */
export function Unsaved({ waits }: { readonly waits: () => boolean }) {
  const { history, navigate } = useRouter()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [leave, setLeave] = useState<(() => void) | null>(null)
  useBlocker({
    // Blocked at once and not when the question is answered: after Back the address bar says again where one still is.
    shouldBlockFn: ({ current, next, action }) => {
      if (current.pathname === next.pathname || !waits()) return false
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
      aria-label="Unsaved changes"
      aria-describedby={id}
      className="m-auto w-96 max-w-[90vw] rounded border border-line bg-raised p-5 text-ink backdrop:bg-black/40"
    >
      <p id={id} className="mb-4">
        You have unsaved changes.
      </p>
      <div className="flex justify-end gap-2">
        {/* The first one has the focus: it loses nothing. */}
        <Button onClick={stay}>Stay</Button>
        <Button
          kind="danger"
          onClick={() => {
            stay()
            leave()
          }}
        >
          Leave without saving
        </Button>
      </div>
    </dialog>
  )
}

/** Through what the browser remembers; 0: to a new place. While a step is asked about, the browser has gone it already. */
function stepsTo(action: string, browser: Place | null, here: Place): number {
  if (action === 'PUSH' || action === 'REPLACE') return 0
  return (browser?.__TSR_index ?? 0) - (here.__TSR_index ?? 0)
}
