// A secret that the API returns only once. Leaving the page asks first, until it was copied or the person says that it is kept.

import { type ReactNode, useRef, useState } from 'react'
import { queries } from '../api/api.ts'
import { Button, Code, Copy } from './ui.tsx'
import { Unsaved } from './unsaved.tsx'

/** Stands in an element with the role `status`. Its key is the secret: another one is not kept yet. */
export function ShownOnce({
  text,
  what,
  children,
}: {
  readonly text: string
  /** Such as `the key`. */
  readonly what: string
  /** Says what it is and where to keep it. */
  readonly children: ReactNode
}) {
  const kept = useRef(false)
  const [isHidden, setHidden] = useState(false)
  if (isHidden) return null
  const keep = (): void => {
    kept.current = true
  }
  return (
    // The whole text may also be copied by hand.
    <div onCopy={keep} className="mb-4 rounded border border-brass p-3">
      <NotKept waits={() => !kept.current} what={what} />
      <p className="mb-2">{children}</p>
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <Code text={text} />
        </div>
        <Copy big text={text} what={what} done={keep} />
        <Button onClick={() => setHidden(true)}>
          I have stored it<span className="sr-only">: hide {what}</span>
        </Button>
      </div>
    </div>
  )
}

/** The question on leaving, for pages that show the secret in their own way. */
export function NotKept({ waits, what }: { readonly waits: () => boolean; readonly what: string }) {
  return (
    <Unsaved
      waits={waits}
      name="Not copied yet"
      what={`You have not copied ${what} yet. It cannot be shown again.`}
      leaving="Leave without it"
    />
  )
}

const keyOf = (id: string): readonly [string] => [`secret of ${id}`]

/** Hands the secret of something new to its page, in memory only. */
export function handOver(id: string, secret: string): void {
  queries.setQueryData(keyOf(id), secret)
}

/** The secret that was handed over; null: none, or it was taken already. */
export function handedOver(id: string): string | null {
  return queries.getQueryData<string>(keyOf(id)) ?? null
}

export function forget(id: string): void {
  queries.removeQueries({ queryKey: keyOf(id), exact: true })
}
