// A button for irreversible actions: asks for confirmation.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Scope } from '../api/permissions.tsx'
import { Button } from './ui.tsx'

export function Confirm({
  label,
  question,
  yes = label,
  kind = 'danger',
  small = false,
  disabled = false,
  asks: mustAsk = always,
  scope,
  children,
  onYes,
}: {
  /** Label of the button. */
  readonly label: string
  readonly question: string
  /** Label of the confirming button; absent: `label`. */
  readonly yes?: string
  readonly kind?: 'plain' | 'main' | 'danger'
  readonly small?: boolean
  readonly disabled?: boolean
  /** Whether it asks; evaluated on pressing. Absent: always. */
  readonly asks?: () => boolean
  /** Scope required for the action; the button is hidden from people without it. */
  readonly scope?: Scope
  /** Further choices in the dialog. */
  readonly children?: ReactNode
  readonly onYes: () => void
}) {
  const [asks, setAsks] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (asks) dialog.current?.showModal()
  }, [asks])
  const close = (done: boolean): void => {
    // Closed before it is removed, so that the focus returns to the button.
    dialog.current?.close()
    if (done) onYes()
  }
  return (
    <>
      <Button
        kind={kind}
        small={small}
        disabled={disabled}
        scope={scope}
        onClick={() => (mustAsk() ? setAsks(true) : onYes())}
      >
        {label}
      </Button>
      {asks && (
        <dialog
          ref={dialog}
          onClose={() => setAsks(false)}
          aria-label={label}
          aria-describedby={id}
          className="m-auto w-96 max-w-[90vw] rounded border border-line bg-raised p-5 text-left whitespace-normal text-ink backdrop:bg-black/40"
        >
          <p id={id} className="mb-4">
            {question}
          </p>
          {children !== undefined && <div className="mb-4">{children}</div>}
          <div className="flex justify-end gap-2">
            <Button onClick={() => close(false)}>Cancel</Button>
            <Button kind={kind === 'danger' ? 'danger' : 'main'} onClick={() => close(true)}>
              {yes}
            </Button>
          </div>
        </dialog>
      )}
    </>
  )
}

function always(): boolean {
  return true
}
