// A button for what cannot be undone: it asks once more, in words.

import { useRef } from 'react'
import { Button } from './ui.tsx'

export function Confirm({
  label,
  question,
  yes = label,
  kind = 'danger',
  small = false,
  onYes,
}: {
  /** On the button. */
  readonly label: string
  readonly question: string
  /** On the button that does it; absent: `label`. */
  readonly yes?: string
  readonly kind?: 'plain' | 'danger'
  readonly small?: boolean
  readonly onYes: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = (done: boolean): void => {
    dialog.current?.close()
    if (done) onYes()
  }
  return (
    <>
      <Button kind={kind} small={small} onClick={() => dialog.current?.showModal()}>
        {label}
      </Button>
      <dialog
        ref={dialog}
        aria-label={label}
        className="m-auto w-96 max-w-[90vw] rounded border border-line bg-raised p-5 text-left whitespace-normal text-ink backdrop:bg-black/40"
      >
        <p className="mb-4">{question}</p>
        <div className="flex justify-end gap-2">
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button kind={kind === 'danger' ? 'danger' : 'main'} onClick={() => close(true)}>
            {yes}
          </Button>
        </div>
      </dialog>
    </>
  )
}
