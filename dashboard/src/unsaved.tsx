// What was typed and not kept yet: leaving the page asks first.

import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button } from './ui.tsx'

/** @param waits whether something would be lost; asked at the moment of leaving */
export function Unsaved({ waits }: { readonly waits: () => boolean }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && waits(),
    enableBeforeUnload: waits,
    withResolver: true,
  })
  useEffect(() => {
    if (status === 'blocked') dialog.current?.showModal()
  }, [status])
  if (status !== 'blocked') return null
  return (
    <dialog
      ref={dialog}
      onClose={reset}
      aria-label="Not saved"
      className="m-auto w-96 max-w-[90vw] rounded border border-line bg-raised p-5 text-ink backdrop:bg-black/40"
    >
      <p className="mb-4">What you changed here is not saved.</p>
      <div className="flex justify-end gap-2">
        <Button onClick={proceed}>Leave without it</Button>
        <Button kind="main" onClick={reset}>
          Stay
        </Button>
      </div>
    </dialog>
  )
}
