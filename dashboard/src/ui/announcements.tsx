// The result of an action, in a line at the bottom of the window that is also announced.

import { useSyncExternalStore } from 'react'

const SHOWN_MS = 6_000

interface Line {
  readonly text: string
  readonly seen: boolean
}

const NOTHING: Line = { text: '', seen: false }

let line = NOTHING
let timer: ReturnType<typeof setTimeout> | undefined
const watchers = new Set<() => void>()

function set(next: Line): void {
  line = next
  for (const watcher of watchers) watcher()
}

function saying(next: Line): void {
  clearTimeout(timer)
  set(next)
  timer = setTimeout(() => set(NOTHING), SHOWN_MS)
}

export function announce(text: string): void {
  saying({ text, seen: true })
}

/** Announces what is visible elsewhere on the page. */
export function tell(text: string): void {
  saying({ text, seen: false })
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function Announcements() {
  const { text, seen } = useSyncExternalStore(watch, () => line)
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed inset-x-0 bottom-4 z-20 text-center">
      {text !== '' && (
        <span className={seen ? 'inline-block max-w-[90vw] rounded bg-ink px-4 py-2 text-paper shadow' : 'sr-only'}>
          {text}
        </span>
      )}
    </div>
  )
}
