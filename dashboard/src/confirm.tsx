// A button for what cannot be undone: it asks once more, in words.

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Scope } from './may.tsx'
import { Button } from './ui.tsx'

export function Confirm({
  label,
  question,
  yes = label,
  kind = 'danger',
  small = false,
  scope,
  children,
  onYes,
}: {
  /** On the button. */
  readonly label: string
  readonly question: string
  /** On the button that does it; absent: `label`. */
  readonly yes?: string
  readonly kind?: 'plain' | 'danger'
  readonly small?: boolean
  /** What it does asks for this: not shown to who lacks it. */
  readonly scope?: Scope
  /** What is to be chosen with it. */
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
    // Closed before it goes, so that the focus comes back to the button.
    dialog.current?.close()
    if (done) onYes()
  }
  return (
    <>
      <Button kind={kind} small={small} scope={scope} onClick={() => setAsks(true)}>
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
